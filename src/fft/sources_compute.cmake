# SPDX-License-Identifier: Apache-2.0
# The computing and planning half of fft/, and the libraries of one-dimensional transforms.
target_sources(octavo PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/kernel/check.cpp
  ${CMAKE_CURRENT_LIST_DIR}/kernel/choose.cpp
  ${CMAKE_CURRENT_LIST_DIR}/row_copy.cpp
  ${CMAKE_CURRENT_LIST_DIR}/tile_transform.cpp
  ${CMAKE_CURRENT_LIST_DIR}/plan/plan.cpp
  ${CMAKE_CURRENT_LIST_DIR}/plan/budget.cpp
  ${CMAKE_CURRENT_LIST_DIR}/plan/candidates.cpp
  ${CMAKE_CURRENT_LIST_DIR}/plan/geometry.cpp
  ${CMAKE_CURRENT_LIST_DIR}/plan/layout.cpp
  ${CMAKE_CURRENT_LIST_DIR}/plan/search.cpp
  ${CMAKE_CURRENT_LIST_DIR}/plan/text.cpp)

if(OCTAVO_FFTW)
  pkg_check_modules(FFTW3 REQUIRED IMPORTED_TARGET fftw3)
  pkg_check_modules(FFTW3F REQUIRED IMPORTED_TARGET fftw3f)
  octavo_module(fftw ${CMAKE_CURRENT_LIST_DIR}/kernel/fftw.cpp LIBRARIES PkgConfig::FFTW3 PkgConfig::FFTW3F)
  target_compile_definitions(octavo PRIVATE OCTAVO_HAVE_FFTW)
endif()

# kissfft.hh is a header for both precisions; Debian's library is single precision only, and not needed. With FFTW it is built too where it is
# found, so that the conformance suite runs on both.
find_path(KISSFFT_INCLUDE_DIR kissfft.hh PATH_SUFFIXES kissfft)
if(KISSFFT_INCLUDE_DIR)
  target_sources(octavo PRIVATE ${CMAKE_CURRENT_LIST_DIR}/kernel/kissfft.cpp)
  target_include_directories(octavo SYSTEM PRIVATE ${KISSFFT_INCLUDE_DIR})
  target_compile_definitions(octavo PRIVATE OCTAVO_HAVE_KISSFFT)
  # Without it, every complex product checks for infinities.
  set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/kernel/kissfft.cpp TARGET_DIRECTORY octavo PROPERTIES COMPILE_OPTIONS -fcx-limited-range)
elseif(NOT OCTAVO_FFTW)
  message(FATAL_ERROR "OCTAVO_FFTW is OFF and kissfft.hh was not found: install libkissfft-dev, or build with OCTAVO_FFTW=ON")
endif()
