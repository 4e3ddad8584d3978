// SPDX-License-Identifier: Apache-2.0
#include <octavo/octavo.hpp>

using octavo::Box, octavo::Page;
// sample 4
void PageDevice::write(const Page&, std::size_t) {}
Page PageDevice::read(std::size_t, int) { return Page(8); }
double ArrayPageDevice::sum(std::size_t) { return 0; }
double ArrayPageDevice::sum(Box) { return 0; }
template <class V>
V ArrayPageDevice::at(std::size_t) {
  return V();
}

void sample(const octavo::remote_ptr<ArrayPageDevice>& device, const Box& box) {
  // sample
}
