// SPDX-License-Identifier: Apache-2.0
// What a loop that writes elements notes of each: a bit; or, of those that lie side by side, where the run of them begins and ends, which costs less.
//
//   entry.written->add(place);      // the place of an element from the array's first one on
//   marks.settle();                 // now each of them has its bit
//
// A bit is set by reading its word and writing it back, so the next element would wait for this one. The end of a run is only compared with, and written.
// Values. Threading: one thread. Failure: none.
#pragma once

#include <cstdint>

namespace octavo::detail {

struct WrittenMarks {
  std::uint64_t* words = nullptr;     // a bit for each element, less the place of the block's corner in whole words
  std::int64_t first = -1, end = -1;  // of the run: places whose bits are not set yet

  void add(std::int64_t place) noexcept {
    if (end == place) [[likely]]
      end = place + 1;
    else apart(place);
  }
  void settle() noexcept;

 private:
  void apart(std::int64_t place) noexcept {
    if (first != end) [[unlikely]]
      settle();
    words[place >> 6] |= std::uint64_t{1} << (place & 63);
    first = end = place + 1;
  }
};

}  // namespace octavo::detail
