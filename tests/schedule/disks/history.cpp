// SPDX-License-Identifier: Apache-2.0
#include "schedule/disks/history.hpp"

#include <algorithm>
#include <utility>

namespace octavo::schedule {

History::Value History::begin_write(std::size_t disk, std::vector<std::size_t> cells, std::uint64_t program) {
  const auto value = static_cast<Value>(writes_.size() + 1);
  for (const auto cell : cells) cells_[cell].push_back(value);
  auto& write = writes_[value];
  write.disk = disk;
  write.cells = std::move(cells);
  write.program = program;
  write.begun = now();
  return value;
}

void History::ended(Value value) {
  auto& write = writes_.at(value);
  if (write.behind) {
    if (!write.failed) write.ended = now();
    return;
  }
  if (write.failed) fail_("D-7: a write was answered as done that the disk could not do");
  write.ended = now();
}

void History::threw(Value value, bool may) {
  auto& write = writes_.at(value);
  if (!may && (write.behind || !write.failed)) fail_("D-7: a write threw that the disk has done");
  if (std::exchange(write.failed, true)) return;
  write.ended = now();
}

void History::read(std::size_t cell, Value value, Time begun) {
  const auto ended = now();
  const auto& all = cells_[cell];
  if (value != 0 && std::ranges::find(all, value) == all.end()) return fail_("D-1: a read gave " + std::to_string(value) + ", which nobody wrote there");
  const Time was_begun = value == 0 ? 0 : writes_.at(value).begun, was_ended = value == 0 ? 0 : writes_.at(value).ended;
  if (was_begun > ended) return fail_("D-1: a read gave what was written after it");
  for (const auto later : all) {
    const auto& write = writes_.at(later);
    if (!write.failed && write.ended < begun && write.begun > was_ended)
      return fail_("D-1: a read of cell " + std::to_string(cell) + " gave " + std::to_string(value) + ", though " + std::to_string(later) +
                   " was written since");
  }
}

// Each of its flushes has that of the program itself, and whichever comes next.
void History::lost(Write& write, bool must) {
  auto& hear = to_hear_[write.disk];
  hear.programs[write.program] |= must;
  (must ? hear.next_must : hear.next_may) = true;
}

void History::failed(Value value) {
  auto& write = writes_.at(value);
  if (std::exchange(write.failed, true)) return;
  write.ended = now();
  if (write.behind) lost(write, true);
}

void History::flushed(std::size_t disk, std::uint64_t program, bool raised) {
  auto& hear = to_hear_[disk];
  const auto own = hear.programs.find(program);
  const bool own_may = own != hear.programs.end(), own_must = own_may && own->second;
  if (!raised && (own_must || hear.next_must))
    fail_("D-6: something that was written behind is lost, and the flush of program " + std::to_string(program) + " did not say so");
  if (raised && !own_may && !hear.next_must && !hear.next_may) fail_("D-6: a flush raised for nothing");
  hear.programs.erase(program);
  // With an error of its own it has perhaps not heard of another one.
  hear.next_may = raised && own_may && (hear.next_must || hear.next_may);
  hear.next_must = false;
  for (auto& [value, write] : writes_)
    if (write.behind && write.disk == disk && !write.failed) write.flushed = true;
}

void History::killed(std::size_t disk) {
  for (auto& [value, write] : writes_) {
    if (!write.behind || write.disk != disk || write.failed || write.flushed) continue;
    lost(write, write.ended != open);
    write.failed = true;
    write.ended = now();
  }
}

}  // namespace octavo::schedule
