// SPDX-License-Identifier: Apache-2.0
// What a message costs, beside what the machine can do: each row in pairs with its limit (kit/pairs.hpp).
//
//   ./dev bench message                 all rows
//   ./dev bench message --json FILE
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <octavo/process.hpp>

#include "kit/pairs.hpp"
#include "message/calls.hpp"
#include "message/mailboxes.hpp"
#include "message/queues.hpp"

namespace {

constexpr int pairs = 15;
constexpr double microseconds = 1e6;

std::vector<bench::Row> rows_of_calls(const bench::CalleePtr& process, const bench::CalleePtr& thread) {
  auto trip = [](const bench::CalleePtr& p) { return [p] { return bench::round_trip(p) * microseconds; }; };
  auto line = [] { return 2 * bench::line_between_processes() * microseconds; };
  auto threads_line = [] { return 2 * bench::line_between_threads() * microseconds; };
  auto rate = [] { return 1 / bench::line_between_processes(); };
  return {
      {"call", "us", true, trip(process), "a cache line to and fro", line},
      {"call on a thread", "us", true, trip(thread), "a cache line to and fro between threads", threads_line},
      {"call asleep", "us", true, [process] { return bench::round_trip_asleep(process) * microseconds; }, "futex to and fro",
       [] { return 2 * bench::wake_between_processes() * microseconds; }},
      {"call started", "calls/s", false, [process] { return bench::started_per_second(process); }, "cache lines one way a second", rate},
      {"call detached", "calls/s", false, [process] { return bench::detached_per_second(process); }, "cache lines one way a second", rate},
      {"call started on a thread", "calls/s", false, [thread] { return bench::started_per_second(thread); }, "cache lines one way a second", rate},
  };
}

std::vector<bench::Row> rows_of_mailboxes(const bench::Mailboxes& process) {
  return {
      {"message", "us", true, [&process] { return process.half_trip() * microseconds; }, "a cache line one way",
       [] { return bench::line_between_processes() * microseconds; }},
      {"message between threads", "us", true, [] { return bench::half_trip_between_threads() * microseconds; }, "a cache line one way between threads",
       [] { return bench::line_between_threads() * microseconds; }},
  };
}

std::vector<bench::Row> rows_of_queues() {
  return {
      {"pointers in a ring", "/s", false, bench::ring_per_second, "a bare array and two positions", bench::bare_ring_per_second},
      {"pointers in a queue", "/s", false, bench::queue_per_second, "a bare array and two positions", bench::bare_ring_per_second},
      {"pointers, many to one", "/s", false, bench::many_to_one_per_second, "a bare array and two positions", bench::bare_ring_per_second},
  };
}

}  // namespace

int main(int argc, char** argv) {
  octavo::Runtime runtime(argc, argv);
  try {
    auto file = bench::json_file(argc, argv);
    std::vector<bench::Result> results;
    {
      bench::Mailboxes process(octavo::process);
      for (const auto& row : rows_of_mailboxes(process)) results.push_back(bench::in_pairs(row, pairs));
    }
    auto process = octavo::process.make<bench::Callee>(), thread = octavo::thread.make<bench::Callee>();
    for (const auto& row : rows_of_calls(process, thread)) results.push_back(bench::in_pairs(row, pairs));
    for (const auto& row : rows_of_queues()) results.push_back(bench::in_pairs(row, pairs));
    bench::report(results, file);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "message: %s\n", error.what());
    return 1;
  }
}
