// SPDX-License-Identifier: Apache-2.0
// Marks that the processes of a test set and wait for, in a file they all map: conditions that need neither messages nor time.
//
//   kit::Board board(path);            // the first makes it
//   board.set(3);   board.await(3);    // a mark stays set
//
// Threading: any thread of any process. Failure: std::system_error.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace octavo::kit {

class Board {
 public:
  static constexpr std::size_t marks = 16;
  explicit Board(const std::string& path);
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  void set(std::size_t mark);
  void await(std::size_t mark) const;

 private:
  std::atomic<std::uint32_t>* marks_;
};

}  // namespace octavo::kit
