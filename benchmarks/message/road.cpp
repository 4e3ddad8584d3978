// SPDX-License-Identifier: Apache-2.0
#include "message/road.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <octavo/road/shm.hpp>
#include <stdexcept>
#include <system_error>

#include "kit/pinned.hpp"

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
  road::sent_now went = road::sent_now::full;
  while (went == road::sent_now::full) went = to.send_small(frame);
  if (went == road::sent_now::no) throw std::runtime_error("the road does not take a small frame");
}
// Not for ever: the other end may have failed.
void receive(road::Connection& from, wire::SmallFrame& frame) {
  for (long looks = 0; !from.next_small(frame); ++looks)
    if (looks == 1'000'000'000) throw std::runtime_error("nothing came by the road");
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
  auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < trips; ++i) trip();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / trips / 2;
}

}  // namespace

double road_half_trip() {
  Ends ends;
  send_first(*ends.here, *ends.there);
  send_first(*ends.there, *ends.here);
  const PinnedHere pinned;
  pid_t child = ::fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "starting the process at the other end of the road");
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    pin_there();
    try {
      echo(*ends.there);
    } catch (const std::exception&) {  // the other side says the same
    }
    ::_exit(0);
  }
  double seconds = half_trip(*ends.here);
  ::waitpid(child, nullptr, 0);
  return seconds;
}

}  // namespace bench
