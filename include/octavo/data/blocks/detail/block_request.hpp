// SPDX-License-Identifier: Apache-2.0
// What is said of blocks (octavo/data/blocks/blocks.hpp), before anything is opened.
// Threading: values.
#pragma once

#include <complex>
#include <filesystem>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "octavo/base/bytes.hpp"
#include "octavo/data/boundary.hpp"
#include "octavo/data/open_array.hpp"
#include "octavo/data/scalar.hpp"

namespace octavo {

// What blocks are read from.
class BlockInput {
 public:
  BlockInput(Array array) : from_(std::move(array)) {}                          // NOLINT(google-explicit-constructor): blocks(u)
  BlockInput(std::string path) : from_(std::move(path)) {}                      // NOLINT(google-explicit-constructor)
  BlockInput(const char* path) : from_(std::string(path)) {}                    // NOLINT(google-explicit-constructor)
  BlockInput(const std::filesystem::path& path) : BlockInput(path.string()) {}  // NOLINT(google-explicit-constructor)
  [[nodiscard]] const std::variant<Array, std::string>& from() const { return from_; }

 private:
  std::variant<Array, std::string> from_;
};

// How many elements around a block belong to its halo: on all sides, or on both sides along each axis.
struct HaloWidths {
  HaloWidths(std::int64_t on_all_sides = 0) : all(on_all_sides) {}                  // NOLINT(google-explicit-constructor)
  HaloWidths(const Shape& along_axes) : each(along_axes) {}                         // NOLINT(google-explicit-constructor)
  HaloWidths(std::initializer_list<std::int64_t> along_axes) : each(along_axes) {}  // NOLINT(google-explicit-constructor)
  std::int64_t all = 0;
  Shape each;  // none: `all`
};

// What lies there beyond the edge: as boundary says, or a number.
struct BeyondEdge {
  BeyondEdge(boundary as = boundary::nearest) : how(as) {}  // NOLINT(google-explicit-constructor)
  template <class T>
    requires(std::is_arithmetic_v<T>)
  BeyondEdge(T number) : how(boundary::value), value(detail::Scalar::of(static_cast<widest<T>>(number))) {}  // NOLINT(google-explicit-constructor)
  template <class T>
  BeyondEdge(std::complex<T> number) : how(boundary::value), value(detail::Scalar::of(std::complex<double>(number))) {}  // NOLINT(google-explicit-constructor)
  boundary how = boundary::nearest;
  detail::Scalar value;

 private:
  template <class T>
  using widest = std::conditional_t<!std::is_integral_v<T>, double, std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;
};

namespace detail {

struct BlockRequest {
  std::vector<BlockInput> inputs;
  HaloWidths halo;
  BeyondEdge beyond;
  Shape chunks;             // none: chosen
  std::size_t workers = 0;  // 0: chosen
  std::int64_t memory = 256 * MiB;
};

}  // namespace detail

}  // namespace octavo
