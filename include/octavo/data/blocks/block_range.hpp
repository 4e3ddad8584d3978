// SPDX-License-Identifier: Apache-2.0
// The blocks of an array, one after the other.
//
//   for (const ov::HaloBlock<float>& a : ov::blocks("u.npy").halo(1).as<float>()) look_at(a);
//   const auto corner = [](const ov::HaloBlock<float>& a) { return a(0, 0); };
//   ov::pipeline(ov::blocks(u).chunks({64, 64}).as<float>(), ov::farm(corner).workers(4), [](float x) { std::cout << x << " "; }).run();
//
// A block has memory of its own, and lives as long as it is held; how many are under way in a stream its bounds say. Each begin() opens a path anew.
// Contract: BL-1 and BL-2, of which `memory` is for one block. Threading: a loop is of one thread. Failure: usage_error for several arrays; that of blocks().
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>

#include "octavo/data/blocks/block.hpp"
#include "octavo/data/blocks/detail/block_call.hpp"
#include "octavo/data/blocks/detail/block_request.hpp"

namespace octavo {

namespace detail {

// Where a loop over blocks stands.
class BlockReading {
 public:
  BlockReading(const BlockRequest& request, BlockKind kind);
  ~BlockReading();
  BlockReading(const BlockReading&) = delete;
  BlockReading& operator=(const BlockReading&) = delete;
  // The next block, and what holds its memory; null at the end.
  std::shared_ptr<const void> next(BlockMemory& block);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace detail

template <class T, int axes = 0>
class BlockRange {
 public:
  class iterator {
   public:
    using value_type = HaloBlock<T, axes>;
    using difference_type = std::ptrdiff_t;
    explicit iterator(std::unique_ptr<detail::BlockReading> reading) : reading_(std::move(reading)) { ++*this; }
    const value_type& operator*() const { return *block_; }
    iterator& operator++() {
      detail::BlockMemory memory;
      block_.reset();
      if (auto held = reading_->next(memory)) block_.emplace(memory, std::move(held));
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t /*end*/) const { return !block_; }

   private:
    std::unique_ptr<detail::BlockReading> reading_;
    std::optional<value_type> block_;
  };

  explicit BlockRange(detail::BlockRequest request) : request_(std::move(request)) {}
  [[nodiscard]] iterator begin() const { return iterator(std::make_unique<detail::BlockReading>(request_, detail::BlockKind{dtype_of<T>(), axes})); }
  [[nodiscard]] std::default_sentinel_t end() const { return {}; }

 private:
  detail::BlockRequest request_;
};

}  // namespace octavo
