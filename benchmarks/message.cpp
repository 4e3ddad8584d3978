// SPDX-License-Identifier: Apache-2.0
// What a message costs, beside what the machine can do and what others take: each row in pairs with its limit and its peers (kit/pairs.hpp), on
// two processors. A ratio above 1 is ours being better; 0.95 and more is "not behind".
//
//   ./dev bench message                     all rows
//   ./dev bench message --fastflow DIR      with FastFlow; DIR has ff/buffer.hpp
//   ./dev bench message --only WORD         the rows with WORD in their name
//   ./dev bench message --json FILE
//
// message, message between threads   half a round trip of 8 bytes through two mailboxes
// message between programs           the same with another program, through two of the home (ov://home/...)
// channel, channel between threads   the same through two channels; channel, one way: of many, one behind the other
// road alone                         the same over the road, with nothing above it
// a bare line, with work             30 ns of work before each hand-over, the line looked at as we do (road/pace.hpp), and all the time
// call, call on a thread             a real call through a remote_ptr with one integer there and one back
// call asleep                        the same when both sides had gone to sleep
// call started, call detached        calls a second of one caller: with futures collected, and with nobody waiting
// page in a call, in a message       handing over a page of the pool; the limit is what copying it would take
// bytes in a message, in a call      bandwidth of a std::vector that is not in the pool
// pointers ...                       from thread to thread
// 20 processes ...                   each to each other, and the processor time they take when they have nothing to do
//
// Peers are programs of their own (peers/), built if their library is installed: apt install openmpi-bin libopenmpi-dev mpich libmpich-dev
// libzmq3-dev libtbb-dev libgrpc++-dev. They sleep while they are not asked, so nothing of theirs runs while another is measured.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <octavo/process.hpp>

#include "channel/channels.hpp"
#include "kit/options.hpp"
#include "kit/table.hpp"
#include "message/bytes.hpp"
#include "message/calls.hpp"
#include "message/crowd.hpp"
#include "message/kernel.hpp"
#include "message/locks.hpp"
#include "message/mailboxes.hpp"
#include "message/pages.hpp"
#include "message/peers.hpp"
#include "message/programs/between_programs.hpp"
#include "message/queues.hpp"
#include "message/road.hpp"

namespace {

using bench::Peers, bench::Row, bench::Table;
constexpr int pairs_that_sleep = 3;
constexpr double microseconds = 1e6, milliseconds = 1e3, giga = 1e-9;
constexpr std::chrono::seconds whatever_hangs{480};

double line() { return bench::line_between_processes() * microseconds; }
double line_to_and_fro() { return 2 * line(); }

void messages(Table& table, const Peers& peers) {
  bench::Mailboxes process(octavo::process);
  const Row::Measures others = {{"Open MPI", peers.figure("Open MPI", "half_trip", 8, 20'000, microseconds)},
                                {"MPICH", peers.figure("MPICH", "half_trip", 8, 5'000, microseconds)},
                                {"ZeroMQ", peers.figure("ZeroMQ", "half_trip", 8, 200, microseconds)},
                                {"Unix socket, spinning", [] { return bench::socket_half_trip() * microseconds; }}};
  table.add({.name = "message",
             .unit = "us",
             .lower_is_better = true,
             .ours = [&process] { return process.half_trip() * microseconds; },
             .limit_name = "a cache line one way",
             .limit = line,
             .peers = others,
             .aim = "1.4 x the limit"});
  table.add({"road alone", "us", true, [] { return bench::road_half_trip() * microseconds; }, "a cache line one way", line});
  table.add({.name = "a bare line, with work",
             .unit = "us",
             .lower_is_better = true,
             .ours = [] { return bench::line_with_work_paced() * microseconds; },
             .limit_name = "a cache line one way",
             .limit = line,
             .peers = {{"looked at all the time", [] { return bench::line_with_work_watched() * microseconds; }}}});
  table.add({.name = "message between threads",
             .unit = "us",
             .lower_is_better = true,
             .ours = [] { return bench::half_trip_between_threads() * microseconds; },
             .limit_name = "a cache line one way between threads",
             .limit = [] { return bench::line_between_threads() * microseconds; },
             .peers = {{"FastFlow", peers.figure("FastFlow", "half_trip", 0, 20'000, microseconds)},
                       {"mutex and condition variable", [] { return bench::mutex_half_trip() * microseconds; }}},
             .aim = "1.3 x the limit"});
}

void channels(Table& table, const Peers& peers) {
  const bench::Channels process(octavo::process);
  const Row::Measures others = {{"Open MPI", peers.figure("Open MPI", "half_trip", 8, 20'000, microseconds)},
                                {"MPICH", peers.figure("MPICH", "half_trip", 8, 5'000, microseconds)},
                                {"ZeroMQ", peers.figure("ZeroMQ", "half_trip", 8, 200, microseconds)}};
  table.add({.name = "channel",
             .unit = "us",
             .lower_is_better = true,
             .ours = [&process] { return process.half_trip() * microseconds; },
             .limit_name = "a cache line one way",
             .limit = line,
             .peers = others});
  table.add({"channel, one way", "us", true, [&process] { return process.one_way() * microseconds; }, "a cache line one way", line});
  table.add({.name = "channel between threads",
             .unit = "us",
             .lower_is_better = true,
             .ours = [] { return bench::channel_half_trip_between_threads() * microseconds; },
             .limit_name = "a cache line one way between threads",
             .limit = [] { return bench::line_between_threads() * microseconds; },
             .peers = {{"FastFlow", peers.figure("FastFlow", "half_trip", 0, 20'000, microseconds)}}});
  for (const std::size_t mebibytes : {1, 16})
    table.add({.name = "page in a channel, " + std::to_string(mebibytes) + " MiB",
               .unit = "us",
               .lower_is_better = true,
               .ours = [&process, mebibytes] { return process.half_trip(mebibytes << 20) * microseconds; },
               .limit_name = "a cache line one way",
               .limit = line,
               .peers = {{"Open MPI", peers.figure("Open MPI", "half_trip", mebibytes << 20, 100, microseconds)},
                         {"ZeroMQ", peers.figure("ZeroMQ", "half_trip", mebibytes << 20, 100, microseconds)}}});
}

void between_programs(Table& table) {
  if (!table.wants("message between programs")) return;
  const bench::Mailboxes within(octavo::process);
  const bench::BetweenPrograms ours;
  table.add({.name = "message between programs",
             .unit = "us",
             .lower_is_better = true,
             .ours = [&ours] { return ours.half_trip() * microseconds; },
             .limit_name = "a message within a program",
             .limit = [&within] { return within.half_trip() * microseconds; }});
}

void locks(Table& table) {
  constexpr double nanoseconds = 1e9;
  auto wake = [] { return bench::wake_between_processes() * microseconds; };
  table.add({"mutex", "ns", true, [] { return bench::lock_and_unlock() * nanoseconds; }, "two compare-and-swaps",
             [] { return bench::compare_and_swap_twice() * nanoseconds; }});
  table.add({"mutex handed over", "us", true, [] { return bench::handing_over() * microseconds; }, "futex one way", wake});
  table.add({"unit handed over", "us", true, [] { return bench::unit_one_way() * microseconds; }, "futex one way", wake});
  table.add({"unit taken and given back", "us", true, [] { return bench::acquiring() * microseconds; }, "futex one way", wake});
}

void calls(Table& table, const Peers& peers, const bench::CalleePtr& process, const bench::CalleePtr& thread) {
  table.add({.name = "call",
             .unit = "us",
             .lower_is_better = true,
             .ours = [process] { return bench::round_trip(process) * microseconds; },
             .limit_name = "a cache line to and fro",
             .limit = line_to_and_fro,
             .peers = {{"Open MPI, a switch on a number", peers.figure("Open MPI", "method", 0, 10'000, microseconds)},
                       {"gRPC", peers.figure("gRPC", "call", 8, 300, microseconds)}},
             .aim = "1.7 x the limit"});
  table.add({"call on a thread", "us", true, [thread] { return bench::round_trip(thread) * microseconds; }, "a cache line to and fro between threads",
             [] { return 2 * bench::line_between_threads() * microseconds; }});
  table.add({.name = "call asleep",
             .unit = "us",
             .lower_is_better = true,
             .ours = [process] { return bench::round_trip_asleep(process) * microseconds; },
             .limit_name = "futex to and fro",
             .limit = [] { return 2 * bench::wake_between_processes() * microseconds; },
             .peers = {{"pipe", [] { return bench::pipe_asleep() * microseconds; }},
                       {"Unix socket", [] { return bench::socket_asleep() * microseconds; }},
                       {"ZeroMQ", peers.figure("ZeroMQ", "asleep", 8, 25, microseconds)}},
             .aim = "1.3 x the limit"});
}

void calls_a_second(Table& table, const Peers& peers, const bench::CalleePtr& process, const bench::CalleePtr& thread) {
  const Row::Measures others = {{"Open MPI Isend", peers.figure("Open MPI", "isend", 8, 50'000)}, {"gRPC", peers.figure("gRPC", "started", 8, 2'000)}};
  auto row = [&](const char* name, double (*measure)(const bench::CalleePtr&), const bench::CalleePtr& callee, const char* aim) {
    table.add({.name = name,
               .unit = "calls/s",
               .ours = [measure, callee] { return measure(callee); },
               .limit_name = "a bare ring of 8 bytes each",
               .limit = bench::bare_ring_per_second,
               .peers = others,
               .aim = aim});
  };
  row("call started", bench::started_per_second, process, "5 million a second");
  row("call detached", bench::detached_per_second, process, "20 million a second");
  row("call started on a thread", bench::started_per_second, thread, "");
}

struct Size {
  std::string name;
  std::size_t bytes;
};
const Size sizes[] = {{"64 KiB", 64 << 10}, {"1 MiB", 1 << 20}, {"32 MiB", 32 << 20}};

void pages(Table& table, const Peers& peers) {
  bench::Pages ours;
  for (const auto& [name, bytes] : sizes) {
    const long trips = std::max<long>(2, bench::messages_of(bytes) / 8);
    auto seconds = [bytes = bytes](double rate) { return static_cast<double>(bytes) / rate * microseconds; };
    Row row{.name = "page in a call, " + name,
            .unit = "us",
            .lower_is_better = true,
            .ours = [&, bytes = bytes] { return ours.in_a_call(bytes) * microseconds; },
            .limit_name = "memcpy",
            .limit = [=, bytes = bytes] { return seconds(bench::copying(bytes)); },
            .peers = {{"Open MPI", peers.figure("Open MPI", "half_trip", bytes, trips, microseconds)},
                      {"Open MPI without CMA", peers.figure("Open MPI without CMA", "half_trip", bytes, trips, microseconds)},
                      {"ZeroMQ", peers.figure("ZeroMQ", "half_trip", bytes, std::min<long>(trips, 20), microseconds)}},
            .beside = {{"reading alone, us", [=, bytes = bytes] { return seconds(bench::reading(bytes)); }}, {"a cache line one way, us", line}},
            .aim = "less than 1 us, whatever the size"};
    table.add(row);
    row.name = "page in a message, " + name;
    row.ours = [&, bytes = bytes] { return ours.in_a_message(bytes) * microseconds; };
    row.peers.clear();
    table.add(row);
  }
}

void bytes(Table& table, const Peers& peers) {
  bench::ByteStream ours;
  for (const auto& [name, bytes] : sizes) {
    const long count = bench::messages_of(bytes);
    Row row{.name = "bytes in a message, " + name,
            .unit = "GB/s",
            .ours = [&, bytes = bytes] { return ours.posted(bytes) * giga; },
            .limit_name = "memcpy",
            .limit = [bytes = bytes] { return bench::copying(bytes) * giga; },
            .peers = {{"Open MPI", peers.figure("Open MPI", "stream", bytes, count, giga)},
                      {"Open MPI without CMA", peers.figure("Open MPI without CMA", "stream", bytes, count, giga)},
                      {"ZeroMQ", peers.figure("ZeroMQ", "stream", bytes, std::max<long>(2, count / 8), giga)}},
            .beside = {{"reading alone, GB/s", [bytes = bytes] { return bench::reading(bytes) * giga; }}},
            .aim = "0.75 of the limit",
            .far_matters = false};  // many lines at once: how long one takes alone hides behind the others
    table.add(row);
    row.name = "bytes in a call, " + name;
    row.ours = [&, bytes = bytes] { return ours.argument(bytes) * giga; };
    row.peers.clear();
    row.aim.clear();
    table.add(row);
  }
}

void queues(Table& table, const Peers& peers) {
  table.add(
      {.name = "pointers, many to one",
       .unit = "/s",
       .ours = bench::many_to_one_per_second,
       .limit_name = "a bare array and two positions",
       .limit = bench::bare_ring_per_second,
       .peers = {{"FastFlow, one to one", peers.figure("FastFlow", "pointers", 0, 4'000'000)}, {"oneTBB", peers.figure("oneTBB", "pointers", 0, 200'000)}},
       .aim = ""});
}

void crowd(Table& table, const Peers& peers) {
  if (!table.wants("20 processes, each to each") && !table.wants("20 processes idle")) return;
  bench::Crowd ours;
  table.add({.name = "20 processes, each to each",
             .unit = "messages/s",
             .ours = [&ours] { return ours.messages_per_second(); },
             .limit_name = "cache lines and sched_yield",
             .limit = bench::lines_in_a_crowd_per_second,
             .peers = {{"Open MPI, yielding", peers.figure("Open MPI, 20 ranks", "all", 8, 200)}},
             .aim = "ahead of Open MPI"});
  table.add({.name = "20 processes idle",
             .unit = "ms of processor time a second",
             .lower_is_better = true,
             .ours = [&ours] { return ours.idle() * milliseconds; },
             .limit_name = "20 processes that wake once",
             .limit = [] { return bench::waking_crowd() * milliseconds; },
             .peers = {{"Open MPI, yielding", peers.figure("Open MPI, 20 ranks", "idle", 0, bench::idle_milliseconds, milliseconds)}},
             .aim = "none",
             .far_matters = false},
            pairs_that_sleep);
}

}  // namespace

int main(int argc, char** argv) {
  bench::keep_to(bench::processors());  // also on a machine that has more: what is begun from here on inherits it
  const bench::OwnHome home;
  octavo::Runtime runtime(argc, argv);
  ::alarm(whatever_hangs.count());
  try {
    auto options = bench::options_of(argc, argv, {"--only", "--fastflow", "--json"});
    Peers peers(options.value("--fastflow"));
    Table table(options.value("--only").value_or(""));
    messages(table, peers);
    channels(table, peers);
    between_programs(table);
    locks(table);
    auto process = octavo::process.make<bench::Callee>(), thread = octavo::thread.make<bench::Callee>();
    calls(table, peers, process, thread);
    pages(table, peers);
    bytes(table, peers);
    calls_a_second(table, peers, process, thread);
    queues(table, peers);
    peers.stop();
    crowd(table, peers);
    bench::write(table.results(), options.value("--json"));
    return table.failed() ? 1 : 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "message: %s\n", error.what());
    return 1;
  }
}
