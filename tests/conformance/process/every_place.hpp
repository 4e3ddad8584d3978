// SPDX-License-Identifier: Apache-2.0
// The fixture of the tests that run on every place: the same text, wherever the object is put.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "conformance/process/counter.hpp"
#include "kit/watchdog.hpp"
#include "octavo/machine/ssh.hpp"

namespace process_tests {

namespace ov = octavo;
using testing::HasSubstr;

// Waits for a condition that another process or thread brings about.
template <class Condition>
void until(Condition condition) {
  while (!condition()) std::this_thread::sleep_for(std::chrono::microseconds(200));  // polls: what is waited for needs the cores too
}

inline bool alive(int pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string skip, state;
  return static_cast<bool>(stat >> skip >> skip >> state) && state != "Z" && state != "X";
}

// A place is a thread, a process, a played machine's name, or a link: a machine of this host that is reached by it.
inline bool is_link(const std::string& place) { return place == "ssh" || place == "files"; }
inline std::shared_ptr<ov::Engine> engine_of(const std::string& place, const std::string& home) {
  return is_link(place) ? ov::ssh({"box", "attic"}, {.shell = {"env"}, .link = place}) : ov::played({"box", "attic"}, home);
}

class EveryPlace : public testing::TestWithParam<std::string> {
 public:
  ~EveryPlace() override { std::filesystem::remove_all(home); }

 protected:
  ov::kit::Watchdog watchdog{60};
  std::filesystem::path home = std::filesystem::temp_directory_path() / ("octavo-played-" + std::to_string(::getpid()));
  ov::Runtime runtime{{.engine = engine_of(GetParam(), home.string())}};
  // All but the program and the agents of other machines.
  [[nodiscard]] std::size_t objects() const {
    auto all = runtime.processes();
    return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [](const auto& each) { return each.address.object > 1; }));
  }
  ov::Place here = GetParam() == "thread" ? ov::thread : GetParam() == "process" ? ov::process : runtime.machine(is_link(GetParam()) ? "box" : GetParam());
};
inline const auto every_place = testing::Values("thread", "process", "box");
// Those where an object has a process of its own, that can die alone.
inline const auto every_process = testing::Values("process", "box");
// Calls, pages, mailboxes, channels and collectives go over each.
inline const auto every_link = testing::Values("ssh", "files");
inline std::string name_of_place(const testing::TestParamInfo<std::string>& info) { return info.param; }

}  // namespace process_tests
