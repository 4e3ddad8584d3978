// SPDX-License-Identifier: Apache-2.0
#include <octavo/stream.hpp>
#include <sstream>
#include <string>
#include <vector>

// sample

int main() {
  int words = 0;
  octavo::pipeline(std::vector<std::string>{"a b", "", "c"}, octavo::stage<Words>(), [&](const std::string&) { ++words; }).run();
  return words == 3 ? 0 : 1;
}
