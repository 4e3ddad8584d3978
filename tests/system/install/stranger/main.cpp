// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <octavo/base/bytes.hpp>
#include <octavo/base/error.hpp>
#include <octavo/data/box.hpp>

int main() {
  octavo::Shape shape{1024, 512, 512};
  std::cout << shape.text() << " complex numbers: " << octavo::format_bytes(shape.count() * 16) << "\n";
  try {
    octavo::parse_bytes("much");
  } catch (const octavo::usage_error& e) {  // caught by its type across the library's boundary
    std::cout << e.what() << "\n";
  }
}
