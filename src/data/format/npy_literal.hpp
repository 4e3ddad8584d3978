// SPDX-License-Identifier: Apache-2.0
// The Python dictionary in a .npy header, read without evaluating anything: strings, True, False and tuples of integers are known.
#pragma once

#include <string>
#include <string_view>

#include "octavo/data/box.hpp"

namespace octavo {

struct NpyLiteral {
  std::string descr;
  bool fortran_order = false;
  Shape shape;
};

NpyLiteral parse_npy_literal(std::string_view text, const std::string& file);

}  // namespace octavo
