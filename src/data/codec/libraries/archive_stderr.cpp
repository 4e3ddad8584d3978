// SPDX-License-Identifier: Apache-2.0
// Where Debian's archive of c-blosc says what is wrong. It is compiled for programs, and takes `stderr` for a variable of the program itself; in a shared
// library, as a wheel has it, that is this one (--defsym in sources_codec.cmake).
#include <unistd.h>

#include <cstdio>

extern "C" {
[[gnu::visibility("hidden")]] std::FILE* octavo_archive_stderr = nullptr;  // NOLINT: the archive reads it

[[gnu::constructor]] static void open_archive_stderr() {
  octavo_archive_stderr = ::fdopen(STDERR_FILENO, "w");
  if (octavo_archive_stderr != nullptr) std::setvbuf(octavo_archive_stderr, nullptr, _IONBF, 0);
}
}
