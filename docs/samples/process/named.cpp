// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <octavo/process.hpp>
#include <string>

namespace ov = octavo;

struct PageDevice {
  PageDevice() = default;
  PageDevice(std::string, int, int) {}
  int size() const { return 0; }
  template <class Archive>
  void serialize(Archive&) {}
};
OCTAVO_REMOTE(PageDevice, size)

void sample() {
  // sample
}
