// SPDX-License-Identifier: Apache-2.0
// A device over a HeldDisk: a real one, but where its method would wait for the disk's thread, that waits as Turns has it, and what it has done is told to the
// History in the order of its methods.
// Threading: the thread that runs its methods.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <utility>

#include "octavo/data/page_device.hpp"
#include "schedule/disks/held_disk.hpp"

namespace octavo::schedule {

class Disks;

class HeldDevice : public StoredDevice {
 public:
  HeldDevice(Disks& world, std::size_t number, DeviceState made_from);
  future<ArrayPage> read(std::int64_t page, const Box& part, dtype as) override;
  future<void> write(ArrayPage data, std::int64_t page, const Box& part) override;
  future<void> write_behind(ArrayPage data, std::int64_t page, const Box& part) override;
  void prefetch(std::int64_t page, const Box& part, dtype as) override;
  future<void> flush() override;
  [[nodiscard]] DeviceState saved() const { return state(); }

 protected:
  std::function<std::unique_ptr<DiskQueue>(int entries)> queue_maker() override;

 private:
  // The method goes on when nothing that is written behind meets the part.
  void enter(std::int64_t page, const Box& part);
  void wait_for_disk();
  template <class Do>
  auto in_step(const Do& work);

  Disks& world_;
  const std::size_t number_;
  std::shared_ptr<HeldDisk> disk_ = std::make_shared<HeldDisk>();
  std::list<std::pair<std::int64_t, Box>> behind_;  // since nothing was under way
};
OCTAVO_REMOTE(HeldDevice, (StoredDevice), facts)

}  // namespace octavo::schedule
