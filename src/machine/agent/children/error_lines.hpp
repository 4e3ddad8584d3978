// SPDX-License-Identifier: Apache-2.0
// What the processes of an agent write to standard error, on its way to the agent's own. Where that is a pipe or terminal that takes no more, the
// agent's thread does not wait: it leaves the lines with the process that writes them, which waits, as it would without an agent between.
//
// Threading: the agent's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace octavo::agent {

// The agent's own standard error.
class StandardError {
 public:
  // All that was put is written; writes what has room now.
  [[nodiscard]] bool is_free();
  void put(std::string_view text);
  // Waits for room: the agent ends.
  void finish();

 private:
  std::string kept_;
};

// The last lines a process wrote: passed on, and kept for its obituary.
class ErrorLines {
 public:
  // What is there now, as long as `to` is free. False at the end.
  bool pass_on(int from, StandardError& to);
  // The process is dead: `to` keeps what does not fit.
  void pass_on_last(int from, StandardError& to);
  [[nodiscard]] std::string last() const;

 private:
  enum class came : std::uint8_t { some, nothing, end };
  came read_some(int from, StandardError& to);
  static constexpr std::size_t most_kept = 2048;
  std::string kept_;
};

}  // namespace octavo::agent
