// SPDX-License-Identifier: Apache-2.0
// A thread's share of a buffered array, by which it reads and writes elements while others do the same.
//
//   ov::BufferedArray<float, 2> w("w.npy", {n, n}, {.mode = "w", .threads = 4});
//   #pragma omp parallel num_threads(4)
//   {
//     auto mine = w.share();
//     #pragma omp for
//     for (std::int64_t i = 0; i < n; ++i) for (std::int64_t j = 0; j < n; ++j) mine[i][j] = 1;
//   }
//   w.writeback();
//
// It keeps some blocks where they are, so [] costs what it costs one thread. Of one block several threads may write different elements; each sees at once
// what the others wrote there, as in memory. A block is read before it is written to, for that reason.
// Contract: BA-8. Threading: one thread, and it ends before its array does. Failure: that of the array's [].
#pragma once

#include <memory>

#include "octavo/data/buffered/element.hpp"

namespace octavo {

// T is const where the array is.
template <class T, int N>
class BufferedShare {
 public:
  explicit BufferedShare(std::unique_ptr<detail::BlockSource> source) : source_(std::move(source)) {
    const detail::BlockTable found = source_->table();
    table_ = found;
  }
  // What it was moved from is none any more.
  BufferedShare(BufferedShare&& other) noexcept : source_(std::move(other.source_)), table_(std::exchange(other.table_, {})) {}
  BufferedShare& operator=(BufferedShare&& other) noexcept {
    source_ = std::move(other.source_);
    table_ = std::exchange(other.table_, {});
    return *this;
  }
  ~BufferedShare() = default;

  auto operator[](std::int64_t index) const { return Indexed<T, N>::next(table_, {}, index); }

 private:
  std::unique_ptr<detail::BlockSource> source_;
  detail::BlockTable table_;
};

}  // namespace octavo
