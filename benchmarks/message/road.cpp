// SPDX-License-Identifier: Apache-2.0
#include "message/road.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <new>
#include <octavo/road/pace.hpp>
#include <octavo/road/shm.hpp>
#include <stdexcept>
#include <system_error>

#include "kit/beside.hpp"
#include "kit/clock.hpp"

namespace bench {

namespace {

namespace road = octavo::road;
namespace wire = octavo::wire;
constexpr int trips = 20'000;

struct Ends {
  road::Doorbell here_bell = road::Doorbell::make(), there_bell = road::Doorbell::make();
  std::shared_ptr<road::Connection> here, there;
  Ends() {
    auto ends = road::make_shm_ends();
    here = road::open_shm(std::move(ends.first), there_bell, nullptr);
    there = road::open_shm(std::move(ends.second), here_bell, nullptr);
  }
};

// the frames after it share what it says.
void send_first(road::Connection& from, road::Connection& to) {
  wire::Outgoing first;
  first.header.kind = wire::frame_kind::post;
  first.header.object = 1;
  first.body.assign(8, std::byte{1});
  first.seal();
  from.send(first, road::keep_rest);
  wire::Message message;
  while (!to.receive(message)) {}
}

void send(road::Connection& to, const wire::SmallFrame& frame) {
  road::sent_now went = road::sent_now::no_room;
  while (went == road::sent_now::no_room) went = to.send_small(frame);
  if (went == road::sent_now::unsuitable) throw std::runtime_error("the road does not take a small frame");
}
// Not for ever: the other end may have failed.
void receive(road::Connection& from, wire::SmallFrame& frame) {
  from.await_next();
  for (long polls = 0; !from.next_small(frame); ++polls)
    if (polls == 1'000'000'000) throw std::runtime_error("nothing came by the road");
  from.pop_small();
}

void echo(road::Connection& at) {
  wire::SmallFrame frame;
  for (int i = 0; i <= trips; ++i) {
    receive(at, frame);
    send(at, frame);
  }
}

double half_trip(road::Connection& at) {
  wire::SmallFrame frame;
  frame.kind = wire::frame_kind::post;
  frame.size = 8;
  auto trip = [&] {
    send(at, frame);
    receive(at, frame);
  };
  trip();
  auto begin = Clock::now();
  for (int i = 0; i < trips; ++i) trip();
  return seconds_since(begin) / trips / 2;
}

// A half for each direction, as the shared line of a connection has them.
struct alignas(64) Halves {
  std::atomic<std::uint64_t> there{0}, back{0};
};

void work() {
  constexpr int multiplications = 32;  // each waits for the one before: three cycles
  std::uint64_t value = 3;
  for (int i = 0; i < multiplications; ++i) asm volatile("imul %0, %0" : "+r"(value));
}

template <class Await>
double line_with_work(Await await) {
  void* got = ::mmap(nullptr, sizeof(Halves), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (got == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mapping a cache line");
  auto& line = *new (got) Halves;
  auto echo = [&] {
    for (std::uint64_t i = 1; i <= trips; ++i) {
      await([&] { return line.there.load(std::memory_order_acquire) == i; });
      work();
      line.back.store(i, std::memory_order_release);
    }
  };
  auto ask = [&] {
    constexpr std::uint64_t warm = trips / 10;
    auto begin = Clock::now();
    for (std::uint64_t i = 1; i <= trips; ++i) {
      if (i == warm) begin = Clock::now();
      work();
      line.there.store(i, std::memory_order_release);
      await([&] { return line.back.load(std::memory_order_acquire) == i; });
    }
    return seconds_since(begin) / (trips - warm) / 2;
  };
  const double seconds = beside(echo, ask, "answers by a line");
  ::munmap(got, sizeof(Halves));
  return seconds;
}

}  // namespace

double road_half_trip() {
  Ends ends;
  send_first(*ends.here, *ends.there);
  send_first(*ends.there, *ends.here);
  return beside([&] { echo(*ends.there); }, [&] { return half_trip(*ends.here); }, "is at the other end of the road");
}

double line_with_work_watched() {
  return line_with_work([](const auto& there) {
    while (!there()) {}
  });
}

double line_with_work_paced() {
  road::Pace pace;
  return line_with_work([&pace](const auto& there) {
    while (!pace.comes(there, 1000)) {}
  });
}

}  // namespace bench
