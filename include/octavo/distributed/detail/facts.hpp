// SPDX-License-Identifier: Apache-2.0
// What a distributed array is, as it travels: each member finds its own part by it.
// Threading: a value.
#pragma once

#include "octavo/data/boundary.hpp"
#include "octavo/data/scalar.hpp"
#include "octavo/distributed/split.hpp"
#include "octavo/group/detail/membership.hpp"

namespace octavo {

enum class arithmetic : std::uint8_t { add, subtract, multiply, divide };
// any, all: of elements that are not zero, 1 or 0 of uint8. squares: of the distances from the mean, in double; of all elements only.
enum class reduction : std::uint8_t { sum, product, min, max, any, all, squares };

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

}  // namespace detail
}  // namespace octavo
