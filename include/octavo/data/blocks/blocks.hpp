// SPDX-License-Identifier: Apache-2.0
// A function over the blocks of arrays, on several threads, within a bound of memory.
//
//   const auto f = [](const ov::HaloBlock<float>& a, const ov::HaloBlock<double>& b, ov::OutBlock<float>& out) { out(0) = a(-1) + float(b(1)); };
//   ov::blocks("u.npy", v)                                   // arrays of one shape: an ov::Array, or a path that open_array opens
//       .halo(1, ov::boundary::nearest)                      // or {1, 0}, by axis; beyond the edge also reflect, periodic, none, or a number
//       .chunks({4096}).workers(4).memory(1 * ov::GiB)       // what is not said is chosen
//       .map(f)                                              // what HaloBlock and OutBlock are: block.hpp
//       .into("w.zarr", {.stored = {.compressor = "zstd"}}); // an array that is made, of the same shape and of out's type; or into(w), one that is there
//
// The function's parameters say as which types the arrays are read (D-2 converts) and written. Each worker is a thread with a copy of the function; it reads
// its blocks itself, in any order. Blocks are pages of the array that is there, else of the first input, so that chunks are read and written whole. Workers
// are as many as there are cores, or as `memory` (256 MiB if it is not said) has room for.
// BL-1 The function has each block of the inputs once, with its halo as the arrays had it before anything is written, and what it gives is written once.
//      Elements that it leaves are 0. In place, so into an input, there is no halo.
// BL-2 What does not fit, by shape, type, halo or memory, is an error before anything is read or made. What lies in blocks and on the way takes no more than
//      `memory`; decoding takes what open_array gives its devices.
// BL-3 What the function throws ends it, as it is, and so does what a device throws. An array that is made has its name when all of it is on the disk, else
//      there is nothing at the path, or the old one; one that was there has then some blocks.
//
// Threading: a description is a value, and may be used again; into() from any thread. Failure: usage_error, refused (memory, a path in use), what devices
// throw.
#pragma once

#include <functional>
#include <string>
#include <type_traits>

#include "octavo/data/blocks/block_range.hpp"
#include "octavo/data/blocks/detail/block_call.hpp"

namespace octavo {

// Blocks and their function.
class MappedBlocks {
 public:
  MappedBlocks(detail::BlockRequest request, detail::BlockKinds kinds, std::function<void(const detail::BlockMemory*)> function)
      : request_(std::move(request)), kinds_(std::move(kinds)), function_(std::move(function)) {}
  // Returns when all is on the disk.
  void into(const Array& array) const;
  // `options`: as create_array has them; chunks are those of chunks(), else those of the first input.
  void into(const std::string& path, const NewArrayOptions& options = {}) const;

 private:
  detail::BlockRequest request_;
  detail::BlockKinds kinds_;
  std::function<void(const detail::BlockMemory*)> function_;
};

class Blocks {
 public:
  explicit Blocks(std::vector<BlockInput> inputs) : request_{.inputs = std::move(inputs), .halo = {}, .beyond = {}, .chunks = {}} {}

  // Each gives the same with that said.
  [[nodiscard]] Blocks halo(const HaloWidths& widths, const BeyondEdge& beyond = boundary::nearest) const;
  // The shape of the blocks, and of the chunks of an array that is made.
  [[nodiscard]] Blocks chunks(const Shape& chunks) const;
  [[nodiscard]] Blocks workers(std::size_t workers) const;
  [[nodiscard]] Blocks memory(std::int64_t bytes) const;

  // The blocks of one array themselves, one after the other: for a loop, or the source of a stream.
  template <class T, int axes = 0>
  [[nodiscard]] BlockRange<T, axes> as() const {
    return BlockRange<T, axes>(request_);
  }
  template <class F>
  [[nodiscard]] MappedBlocks map(F function) const {
    static_assert(stream::says_what_it_takes<F>,
                  "octavo::blocks: the function names the types of its blocks: [](const HaloBlock<float>& a, OutBlock<float>& out)");
    static_assert(std::is_copy_constructible_v<F>, "octavo::blocks: each worker has a copy of the function, and this one cannot be copied");
    if constexpr (stream::says_what_it_takes<F> && std::is_copy_constructible_v<F>) {
      using Call = detail::BlockCall<F>;
      static_assert(Call::fits(), "octavo::blocks: the function takes a const HaloBlock<T>& of each array, and an OutBlock<T>& behind them");
      if constexpr (Call::fits()) return MappedBlocks(request_, Call::kinds(), Call{std::move(function)});
    }
  }

 private:
  detail::BlockRequest request_;
};

template <std::convertible_to<BlockInput>... Inputs>
  requires(sizeof...(Inputs) > 0)
[[nodiscard]] Blocks blocks(const Inputs&... inputs) { return Blocks({BlockInput(inputs)...}); }

}  // namespace octavo
