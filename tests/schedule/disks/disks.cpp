// SPDX-License-Identifier: Apache-2.0
#include "schedule/disks/disks.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "data/device/device_state.hpp"
#include "octavo/base/error.hpp"
#include "schedule/disks/program.hpp"

namespace octavo::schedule {

namespace {

constexpr std::uint64_t home = 17, first_program = 100;
constexpr std::size_t device_count = 2;
constexpr std::int64_t cache_bytes = 20 << 10;  // not two pages

std::uint64_t one_of(Turns& turns, std::array<std::uint64_t, 3> choices) { return choices[turns.draw(choices.size())]; }

}  // namespace

// What an object with a name has instead of a file for its state.
class Disks::Life final : public detail::ObjectLife {
 public:
  Life(Disks& world, std::size_t number) : world_(world), number_(number) {}
  bool begin(std::unique_ptr<detail::Hosted>& object) override {
    object = std::make_unique<detail::HostedAs<HeldDevice>>(world_, number_, world_.devices_[number_].state);
    return true;
  }
  void constructed(detail::Hosted&) override {}
  void constructor_threw() override {}
  void never_constructed() override {}
  void destroyed() override {}
  void save(detail::Hosted& object) override { world_.devices_[number_].state = static_cast<HeldDevice*>(object.get())->saved(); }
  [[nodiscard]] bool asks_before_reply() const override { return false; }
  void before_reply(detail::Hosted&, bool) override {}
  [[nodiscard]] road::Deadline idle_at(bool) const override { return road::never; }
  void idles() override {}
  void passivate(detail::Hosted*) override {}

 private:
  Disks& world_;
  const std::size_t number_;
};

Disks::Disks(std::uint64_t seed, const DisksOptions& options)
    : options_(options),
      turns_(seed),
      faulty_(one_of(turns_, {3, 10, 50})),
      killing_(one_of(turns_, {30, 100, 300})),
      folder_(std::filesystem::temp_directory_path() / ("octavo-disks-" + std::to_string(::getpid()))),
      history_([this](const std::string& what) { fail(what); }) {
  std::filesystem::create_directories(folder_);
  turns_.on_step = [this] { at_each_step(); };
  turns_.on_stuck = [this] {
    fail("something waits, and nothing goes on");
    end_all();
  };
  for (std::size_t i = 0; i < device_count; ++i) {
    const auto storage = create_storage(storage_format::page_file, (folder_ / std::to_string(i)).string(),
                                        Shape{pages_of_device * page_shape[0], page_shape[1]}, page_shape, dtype::int32);
    devices_.emplace_back().state = {storage, page_shape, {.staging_bytes = MiB, .cache_bytes = cache_bytes}, file_id_of(storage), {}};
  }
  for (unsigned i = 0; i < options.programs; ++i) {
    auto& made = host(programs_, first_program + i);
    made.endpoint = std::make_unique<detail::Endpoint>(made.around.around(), runtime_reach::scope, detail::FeatureList{});
  }
}

Disks::~Disks() { std::filesystem::remove_all(folder_); }

Disks::Host& Disks::host(std::deque<Host>& all, std::uint64_t agent) {
  auto& around = machine_.add();
  around.self.address.agent = agent;
  return all.emplace_back(around, turns_);
}

void Disks::fail(const std::string& what) {
  if (failure_.empty()) failure_ = what + " (step " + std::to_string(turns_.steps()) + ")";
}

void Disks::run() {
  std::vector<std::function<void()>> bodies;
  for (auto& each : programs_)
    bodies.emplace_back([this, &each] {
      const detail::Endpoint::Use mine(*each.endpoint);
      try {
        Program(*this, each).run();
      } catch (const std::exception& e) {
        if (!over_) fail(std::string("a program ended by: ") + e.what());
      }
      if (++ended_ == programs_.size() || !failure_.empty()) end_all();
    });
  for (std::size_t i = 0; i < devices_.size(); ++i) bodies.emplace_back([this, i] { serve(i); });
  bodies.emplace_back([this] { move(); });
  turns_.run(bodies);
  for (auto& each : programs_) each.endpoint->end();
}

// One life after the other.
void Disks::serve(std::size_t number) {
  auto& device = devices_[number];
  while (!over_) {
    auto& life = host(device.lives, home);
    life.endpoint = std::make_unique<detail::Endpoint>(life.around.around(), runtime_reach::scope, detail::FeatureList{});
    const detail::Endpoint::Use mine(*life.endpoint);
    life.endpoint->sender().background()->end();  // its thread is none of the Turns; what it does this thread does when it reads
    device.life = std::make_unique<Life>(*this, number);
    life.endpoint->server().set_life(*device.life);
    device.dead = false;
    device.alive = true;
    try {
      life.endpoint->serve();
    } catch (const std::exception& e) {
      if (!over_) fail(std::string("a device ended by: ") + e.what());
    }
    device.disk->drop([&] { return !device.dead || turns_.one_in(2); });
    life.endpoint->end();
  }
}

bool Disks::can_move() {
  return std::ranges::any_of(devices_, [](const Device& each) { return each.alive && each.disk != nullptr && each.disk->waiting() != 0; });
}

void Disks::move() {
  while (!over_) {
    turns_.sleep([this] { return over_ || can_move(); }, road::never);
    turns_.step();
    if (over_ || !can_move()) continue;
    auto* device = &devices_[turns_.draw(devices_.size())];
    while (!device->alive || device->disk == nullptr || device->disk->waiting() == 0) device = &devices_[turns_.draw(devices_.size())];
    const auto at = turns_.draw(device->disk->waiting());
    const auto value = device->disk->written_by(at);
    const bool fails = value != 0 && options_.faults && !calm_ && turns_.one_in(faulty_);
    if (fails) history_.failed(value);
    device->disk->end(at, fails ? HeldDisk::outcome::fails : HeldDisk::outcome::done);
    turns_.something_done();
    turns_.something_happened();
  }
}

void Disks::at_each_step() {
  if (over_ || calm_ || killed_ >= options_.kills || !turns_.one_in(killing_)) return;
  const auto at = turns_.draw(devices_.size());
  if (devices_[at].alive && devices_[at].disk != nullptr) kill(at);
}

// Its thread, which serves, ends this life and begins the next.
void Disks::kill(std::size_t number) {
  auto& device = devices_[number];
  ++killed_;
  ++device.killed;
  device.alive = false;
  device.dead = true;
  history_.killed(number);
  auto& around = device.lives.back().around;
  machine_.kill(around);
  around.links.lose_agent();
}

void Disks::step_at(std::size_t device) {
  turns_.step();
  if (devices_[device].dead) throw gone_error("this device was killed");
}

void Disks::sleep_at(std::size_t device, const std::function<bool()>& ready) {
  turns_.sleep([&] { return over_ || devices_[device].dead || ready(); }, road::never);
  if (over_ || devices_[device].dead) throw gone_error("this device was killed");
}

Array Disks::open() {
  turns_.sleep([this] { return over_ || std::ranges::all_of(devices_, [](const Device& each) { return each.alive; }); }, road::never);
  if (over_) throw gone_error("the world ends");
  std::vector<remote_ptr<PageDevice>> devices;
  for (const auto& each : devices_) devices.emplace_back(remote_ptr<HeldDevice>(each.lives.back().around.self.address));
  const auto pages = static_cast<std::int64_t>(device_count) * pages_of_device;
  return {Shape{pages * page_shape[0], page_shape[1]}, page_shape, dtype::int32, std::move(devices)};
}

void Disks::end_all() {
  over_ = true;
  for (auto& each : programs_) each.around.links.lose_agent();
  for (auto& each : devices_)
    if (!each.lives.empty()) each.lives.back().around.links.lose_agent();
  turns_.release_all();
}

}  // namespace octavo::schedule
