// SPDX-License-Identifier: Apache-2.0
#include <octavo/octavo.hpp>
#include <string>

using octavo::Page;
class PageDevice {
 public:
  PageDevice(std::string, int, int) {}
  void write(const Page&, std::size_t) {}
  Page read(std::size_t) { return Page(8); }
};
OCTAVO_REMOTE(PageDevice, write, read)
long checksum(PageDevice&, std::size_t) { return 0; }

void sample(const octavo::Machine& machine, const Page& page) {
  // sample
}
