// SPDX-License-Identifier: Apache-2.0
#include "schedule/disks/held_device.hpp"

#include <algorithm>

#include "octavo/base/error.hpp"
#include "process/endpoint.hpp"
#include "schedule/disks/disks.hpp"

namespace octavo::schedule {

HeldDevice::HeldDevice(Disks& world, std::size_t number, DeviceState made_from) : world_(world), number_(number) {
  restore(std::move(made_from));
  (void)facts();  // its disk is made
  disk_->settle();
  world_.has(number_, disk_);
}

std::function<std::unique_ptr<DiskQueue>(int entries)> HeldDevice::queue_maker() {
  return [this](int) { return disk_->queue(); };
}

void HeldDevice::wait_for_disk() {
  world_.sleep_at(number_, [this] { return disk_->waiting() == 0; });
  behind_.clear();
}

void HeldDevice::enter(std::int64_t page, const Box& part) {
  world_.step_at(number_);
  if (std::ranges::any_of(behind_, [&](const auto& each) { return each.first == page && !each.second.intersect(part).empty(); })) wait_for_disk();
}

// Others go on when the disk's thread has taken up what was begun.
template <class Do>
auto HeldDevice::in_step(const Do& work) {
  auto result = work();
  disk_->settle();
  return result;
}

future<ArrayPage> HeldDevice::read(std::int64_t page, const Box& part, dtype as) {
  enter(page, part);
  return in_step([&] { return StoredDevice::read(page, part, as); });
}

future<void> HeldDevice::write(ArrayPage data, std::int64_t page, const Box& part) {
  enter(page, part);
  return in_step([&] { return StoredDevice::write(std::move(data), page, part); });
}

future<void> HeldDevice::write_behind(ArrayPage data, std::int64_t page, const Box& part) {
  enter(page, part);
  world_.history().is_behind(data.values<std::int32_t>()[0]);
  behind_.emplace_back(page, part);
  return in_step([&] { return StoredDevice::write_behind(std::move(data), page, part); });
}

void HeldDevice::prefetch(std::int64_t page, const Box& part, dtype as) {
  enter(page, part);
  StoredDevice::prefetch(page, part, as);
  disk_->settle();
}

future<void> HeldDevice::flush() {
  world_.step_at(number_);
  wait_for_disk();
  const auto program = detail::Endpoint::require().served().running_caller().agent;
  auto flushed = StoredDevice::flush();
  std::exception_ptr raised;
  try {
    flushed.get();
  } catch (const io_error&) {
    raised = std::current_exception();
  }
  world_.history().flushed(number_, program, raised != nullptr);
  promise<void> answer;
  auto result = answer.get_future();
  if (raised) answer.set_exception(raised);
  else answer.set_value();
  return result;
}

}  // namespace octavo::schedule
