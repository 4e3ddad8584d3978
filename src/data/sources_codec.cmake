# SPDX-License-Identifier: Apache-2.0
# The codecs. Each library is optional: what is encoded by a codec that is not built is read through Python.
target_sources(octavo PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/codec/chain.cpp
  ${CMAKE_CURRENT_LIST_DIR}/codec/checksum.cpp
  ${CMAKE_CURRENT_LIST_DIR}/codec/codec.cpp
  ${CMAKE_CURRENT_LIST_DIR}/codec/configuration.cpp
  ${CMAKE_CURRENT_LIST_DIR}/codec/crc32c.cpp
  ${CMAKE_CURRENT_LIST_DIR}/codec/encode_chunk.cpp
  ${CMAKE_CURRENT_LIST_DIR}/codec/fletcher32.cpp
  ${CMAKE_CURRENT_LIST_DIR}/codec/shuffle.cpp
  ${CMAKE_CURRENT_LIST_DIR}/codec/transpose.cpp
)
octavo_module(codecs ${CMAKE_CURRENT_LIST_DIR}/codec/libraries/module.cpp)
set(OCTAVO_CODECS libzstd libdeflate liblz4 liblzf blosc CACHE STRING "The libraries of codecs to use where they are there; fewer to try a build without them")
# octavo_codec(SOURCE DEFINITION MODULE [LIBRARY...]): a codec by the library that pkg-config calls MODULE. An archive of it (for a wheel) needs the others.
function(octavo_codec source definition module)
  if(module IN_LIST OCTAVO_CODECS)
    pkg_check_modules(${definition} IMPORTED_TARGET GLOBAL ${module})
    set(complete ${${definition}_FOUND})
  else()
    set(complete FALSE)
  endif()
  if(CMAKE_FIND_LIBRARY_SUFFIXES STREQUAL ".a")
    foreach(library ${ARGN})
      find_library(OCTAVO_ARCHIVE_${library} ${library})
      if(OCTAVO_ARCHIVE_${library})
        list(APPEND archives ${OCTAVO_ARCHIVE_${library}})
      else()
        set(complete FALSE)
      endif()
    endforeach()
  endif()
  if(complete)
    target_sources(octavo_codecs PRIVATE ${source})
    target_compile_definitions(octavo PRIVATE ${definition})
    target_compile_definitions(octavo_codecs PRIVATE ${definition})
    if(archives)  # behind the archive that needs them
      set_property(TARGET PkgConfig::${definition} APPEND PROPERTY INTERFACE_LINK_LIBRARIES ${archives} -lpthread)
    endif()
    target_link_libraries(octavo_codecs PRIVATE PkgConfig::${definition})
  else()
    message(STATUS "${module} is not there, or not wanted: what it would decode is read through Python")
  endif()
endfunction()
octavo_codec(${CMAKE_CURRENT_LIST_DIR}/codec/libraries/zstd.cpp OCTAVO_ZSTD libzstd)
octavo_codec(${CMAKE_CURRENT_LIST_DIR}/codec/libraries/deflate.cpp OCTAVO_DEFLATE libdeflate)
octavo_codec(${CMAKE_CURRENT_LIST_DIR}/codec/libraries/lz4.cpp OCTAVO_LZ4 liblz4)
octavo_codec(${CMAKE_CURRENT_LIST_DIR}/codec/libraries/lzf.cpp OCTAVO_LZF liblzf lzf)
octavo_codec(${CMAKE_CURRENT_LIST_DIR}/codec/libraries/blosc.cpp OCTAVO_BLOSC blosc lz4 snappy zstd z)
if(OCTAVO_BLOSC_FOUND AND CMAKE_FIND_LIBRARY_SUFFIXES STREQUAL ".a")
  target_sources(octavo_codecs PRIVATE ${CMAKE_CURRENT_LIST_DIR}/codec/libraries/archive_stderr.cpp)
  target_link_options(octavo_codecs PRIVATE -Wl,--defsym=stderr=octavo_archive_stderr)
endif()
