// SPDX-License-Identifier: Apache-2.0
#include "schedule/disks/program.hpp"

#include <algorithm>

#include "octavo/base/error.hpp"

namespace octavo::schedule {

namespace {

constexpr std::size_t most_open = 3;
constexpr auto page_count = static_cast<std::size_t>(2 * pages_of_device);

}  // namespace

template <class Do>
bool Disks::Program::unless_killed(const Do& work) {
  try {
    work();
    world_.turns_.something_done();
    return true;
  } catch (const error& e) {
    if (e.kind() != error_kind::gone || world_.over_) throw;
    if (world_.killed_ == 0) world_.fail(std::string("nobody was killed, but: ") + e.what());
    array_ = world_.open();
    return false;
  }
}

void Disks::Program::run() {
  mine_.endpoint->context().serve_here();
  mine_.endpoint->sender().background()->end();
  (void)mine_.endpoint->poller().waiters().try_read();
  array_ = world_.open();
  for (int i = 0; i < world_.options_.actions && world_.failure_.empty(); ++i) {
    world_.turns_.step();
    act();
  }
  end_all();
  ++world_.rest_;
  world_.turns_.sleep([this] { return world_.over_ || world_.rest_ == world_.programs_.size(); }, road::never);
  world_.calm_ = true;
  for (std::size_t device = 0; device < array_.devices().size(); ++device)
    for (int tries = 0; !flush(device); ++tries)
      if (tries > 2 * world_.options_.kills + 4) return world_.fail("D-6: flushes go on to raise");
  for (std::size_t page = 0; page < page_count; ++page) read(part(page, 0)), end_all();
}

Disks::Program::Part Disks::Program::part(std::size_t page, std::uint64_t which) const {
  const auto first = static_cast<std::int64_t>(page) * page_shape[0], half = page_shape[0] / 2;
  const auto device = page % array_.devices().size();
  if (which == 1) return {device, {2 * page}, {{first, 0}, {first + half, page_shape[1]}}};
  if (which == 2) return {device, {2 * page + 1}, {{first + half, 0}, {first + 2 * half, page_shape[1]}}};
  return {device, {2 * page, 2 * page + 1}, {{first, 0}, {first + 2 * half, page_shape[1]}}};
}

Disks::Program::Part Disks::Program::any_part() {
  const auto page = world_.turns_.draw(page_count);
  return part(page, world_.turns_.draw(4));
}

void Disks::Program::act() {
  const auto kind = world_.turns_.draw(13);
  if (kind < 3) write(any_part());
  else if (kind < 6) write_behind(any_part());
  else if (kind < 9) read(any_part());
  else if (kind < 11) prefetch(any_part());
  else if (kind < 12) (void)flush(world_.turns_.draw(array_.devices().size()));
  else if (writes_.size() + reads_.size() != 0) end_one(world_.turns_.draw(writes_.size() + reads_.size()));
  while (writes_.size() + reads_.size() > most_open) end_one(world_.turns_.draw(writes_.size() + reads_.size()));
}

ArrayPage Disks::Program::filled(const Part& part, History::Value with) {
  ArrayPage block(dtype::int32, part.box.extents());
  std::ranges::fill(block.values<std::int32_t>(), with);
  return block;
}

void Disks::Program::write(const Part& part) {
  const auto value = begin_write(part);
  if (!unless_killed([&] { writes_.push_back({value, array_.start_write(part.box, filled(part, value))}); })) world_.history_.threw(value, true);
}

void Disks::Program::write_behind(const Part& part) {
  const auto value = begin_write(part);
  const auto killed = world_.devices_[part.device].killed;
  bool is_done = false;
  unless_killed([&] {
    array_.write_behind(part.box, filled(part, value));
    is_done = true;
  });
  // That of a device that was killed before it began, and of none else, was perhaps never taken.
  if (is_done && killed == world_.devices_[part.device].killed) world_.history_.ended(value);
  else world_.history_.threw(value, true);
}

void Disks::Program::read(const Part& part) {
  unless_killed([&] {
    const auto begun = world_.history_.now();
    auto tiles = array_.start_read(part.box, dtype::int32);
    reads_.push_back({part, begun, std::move(tiles.front().block)});
  });
}

void Disks::Program::prefetch(const Part& part) {
  unless_killed([&] { array_.prefetch(part.box, dtype::int32); });
}

bool Disks::Program::flush(std::size_t device) {
  bool raised = true;
  unless_killed([&] {
    try {
      array_.devices()[device]->flush();
      raised = false;
    } catch (const io_error&) {  // the History knows whether it should
    }
  });
  return !raised;
}

void Disks::Program::end(Writing& one) {
  bool threw = true;
  const bool lives = unless_killed([&] {
    try {
      one.done.get();
      threw = false;
    } catch (const io_error&) {}
  });
  if (threw) world_.history_.threw(one.value, !lives);
  else world_.history_.ended(one.value);
}

void Disks::Program::end(Reading& one) {
  unless_killed([&] {
    const auto block = one.block.get();
    const auto values = block.values<std::int32_t>();
    const auto of_cell = values.size() / one.part.cells.size();
    for (std::size_t i = 0; i < one.part.cells.size(); ++i)
      for (const auto at : {std::size_t{0}, of_cell / 2, of_cell - 1}) world_.history_.read(one.part.cells[i], values[i * of_cell + at], one.begun);
  });
}

void Disks::Program::end_one(std::size_t at) {
  if (at < writes_.size()) {
    auto one = std::move(writes_[at]);
    writes_.erase(writes_.begin() + static_cast<std::ptrdiff_t>(at));
    return end(one);
  }
  at -= writes_.size();
  auto one = std::move(reads_[at]);
  reads_.erase(reads_.begin() + static_cast<std::ptrdiff_t>(at));
  end(one);
}

void Disks::Program::end_all() {
  while (writes_.size() + reads_.size() != 0) end_one(0);
}

}  // namespace octavo::schedule
