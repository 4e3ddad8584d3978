// SPDX-License-Identifier: Apache-2.0
// One line on standard error for what a person should know and nothing needs to handle.
//
//   octavo::log_line("'/mnt/a' refuses O_DIRECT: reading it through the page cache");
//
// Threading: any thread; a line is written whole. OCTAVO_LOG=off silences it.
#pragma once

#include <string_view>

namespace octavo {

void log_line(std::string_view text) noexcept;
// Once per process and text.
void log_once(std::string_view text);

}  // namespace octavo
