// SPDX-License-Identifier: Apache-2.0
// Which of a program's environment variables are kept on the disk for an object with a name, to start it again: what programs and libraries are found
// by, the language, the clock, the threads, Octavo's own; and those that the program names in OCTAVO_KEEP_VARIABLES ("NAME,OTHER"). No others: a key
// or a password in a variable is nobody's but the program's.
//
//   auto kept = kept_variables({"PATH=/bin", "AWS_SECRET_ACCESS_KEY=..."});     // {"PATH=/bin"}
//
// Threading: any. What is kept of what was kept is the same again.
#pragma once

#include <string>
#include <vector>

namespace octavo {

std::vector<std::string> kept_variables(const std::vector<std::string>& all);

}  // namespace octavo
