// SPDX-License-Identifier: Apache-2.0
// Several programs of one user with one home, which a test tells what to do: each is a fork of the test, which has no Runtime itself.
//
//   Program one = begin(), two = begin();
//   one.does("main", "post", "ov://home/box", "text");        // what came of it; "object" and a name of an object do the same
//   two.tell("main", "take", "ov://home/box");                // ... at the same time
//   two.hear();
//   one.kill();                                               // or end()
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "kit/left_behind.hpp"
#include "kit/watchdog.hpp"
#include "octavo/base/fd.hpp"
#include "octavo/message.hpp"
#include "octavo/process.hpp"

namespace message_tests {

namespace ov = octavo;
using namespace std::chrono_literals;

class HomeClerk {
 public:
  // What came of it: the message, "posted", "nothing", or the kind and text of the error.
  std::string does(const std::string& what, const std::string& box, const std::string& text);
  [[nodiscard]] int pid() const { return ::getpid(); }
  template <class Archive>
  void serialize(Archive& /*archive*/) {}
};
OCTAVO_REMOTE(HomeClerk, does, pid)

class Program {
 public:
  Program(ov::kit::Watchdog& watchdog, const std::string& home);
  Program(Program&& other) noexcept : pid_(std::exchange(other.pid_, 0)), line_(std::move(other.line_)) {}
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() { kill(); }

  void tell(const std::string& who, const std::string& what, const std::string& box, const std::string& text = "");
  std::string hear();
  std::string does(const std::string& who, const std::string& what, const std::string& box, const std::string& text = "") {
    tell(who, what, box, text);
    return hear();
  }
  // Of who posts or reads there.
  int pid_of(const std::string& who) { return std::stoi(does(who, "pid", "")); }
  void kill();
  void stop();  // until SIGCONT
  void end();
  // Once there is one.
  int lasting_agent() {
    for (;;)
      if (const int pid = std::stoi(does("main", "agent", "")); pid > 0) return pid;
  }

 private:
  int pid_ = 0;
  ov::Fd line_;
};

inline constexpr std::size_t longest_line = 4096;

inline void say(const ov::Fd& line, const std::string& text) {
  if (::send(line.get(), text.data(), text.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(text.size())) throw ov::gone_error("the other is gone");
}

// Nothing: the other has ended.
inline std::string next_of(const ov::Fd& line) {
  std::string text(longest_line, 0);
  const auto n = ::recv(line.get(), text.data(), text.size(), 0);
  text.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
  return text;
}

// With locks of this name.
inline std::string try_lock(const std::string& what, const std::string& name, const std::string& text) {
  if (what.ends_with("unit")) {
    const ov::Semaphore units(name, 2);
    if (what == "acquire unit") units.acquire();
    else if (what == "release unit") units.release();
    else return units.try_acquire() ? "acquired" : "nothing";
    return what == "acquire unit" ? "acquired" : "released";
  }
  ov::Mutex mutex(name);
  if (what == "lock") mutex.lock();
  else if (what == "try lock") return mutex.try_lock() ? "locked" : "nothing";
  else if (what == "lock soon") return mutex.try_lock_for(30ms) ? "locked" : "nothing";
  else if (what == "unlock") mutex.unlock();
  else if (what == "unlock and die") mutex.unlock(), ::_exit(0);
  const ov::Condition changed(name);
  if (what == "notify lock") changed.notify_all();
  if (what != "wait lock") return what + "ed";
  std::unique_lock lock(mutex, std::adopt_lock);
  const auto status = text.empty() ? std::cv_status::no_timeout : changed.wait_for(lock, 30ms);
  if (text.empty()) changed.wait(lock);
  lock.release();
  return status == std::cv_status::timeout ? "not notified" : "notified";
}

// With segments of this name, which are kept.
inline std::string try_segment(const std::string& what, const std::string& name, const std::string& text) {
  static std::map<std::string, ov::Segment<long>> kept;  // of this process
  if (what == "drop segment") return kept.erase(name) != 0 ? "dropped" : "none";
  auto found = kept.find(name);
  if (found == kept.end()) found = kept.emplace(name, ov::Segment<long>(name, what == "open large segment" ? 20 : 10)).first;
  if (what == "write segment") found->second[3] = std::stol(text);
  return std::to_string(found->second[3]);
}

inline std::string try_it(const std::string& what, const std::string& box, const std::string& text) {
  if (what.ends_with("segment")) return try_segment(what, box, text);
  if (what.find("lock") != std::string::npos || what.ends_with("unit")) return try_lock(what, box, text);
  if (what.ends_with("number")) {
    const ov::Mailbox<int> numbers(box);
    if (what == "look for number") return numbers.try_retrieve() ? "a number" : "nothing";
    if (what == "take number") return std::to_string(numbers.retrieve());
    numbers.post(std::stoi(text));
    return "posted";
  }
  const ov::Mailbox<std::string> messages(box);
  if (what == "take") return messages.retrieve();
  if (what == "look") return messages.try_retrieve().value_or("nothing");
  if (what == "post large") messages.post(std::string(std::stoul(text), 'x'));
  else if (what == "take large") return std::to_string(messages.retrieve().size());
  else messages.post(text);
  return "posted";
}

class Household {
 public:
  explicit Household(const std::string& home) : runtime_({.home = home}) {}
  std::string does(const std::string& who, const std::string& what, const std::string& box, const std::string& text) {
    if (what == "agent") return agent();
    if (what == "fork") return std::to_string(fork_that_waits());
    if (who == "main") return what == "pid" ? std::to_string(::getpid()) : clerk_.does(what, box, text);
    auto& there = clerk(who);
    if (what == "destroy") {
      ov::destroy(there);
      clerks_.erase(who);
      return "destroyed";
    }
    if (what == "pid") return std::to_string(there->pid());
    return there->does(what, box, text);
  }

 private:
  // It has copies of all descriptors, and outlives this program.
  static int fork_that_waits() {
    const int pid = ::fork();
    if (pid != 0) return pid;
    for (;;) ::pause();
  }
  std::string agent() {
    for (const auto& each : runtime_.processes())
      if (each.address.object == 0) return std::to_string(each.pid);
    return "-1";
  }
  // A name that begins with "lazy" is that of an object that rests soon.
  ov::remote_ptr<HomeClerk>& clerk(const std::string& who) {
    auto [found, is_new] = clerks_.try_emplace(who);
    if (!is_new) return found->second;
    if (who == "object") found->second = runtime_.machine().make<HomeClerk>();
    else if (who.starts_with("other ")) found->second = ov::open<HomeClerk>(who.substr(6));
    else if (who.starts_with("lazy")) found->second = ov::named(who).resting_after(50ms).make<HomeClerk>();
    else found->second = ov::named(who).make<HomeClerk>();
    return found->second;
  }

  ov::Runtime runtime_;
  HomeClerk clerk_;
  std::map<std::string, ov::remote_ptr<HomeClerk>> clerks_;
};

[[noreturn]] inline void run_program(const ov::Fd& line, const std::string& home) {
  try {
    Household here(home);
    for (auto next = next_of(line); !next.empty() && next != "main|end||"; next = next_of(line)) {
      std::istringstream words(next);
      std::array<std::string, 4> said;
      for (auto& each : said) std::getline(words, each, '|');
      say(line, here.does(said[0], said[1], said[2], said[3]));
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "a program of the test: %s\n", e.what());
    std::_Exit(1);
  }
  std::_Exit(0);
}

inline std::string HomeClerk::does(const std::string& what, const std::string& box, const std::string& text) {
  try {
    return try_it(what, box, text);
  } catch (const ov::process_died& e) {
    return std::string("process died: ") + e.what();
  } catch (const ov::error& e) {
    return std::string(ov::to_string(e.kind())) + ": " + e.what();
  }
}

inline Program::Program(ov::kit::Watchdog& watchdog, const std::string& home) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) throw std::runtime_error("no socket pair");
  line_ = ov::Fd(ends[0]);
  ov::Fd theirs(ends[1]);
  pid_ = watchdog.fork();
  if (pid_ != 0) return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // of a test that fails
  line_.reset();
  run_program(theirs, home);
}

inline void Program::tell(const std::string& who, const std::string& what, const std::string& box, const std::string& text) {
  say(line_, who + "|" + what + "|" + box + "|" + text);
}

inline std::string Program::hear() {
  auto text = next_of(line_);
  return text.empty() ? "the program has ended" : text;
}

inline void Program::kill() {
  if (pid_ == 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(std::exchange(pid_, 0), nullptr, 0);
}

inline void Program::stop() {
  ::kill(pid_, SIGSTOP);
  ::waitpid(pid_, nullptr, WUNTRACED);
}

inline void Program::end() {
  tell("main", "end", "");
  int status = -1;
  ::waitpid(std::exchange(pid_, 0), &status, 0);
  EXPECT_EQ(status, 0);
}

class HomeBoxes : public testing::Test {
 protected:
  HomeBoxes() { std::filesystem::remove_all(home_); }  // of a process of the same number that was killed
  ~HomeBoxes() override {
    {
      const ov::Runtime runtime({.home = home_});
      ov::end_lasting_agent();
    }
    std::filesystem::remove_all(home_);
  }
  Program begin() { return {watchdog, home_}; }

  ov::kit::Watchdog watchdog{60};
  const std::string box = "ov://home/box";

 private:
  const std::string home_ = std::filesystem::temp_directory_path() / ("octavo-boxes-" + std::to_string(::getpid()));
};

}  // namespace message_tests
