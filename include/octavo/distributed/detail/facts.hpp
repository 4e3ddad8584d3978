// SPDX-License-Identifier: Apache-2.0
// What a distributed array is, as it travels: each member finds its own part by it.
// Threading: a value.
#pragma once

#include <array>
#include <cstring>

#include "octavo/data/dtype.hpp"
#include "octavo/distributed/split.hpp"
#include "octavo/group/detail/membership.hpp"

namespace octavo {

// What lies beyond the edge of an array, as for the blocks of buffered arrays: the element at the edge; the array mirrored, with the edge twice; its other
// side; a value; nothing, so that what is in the border there stays.
enum class boundary : std::uint8_t { nearest, reflect, periodic, value, none };

enum class arithmetic : std::uint8_t { add, subtract, multiply, divide };
enum class reduction : std::uint8_t { sum, product, min, max };

namespace detail {

struct DistributedFacts {
  std::uint64_t id = 0;
  Shape shape;
  dtype type = dtype::float64;
  Split split;
  Founding group;
  std::vector<std::string> hosts;          // of the members, by index
  [[nodiscard]] std::string text() const;  // "distributed array 3f2a of 100 x 100 float64, split 4 x 1"
  template <class Archive>
  void serialize(Archive& archive) {
    archive(id, shape, type, split, group, hosts);
  }
};

// One number of the array's type, or of that of its sums: integers have 64 bits there.
struct Scalar {
  dtype type = dtype::float64;
  std::array<std::byte, 16> bytes{};
  template <class T>
  static Scalar of(T value) {
    Scalar made{dtype_of<T>(), {}};
    std::memcpy(made.bytes.data(), &value, sizeof value);
    return made;
  }
  template <class T>
  [[nodiscard]] T as() const {
    T value{};
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
};

}  // namespace detail
}  // namespace octavo
