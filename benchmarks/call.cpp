// SPDX-License-Identifier: Apache-2.0
// What a call costs on each place and so on each road (thread, shm, net): the round trip of one that does nothing, and started calls a second
// in windows of 1000.
// The limit, in the same run and turn about: two processes that hand a cache line to and fro, both spinning.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <octavo/process.hpp>
#include <system_error>
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

double round_trip(const octavo::remote_ptr<Nothing>& object) {
  auto begin = bench::Clock::now();
  for (int i = 0; i < calls; ++i) object->nothing();
  return bench::seconds_since(begin) / calls;
}

double started_per_second(const octavo::remote_ptr<Nothing>& object) {
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

}  // namespace

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  auto home = fs::temp_directory_path() / ("octavo-bench-call-" + std::to_string(::getpid()));
  octavo::Runtime runtime(argc, argv, {.engine = octavo::played({"box"}, home.string())});
  try {
    auto file = bench::json_file(argc, argv);
    struct Road {
      std::string name, road;
      octavo::remote_ptr<Nothing> object;
      std::vector<double> trips = {}, rates = {};
    };
    std::vector<Road> roads{{"", "shm", octavo::process.make<Nothing>()},
                            {" on a thread", "thread", octavo::thread.make<Nothing>()},
                            {" on a played machine", "net", runtime.machine("box").make<Nothing>()}};
    std::vector<double> limits;
    for (const auto& each : roads) round_trip(each.object);  // warms the connection up
    for (int i = 0; i < rounds; ++i) {
      limits.push_back(2 * bench::line_between_processes() * 1e6);
      for (auto& each : roads) {
        each.trips.push_back(round_trip(each.object) * 1e6);
        each.rates.push_back(started_per_second(each.object));
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
