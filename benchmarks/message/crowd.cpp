// SPDX-License-Identifier: Apache-2.0
#include "message/crowd.hpp"

#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <memory>
#include <octavo/group/self.hpp>
#include <system_error>
#include <thread>

#include "kit/clock.hpp"

namespace bench {

namespace {

constexpr int rounds = 200, line_rounds = 500;
double messages_in(int all_rounds) { return static_cast<double>(Crowd::size) * (Crowd::size - 1) * all_rounds; }

// Processor time that a process has taken, all threads; none where it is gone.
double seconds_of(pid_t pid) {
  clockid_t clock = 0;
  timespec time{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}
double taken_in_idle_time(const std::vector<pid_t>& pids) {
  auto all = [&pids] {
    double sum = 0;
    for (pid_t pid : pids) sum += seconds_of(pid);
    return sum;
  };
  double before = all();
  std::this_thread::sleep_for(std::chrono::milliseconds(idle_milliseconds));
  return std::max(all() - before, 1e-9);  // nothing at all cannot be compared
}

// Copies of this program that do nothing but `act(rank)`, which must not allocate.
template <class Act>
std::vector<pid_t> forked(Act act) {
  std::vector<pid_t> children(Crowd::size);
  for (int rank = 0; rank < Crowd::size; ++rank) {
    children[rank] = ::fork();
    if (children[rank] < 0) throw std::system_error(errno, std::generic_category(), "starting a process of a crowd");
    if (children[rank] > 0) continue;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    act(rank);
    ::_exit(0);
  }
  return children;
}
void wait_for(const std::vector<pid_t>& children) {
  for (pid_t child : children) ::waitpid(child, nullptr, 0);
}

struct alignas(64) Line {
  std::atomic<int> round{0};
};
struct Lines {
  Line to[Crowd::size][Crowd::size], begun, there;
  void exchange(int rank) {
    for (int round = 1; round <= line_rounds; ++round) {
      for (int k = 0; k < Crowd::size; ++k) to[k][rank].round.store(round, std::memory_order_release);
      for (int k = 0; k < Crowd::size; ++k)
        while (to[rank][k].round.load(std::memory_order_acquire) < round) ::sched_yield();
    }
  }
};

}  // namespace

void Member::exchange(int all_rounds) {
  const std::size_t mine = octavo::self<Member>().index();
  for (int i = 0; i < all_rounds; ++i) {
    for (std::size_t k = 1; k < boxes_.size(); ++k) boxes_[(mine + k) % boxes_.size()].post(i);
    for (std::size_t k = 1; k < boxes_.size(); ++k) static_cast<void>(boxes_[mine].retrieve());
  }
}

Crowd::Crowd() : members_(octavo::make_group<Member>(octavo::process, size)) {
  std::vector<Letters> boxes;
  boxes.reserve(size);
  for (int i = 0; i < size; ++i) boxes.emplace_back("letters to " + std::to_string(i));
  members_->know(boxes);
  for (int pid : members_->pid()) pids_.push_back(pid);
}

double Crowd::messages_per_second() const {
  auto begin = Clock::now();
  members_->exchange(rounds);
  return messages_in(rounds) / seconds_since(begin);
}

double Crowd::idle() const {
  members_->exchange(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // they may go to sleep
  return taken_in_idle_time(pids_);
}

double lines_in_a_crowd_per_second() {
  void* got = ::mmap(nullptr, sizeof(Lines), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (got == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mapping the lines of a crowd");
  auto& lines = *new (got) Lines;
  auto children = forked([&lines](int rank) {
    ++lines.there.round;
    while (lines.begun.round.load() == 0) ::usleep(100);
    lines.exchange(rank);
  });
  while (lines.there.round.load() != Crowd::size) ::usleep(100);
  auto begin = Clock::now();
  lines.begun.round.store(1);
  wait_for(children);
  double seconds = seconds_since(begin);
  ::munmap(got, sizeof(Lines));
  return messages_in(line_rounds) / seconds;
}

double waking_crowd() {
  auto children = forked([](int) {
    ::usleep(idle_milliseconds * 500);
    ::usleep(idle_milliseconds * 1000);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  double seconds = taken_in_idle_time(children);
  wait_for(children);
  return seconds;
}

}  // namespace bench
