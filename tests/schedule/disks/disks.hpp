// SPDX-License-Identifier: Apache-2.0
// Programs that read, write, flush and read ahead an array whose devices have names: each device restarts from what it saved when it is killed, its disk moves
// one transfer at a time when the seed says so, and fails some.
//
//   Disks disks(seed, {.programs = 2, .kills = 2, .faults = true});
//   disks.run();
//   EXPECT_EQ(disks.failure(), "");
//
// What is held: what the History says, and that nothing waits that could go on. Whole endpoints and devices, without agents.
// Threading: run() by one thread; the rest by those of its Turns.
#pragma once

#include <deque>
#include <filesystem>
#include <memory>
#include <string>

#include "kit/bare/machine.hpp"
#include "octavo/data/array.hpp"
#include "process/endpoint.hpp"
#include "schedule/disks/held_device.hpp"
#include "schedule/disks/history.hpp"
#include "schedule/turns.hpp"
#include "schedule/turns_clock.hpp"

namespace octavo::schedule {

inline constexpr std::int64_t pages_of_device = 2;
inline const Shape page_shape{4, 1024};

struct DisksOptions {
  unsigned programs = 2;
  int actions = 40;     // of each program
  int kills = 0;        // of devices, at most
  bool faults = false;  // transfers fail
};

class Disks {
 public:
  Disks(std::uint64_t seed, const DisksOptions& options);
  ~Disks();
  Disks(const Disks&) = delete;
  Disks& operator=(const Disks&) = delete;
  void run();
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }
  [[nodiscard]] std::uint64_t steps() const noexcept { return turns_.steps(); }

  // --- the devices' ---
  void has(std::size_t device, std::shared_ptr<HeldDisk> disk) { devices_[device].disk = std::move(disk); }
  // Both throw where the device is killed meanwhile.
  void step_at(std::size_t device);
  void sleep_at(std::size_t device, const std::function<bool()>& ready);
  [[nodiscard]] History& history() noexcept { return history_; }

 private:
  class Program;
  struct Host {
    explicit Host(kit::BareSurroundings& its, Turns& turns) : around(its), clock(turns) { around.clock = &clock; }
    kit::BareSurroundings& around;
    TurnsClock clock;
    std::unique_ptr<detail::Endpoint> endpoint;
  };
  struct Device {
    DeviceState state;
    std::shared_ptr<HeldDisk> disk;  // of this life
    std::deque<Host> lives;          // the last one is this
    std::unique_ptr<detail::ObjectLife> life;
    bool alive = false, dead = false;
    std::uint64_t killed = 0;
  };
  class Life;

  void fail(const std::string& what);
  Host& host(std::deque<Host>& all, std::uint64_t agent);
  void serve(std::size_t number);
  void move();
  [[nodiscard]] bool can_move();
  void at_each_step();
  void kill(std::size_t number);
  void end_all();
  // With the devices as they live now.
  [[nodiscard]] Array open();

  const DisksOptions options_;
  Turns turns_;
  const std::uint64_t faulty_, killing_;  // how seldom a transfer fails, and a device is killed
  const std::filesystem::path folder_;
  kit::BareMachine machine_;
  History history_;
  std::deque<Device> devices_;
  std::deque<Host> programs_;
  int killed_ = 0;
  unsigned rest_ = 0, ended_ = 0;     // of the programs
  bool over_ = false, calm_ = false;  // nothing fails any more
  std::string failure_;
};

}  // namespace octavo::schedule
