// SPDX-License-Identifier: Apache-2.0
// What a call costs on each place and so on each road (thread, shm, net): the round trip of one that does nothing, and started calls a second
// in windows of 1000. Also of an object in which a thread of its own waits at a mailbox, and by a program in which one does: there the thread that
// runs methods takes the reader's role back, here the thread that has it wakes the one that calls.
// The limit, in the same run and turn about: two processes that hand a cache line to and fro, both spinning.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <octavo/message.hpp>
#include <octavo/process.hpp>
#include <system_error>
#include <thread>
#include <vector>

#include "kit/clock.hpp"
#include "kit/limits.hpp"
#include "kit/report.hpp"

namespace {

constexpr int rounds = 11;
constexpr int calls = 5000;
constexpr int window = 1000;
constexpr int windows = 10;

class Nothing {
 public:
  void nothing() {}
};
OCTAVO_REMOTE(Nothing, nothing)

class Listening {
 public:
  Listening() : thread_([this] { static_cast<void>(box_.retrieve()); }) {}
  ~Listening() { box_.post(0); }
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;
  void nothing() {}

 private:
  octavo::Mailbox<int> box_{"the thread's"};
  std::jthread thread_;
};
OCTAVO_REMOTE(Listening, nothing)

template <class Object>
double round_trip(const octavo::remote_ptr<Object>& object) {
  auto begin = bench::Clock::now();
  for (int i = 0; i < calls; ++i) object->nothing();
  return bench::seconds_since(begin) / calls;
}

template <class Object>
double started_per_second(const octavo::remote_ptr<Object>& object) {
  std::vector<octavo::future<void>> open;
  open.reserve(window);
  auto begin = bench::Clock::now();
  for (int i = 0; i < windows; ++i) {
    for (int k = 0; k < window; ++k) open.push_back(octavo::start(object)->nothing());
    for (auto& each : open) each.get();
    open.clear();
  }
  return windows * window / bench::seconds_since(begin);
}

// While another thread of this program waits.
template <class Measure>
double beside_a_waiting_thread(const Measure& measure) {
  octavo::Mailbox<int> box("the program's thread's");
  const std::jthread waits([&box] { static_cast<void>(box.retrieve()); });
  const double figure = measure();
  box.post(0);
  return figure;
}

struct Road {
  template <class Object>
  Road(std::string what, std::string way, octavo::remote_ptr<Object> object)
      : name(std::move(what)), road(std::move(way)), trip([object] { return round_trip(object); }), rate([object] { return started_per_second(object); }) {}
  std::string name, road;
  std::function<double()> trip, rate;
  std::vector<double> trips = {}, rates = {};
};

}  // namespace

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  auto home = fs::temp_directory_path() / ("octavo-bench-call-" + std::to_string(::getpid()));
  octavo::Runtime runtime(argc, argv, {.engine = octavo::played({"box"}, home.string())});
  try {
    auto file = bench::json_file(argc, argv);
    std::vector<Road> roads{{"", "shm", octavo::process.make<Nothing>()},
                            {" to one whose thread waits", "shm", octavo::process.make<Listening>()},
                            {" on a thread", "thread", octavo::thread.make<Nothing>()},
                            {" on a played machine", "net", runtime.machine("box").make<Nothing>()}};
    roads.push_back(roads.front());
    roads.back().name = " by a program whose thread waits";
    roads.back().trip = [trip = roads.front().trip] { return beside_a_waiting_thread(trip); };
    roads.back().rate = [rate = roads.front().rate] { return beside_a_waiting_thread(rate); };
    std::vector<double> limits;
    for (const auto& each : roads) each.trip();  // warms the connection up
    for (int i = 0; i < rounds; ++i) {
      limits.push_back(2 * bench::line_between_processes() * 1e6);
      for (auto& each : roads) {
        each.trips.push_back(each.trip() * 1e6);
        each.rates.push_back(each.rate());
      }
    }
    double limit = bench::median(limits);
    std::vector<bench::Result> results;
    for (const auto& each : roads) {
      nlohmann::ordered_json conditions = {{"rounds", rounds}, {"cores", ::sysconf(_SC_NPROCESSORS_ONLN)}, {"road", each.road}};
      auto calls_of = conditions, started_of = conditions;
      calls_of["calls"] = calls;
      started_of["window"] = window;
      results.push_back({.name = "call" + each.name,
                         .values = each.trips,
                         .unit = "us",
                         .limit = {"a cache line to and fro", limit},
                         .lower_is_better = true,
                         .conditions = calls_of});
      results.push_back({.name = "call started" + each.name,
                         .values = each.rates,
                         .unit = "calls/s",
                         .limit = {"cache lines to and fro a second", 1e6 / limit},
                         .conditions = started_of});
    }
    bench::report(results, file);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "call: %s\n", error.what());
    return 1;
  }
  std::error_code left;
  fs::remove_all(home, left);
}
