// SPDX-License-Identifier: Apache-2.0
// What was written to the pages of some disks, by whom and when, and what may be read there: the law of devices (D-1, D-4 to D-7) as a schedule holds it.
//
//   auto value = history.begin_write(cells, program, false);   // each value is written once
//   history.ended(value);                                      // its writer was told so
//   auto begun = history.now();  ...;  history.read(cell, value, begun);
//
// A cell is what is written and read as a whole. Two writes under way at once have no order; one that failed may be there or not.
// Threading: one at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace octavo::schedule {

class History {
 public:
  using Fail = std::function<void(const std::string& what)>;
  using Time = std::uint64_t;
  using Value = std::int32_t;  // 0: never written
  struct Write {
    std::size_t disk = 0;
    std::vector<std::size_t> cells;
    std::uint64_t program = 0;
    bool behind = false;  // and at its device
    bool failed = false, flushed = false;
    Time begun = 0, ended = open;
  };
  static constexpr Time open = std::numeric_limits<Time>::max();

  explicit History(Fail fail) : fail_(std::move(fail)) {}
  Time now() noexcept { return ++time_; }

  Value begin_write(std::size_t disk, std::vector<std::size_t> cells, std::uint64_t program);
  // The device has taken it, and writes it behind.
  void is_behind(Value value) { writes_[value].behind = true; }
  // Its writer heard that it is done, or that it failed.
  void ended(Value value);
  void threw(Value value, bool may);
  // A read of this cell that began then gave this.
  void read(std::size_t cell, Value value, Time begun);

  // The disk could not write it.
  void failed(Value value);
  // A flush of this program has run at its device.
  void flushed(std::size_t disk, std::uint64_t program, bool raised);
  void killed(std::size_t disk);

 private:
  // Whom the next flush of a disk is to tell that something is lost.
  struct ToHear {
    std::map<std::uint64_t, bool> programs;  // true: it must; false: it may
    bool next_must = false, next_may = false;
  };
  void lost(Write& write, bool must);

  const Fail fail_;
  Time time_ = 0;
  std::map<Value, Write> writes_;
  std::map<std::size_t, std::vector<Value>> cells_;
  std::map<std::size_t, ToHear> to_hear_;
};

}  // namespace octavo::schedule
