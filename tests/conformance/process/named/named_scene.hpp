// SPDX-License-Identifier: Apache-2.0
// A class whose objects have names, and a program with a home of its own that can end and begin again.
#pragma once

#include <csignal>
#include <filesystem>
#include <optional>

#include "conformance/process/every_place.hpp"

namespace process_tests {

class Ledger {
 public:
  Ledger() = default;
  explicit Ledger(int first) {
    if (first < 0) throw too_much("no ledger begins below 0");
    numbers_.push_back(first);
  }
  virtual ~Ledger() = default;
  std::size_t add(int n) {
    numbers_.push_back(n);
    return numbers_.size();
  }
  [[nodiscard]] std::vector<int> numbers() const { return numbers_; }
  [[nodiscard]] int pid() const { return ::getpid(); }
  void sleep_until_killed() const {
    for (;;) ::pause();
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(numbers_);
  }

 private:
  std::vector<int> numbers_;
};
OCTAVO_REMOTE(Ledger, add, numbers, pid, sleep_until_killed)

class Journal : public Ledger {
 public:
  Journal() = default;
  explicit Journal(int first, std::string title) : Ledger(first), title_(std::move(title)) {}
  std::string title() const { return title_; }
  template <class Archive>
  void serialize(Archive& archive) {
    Ledger::serialize(archive);
    archive(title_);
  }

 private:
  std::string title_;
};
OCTAVO_REMOTE(Journal, (Ledger), title)

class NamedObjects : public testing::Test {
 protected:
  NamedObjects() {
    std::filesystem::remove_all(home);  // of a process of the same number that was killed
    begin();
  }
  ~NamedObjects() override {
    end_agent(SIGTERM);
    runtime.reset();
    std::filesystem::remove_all(home);
  }
  void begin() { runtime.emplace(ov::RuntimeOptions{.home = home.string()}); }
  // As another program would: nothing of the first is known to the second.
  void as_another_program() {
    runtime.reset();
    begin();
  }
  // With a second machine, "box", played in `box_folder`. end_box() also ends the lasting agents of both.
  void begin_with_box() {
    runtime.reset();
    runtime.emplace(ov::RuntimeOptions{.engine = ov::played({"box"}, box_folder.string()), .home = home.string()});
  }
  void end_box() {
    begin_with_box();
    ov::end_lasting_agent(runtime->machine("box"));
    ov::end_lasting_agent();
    runtime.reset();
    std::filesystem::remove_all(box_folder);
    begin();
  }
  int agent() {
    for (const auto& each : runtime->processes())
      if (each.address.object == 0) return static_cast<int>(each.pid);
    return -1;
  }
  // Waits also for its objects: they end after an agent that is killed, and answer their callers until then.
  void end_agent(int signal) {
    int pid = agent();
    if (pid < 0) return;
    const auto objects = ov::names();
    ::kill(pid, signal);
    until([&] { return !alive(pid); });
    for (const auto& each : objects) until([&] { return each.pid == 0 || !alive(static_cast<int>(each.pid)); });
  }
  ov::kit::Watchdog watchdog{60};
  std::filesystem::path home = std::filesystem::temp_directory_path() / ("octavo-names-" + std::to_string(::getpid()));
  std::filesystem::path box_folder = std::filesystem::path(home.string() + "-box");
  std::optional<ov::Runtime> runtime;
};

using Numbers = std::vector<int>;

}  // namespace process_tests
