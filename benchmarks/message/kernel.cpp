// SPDX-License-Identifier: Apache-2.0
#include "message/kernel.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>

#include "kit/beside.hpp"
#include "kit/clock.hpp"
#include "kit/limits.hpp"
#include "kit/pinned.hpp"

namespace bench {

namespace {

constexpr int spinning_trips = 2000, sleeping_trips = 25, mutex_trips = 200;

std::system_error failure(const char* what) { return {errno, std::generic_category(), what}; }

// One side's two descriptors.
struct Side {
  int in = -1, out = -1;
  void put(std::uint64_t value) const {
    while (::write(out, &value, sizeof value) != sizeof value) {}
  }
  // Spins where the descriptor does not block.
  void get() const {
    std::uint64_t value = 0;
    while (::read(in, &value, sizeof value) < 0 && errno == EAGAIN) {}
  }
  void close() const {
    ::close(in);
    if (out != in) ::close(out);
  }
};
struct Sides {
  Side here, there;
};

Sides socket_pair(int more) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | more, 0, ends) != 0) throw failure("making a socket pair");
  return {{ends[0], ends[0]}, {ends[1], ends[1]}};
}
Sides two_pipes() {
  int go[2], back[2];
  if (::pipe2(go, O_CLOEXEC) != 0 || ::pipe2(back, O_CLOEXEC) != 0) throw failure("making a pipe");
  return {{back[0], go[1]}, {go[0], back[1]}};
}

// `measure(side)` here, while a process of its own sends back what comes, `trips` times and one for the beginning.
template <class Measure>
double with_echo(const Sides& sides, int trips, Measure measure) {
  auto echo = [&] {
    for (int i = 0; i <= trips; ++i) {
      sides.there.get();
      sides.there.put(1);
    }
  };
  auto trip = [&sides] {
    sides.here.put(1);
    sides.here.get();
  };
  auto ask = [&] {
    trip();
    return measure(trip);
  };
  const double seconds = beside(echo, ask, "answers");
  sides.here.close();
  sides.there.close();
  return seconds;
}

double asleep(const Sides& sides) {
  return with_echo(sides, sleeping_trips, [](auto trip) {
    double sum = 0;
    for (int i = 0; i < sleeping_trips; ++i) {
      std::this_thread::sleep_for(rest);
      auto begin = Clock::now();
      trip();
      sum += seconds_since(begin);
    }
    return sum / sleeping_trips;
  });
}

class Queue {
 public:
  void push(int value) {
    {
      std::lock_guard lock(mutex_);
      values_.push_back(value);
    }
    came_.notify_one();
  }
  int pop() {
    std::unique_lock lock(mutex_);
    came_.wait(lock, [this] { return !values_.empty(); });
    int first = values_.front();
    values_.pop_front();
    return first;
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::deque<int> values_;
};

}  // namespace

double socket_half_trip() {
  return with_echo(socket_pair(SOCK_NONBLOCK), spinning_trips, [](auto trip) {
    auto begin = Clock::now();
    for (int i = 0; i < spinning_trips; ++i) trip();
    return seconds_since(begin) / spinning_trips / 2;
  });
}
double socket_asleep() { return asleep(socket_pair(0)); }
double pipe_asleep() { return asleep(two_pipes()); }

double mutex_half_trip() {
  Queue go, back;
  const PinnedHere pinned;
  std::thread other([&] {
    pin_there();
    for (int i = 0; i <= mutex_trips; ++i) back.push(go.pop());
  });
  go.push(0);
  back.pop();
  auto begin = Clock::now();
  for (int i = 0; i < mutex_trips; ++i) {
    go.push(i);
    back.pop();
  }
  double seconds = seconds_since(begin) / mutex_trips / 2;
  other.join();
  return seconds;
}

}  // namespace bench
