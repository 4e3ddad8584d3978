// SPDX-License-Identifier: Apache-2.0
// What other processes write to standard error, or output, on its way to this process's own. Where that is a pipe or terminal that takes no more, the
// thread that passes it on does not wait: it leaves the text with the process that writes it, which waits, as it would without a process between.
//
// Threading: one thread at a time.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace octavo {

// This process's own standard error, or output.
class TextOut {
 public:
  explicit TextOut(int to = STDERR_FILENO) : to_(to) {}
  // All that was put is written; writes what has room now.
  [[nodiscard]] bool is_free();
  void put(std::string_view text);
  // Waits for room: the process ends.
  void finish();
  [[nodiscard]] int descriptor() const noexcept { return to_; }

 private:
  int to_;
  std::string kept_;
};

// The last lines a process wrote: passed on, and kept for its obituary.
class ErrorLines {
 public:
  // What is there now, as long as `to` is free. False at the end.
  bool pass_on(int from, TextOut& to);
  // The process is dead: `to` keeps what does not fit.
  void pass_on_last(int from, TextOut& to);
  [[nodiscard]] std::string last() const;

 private:
  enum class came : std::uint8_t { some, nothing, end };
  came read_some(int from, TextOut& to);
  static constexpr std::size_t most_kept = 2048;
  std::string kept_;
};

}  // namespace octavo
