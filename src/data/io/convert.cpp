// SPDX-License-Identifier: Apache-2.0
#include "data/io/convert.hpp"

#include <string>

#include "octavo/base/error.hpp"

namespace octavo {

Converter::Converter(ElementForm from, ElementForm to)
    : copy_(detail::row_copy(from, to)),
      from_bytes_(size_of(from.type)),
      to_bytes_(size_of(to.type)),
      changes_(from.type != to.type || (from.order != to.order && size_of(from.type) > 1)) {
  if (copy_ != nullptr) return;
  std::string pair = std::string(name_of(from.type)) + " to " + std::string(name_of(to.type));
  throw not_supported("converting " + pair, is_complex(from.type) ? "Choose a complex type: the imaginary part would be lost"
                                                                  : "Choose the same type, or float32, float64, complex64 or complex128");
}

// Rows that lie in one piece on both sides are moved many at a time.
void Converter::box(std::byte* to, const Shape& to_strides, const std::byte* from, const Shape& from_strides, const Shape& extents) const {
  const int dims = extents.size();
  if (dims == 0) return rows(to, 0, from, 0, 1, 1);
  const bool in_pieces = dims > 1 && to_strides[dims - 1] == to_bytes_ && from_strides[dims - 1] == from_bytes_;
  const int last = in_pieces ? dims - 2 : dims - 1;
  Shape outer;
  for (int axis = 0; axis < last; ++axis) outer.push_back(extents[axis]);
  for_each_index(outer, [&](const Shape& index) {
    std::int64_t to_at = 0, from_at = 0;
    for (int axis = 0; axis < last; ++axis) {
      to_at += index[axis] * to_strides[axis];
      from_at += index[axis] * from_strides[axis];
    }
    rows(to + to_at, to_strides[last], from + from_at, from_strides[last], extents[last], in_pieces ? extents[dims - 1] : 1);
  });
}

std::vector<std::byte> converted_element(const std::vector<std::byte>& element, dtype from, dtype to) {
  if (static_cast<std::int64_t>(element.size()) != size_of(from))
    throw usage_error("an element of " + std::string(name_of(from)) + " has " + std::to_string(size_of(from)) + " bytes, not " +
                      std::to_string(element.size()));
  std::vector<std::byte> result(static_cast<std::size_t>(size_of(to)));
  Converter({from}, {to}).rows(result.data(), 0, element.data(), 0, 1, 1);
  return result;
}

}  // namespace octavo
