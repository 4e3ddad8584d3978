# SPDX-License-Identifier: Apache-2.0
# octavo_process_library(TARGET): for a library of yours that holds process classes, static or shared.
#
# The methods and constructors of a class get into the table by objects that are made before main. A linker leaves out what nobody
# refers to: an object file of a static library, a whole shared library under --as-needed. A program that makes the objects itself refers to them;
# one that only serves them (served_by), or activates them by name, may not. This has every program that links TARGET link all of it.
function(octavo_process_library target)
  get_target_property(type ${target} TYPE)
  if(APPLE OR MSVC)
    message(WARNING "octavo_process_library(${target}): this linker is not known; refer to the classes from the program")
  elseif(type STREQUAL "STATIC_LIBRARY")
    target_link_options(${target} INTERFACE "LINKER:--push-state,--whole-archive,$<TARGET_FILE:${target}>,--pop-state")
  elseif(type STREQUAL "SHARED_LIBRARY")
    target_link_options(${target} INTERFACE "LINKER:--push-state,--no-as-needed,$<TARGET_FILE:${target}>,--pop-state")
  else()
    message(FATAL_ERROR "octavo_process_library(${target}): it is a ${type}, and not a static or shared library")
  endif()
endfunction()
