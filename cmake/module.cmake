# SPDX-License-Identifier: Apache-2.0
# octavo_module(NAME SOURCE... [LIBRARIES LIBRARY...]): a part of liboctavo that is a library of its own beside it, loaded when it is wanted
# (src/base/module.hpp says why and how). Its libraries are nobody else's.
function(octavo_module name)
  cmake_parse_arguments(PARSE_ARGV 1 given "" "" LIBRARIES)
  add_library(octavo_${name} SHARED ${given_UNPARSED_ARGUMENTS})
  target_include_directories(octavo_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(octavo_${name} PUBLIC octavo ${given_LIBRARIES} PRIVATE octavo_warnings nlohmann_json::nlohmann_json)
  set_target_properties(octavo_${name} PROPERTIES OUTPUT_NAME octavo-${name} LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/src INSTALL_RPATH "$ORIGIN")
  set_property(GLOBAL APPEND PROPERTY OCTAVO_MODULES octavo_${name})
endfunction()
