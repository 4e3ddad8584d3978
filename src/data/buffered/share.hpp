// SPDX-License-Identifier: Apache-2.0
// A thread's share of the buffers: a table of its own, and blocks that stay in their buffers until this thread lets them go. So nobody takes an entry away from
// its table while it reads there, and what it has written it notes in bits of its own.
#pragma once

#include "data/buffered/buffers.hpp"

namespace octavo::detail {

class Buffers::Share : public BlockSource {
 public:
  explicit Share(Impl& impl);
  ~Share() override;
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;
  std::uintptr_t bring(Position at, bool to_write) override;
  [[nodiscard]] BlockTable table() override { return {entries_.get(), this, impl_.grid.axes()}; }

 private:
  struct Kept {
    std::int64_t block = -1;
    int buffer = -1;
    WrittenElements written;
  };
  [[nodiscard]] BlockEntry& entry(std::int64_t block) { return entries_.get()[block]; }
  Kept& keep(std::int64_t block);
  void let_go(Kept& kept) noexcept;

  Impl& impl_;
  const std::shared_ptr<BlockEntry> entries_;  // `buffer`: one more than the place in kept_
  std::vector<Kept> kept_;
  std::size_t next_ = 0;  // makes room
};

}  // namespace octavo::detail
