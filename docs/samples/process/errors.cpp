// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <octavo/octavo.hpp>
#include <stdexcept>

// sample 2

class Storage {
 public:
  void write(const octavo::Page&, std::size_t) {}
};
OCTAVO_REMOTE(Storage, write)
void repair();

void sample(const octavo::remote_ptr<Storage>& storage, const octavo::Page& page) {
  // sample
}
