# SPDX-License-Identifier: Apache-2.0
# Included at the end of project() (CMAKE_PROJECT_INCLUDE) for a wheel: what it needs of liburing, SQLite, OpenSSL, the codecs and FFTW is linked into it, and
# what is left to the machine is in the versions of OCTAVO_SYSROOT (sysroot.py).
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(OPENSSL_USE_STATIC_LIBS TRUE)
# Nobody else sees what came out of archives: another SQLite or OpenSSL in the same process is not mixed with ours.
set(flags " -B${OCTAVO_SYSROOT}/ -L${OCTAVO_SYSROOT} -Wl,--exclude-libs,ALL")
string(APPEND CMAKE_SHARED_LINKER_FLAGS "${flags} -Wl,-z,defs")
string(APPEND CMAKE_MODULE_LINKER_FLAGS "${flags}")
# This machine's libgcc_s.so.1 asks for more of glibc than the stubs have. It is not part of the wheel.
string(APPEND CMAKE_EXE_LINKER_FLAGS "${flags} -Wl,--allow-shlib-undefined")
