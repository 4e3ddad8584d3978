// SPDX-License-Identifier: Apache-2.0
// Programs that mailboxes make one stream: each a fork of the test.
#pragma once

#include <sys/prctl.h>
#include <sys/wait.h>

#include <csignal>
#include <filesystem>
#include <functional>

#include "conformance/stream/stages.hpp"
#include "octavo/base/fd.hpp"

namespace stream_tests {

// A fork of the test, which has no Runtime itself: says what its work gives, or the text of the error.
class Program {
 public:
  Program(ov::kit::Watchdog& watchdog, const std::string& home, const std::function<std::string()>& work) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
    from_ = ov::Fd(ends[0]);
    const ov::Fd to(ends[1]);
    pid_ = watchdog.fork();
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // of a test that fails
    const auto said = result_of(home, work);
    std::_Exit(::write(to.get(), said.data(), said.size()) == static_cast<ssize_t>(said.size()) ? 0 : 1);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    kill();
    ::waitpid(pid_, nullptr, 0);
  }
  void kill() const { ::kill(pid_, SIGKILL); }
  // At its end; nothing if it was killed.
  [[nodiscard]] std::string said() const {
    std::string text(4096, 0);
    const auto n = ::read(from_.get(), text.data(), text.size());
    text.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
    return text;
  }

 private:
  static std::string result_of(const std::string& home, const std::function<std::string()>& work) {
    const ov::Runtime runtime({.home = home});
    try {
      return work();
    } catch (const ov::cancelled& e) {
      return std::string("cancelled: ") + e.what();
    } catch (const std::exception& e) {
      return e.what();
    }
  }
  pid_t pid_ = 0;
  ov::Fd from_;
};

class StreamBoxes : public testing::Test {
 protected:
  StreamBoxes() { std::filesystem::remove_all(home_); }
  ~StreamBoxes() override {
    {
      const ov::Runtime runtime({.home = home_});
      ov::end_lasting_agent();
    }
    std::filesystem::remove_all(home_);
  }
  [[nodiscard]] auto program(const std::function<std::string()>& work) { return std::make_unique<Program>(watchdog, home_, work); }

  ov::kit::Watchdog watchdog{60};

 private:
  const std::string home_ = std::filesystem::temp_directory_path() / ("octavo-streams-" + std::to_string(::getpid()));
};

inline const std::string box = "ov://home/items";

inline auto endless() {
  return [n = 0]() mutable -> std::optional<int> { return n++; };
}

// A stream that gives these numbers to the box.
inline std::string give(int count) {
  return std::to_string(ov::pipeline(numbers(count), ov::farm<Times>(2).workers(2), ov::StreamBox<int>(box)).run().delivered);
}
inline std::string take() {
  std::int64_t count = 0;
  bool in_order = true;
  ov::pipeline(
      ov::StreamBox<int>(box), [](int x) { return x / 2; }, [&](int x) { in_order = in_order && x == count++; })
      .run();
  return std::to_string(count) + (in_order ? " in order" : " out of order");
}

}  // namespace stream_tests
