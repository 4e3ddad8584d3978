// SPDX-License-Identifier: Apache-2.0
// One line on standard error for what a person should know and nothing needs to handle.
//
//   octavo::log_line("'/mnt/a' refuses O_DIRECT: reading it through the page cache");
//
// Threading: any thread; a line is written whole. OCTAVO_LOG=off silences it. What is told of a topic (log_about) is told where
// OCTAVO_LOG names it: OCTAVO_LOG=roads.
#pragma once

#include <string_view>

namespace octavo {

void log_line(std::string_view text) noexcept;
bool is_logged(std::string_view topic) noexcept;
template <class Text>
void log_about(std::string_view topic, const Text& text) {
  if (is_logged(topic)) log_line(text());
}
// Once per process and text.
void log_once(std::string_view text);

}  // namespace octavo
