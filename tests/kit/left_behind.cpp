// SPDX-License-Identifier: Apache-2.0
#include "kit/left_behind.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

namespace octavo::kit {

namespace fs = std::filesystem;

namespace {

// The state and the parent; a class name with spaces is in brackets before them.
std::pair<char, int> state_of(const fs::path& file) {
  std::ifstream stat(file);
  std::string line;
  if (!std::getline(stat, line)) return {'X', 0};
  auto at = line.rfind(") ");
  if (at == std::string::npos) return {'X', 0};
  return {line[at + 2], std::stoi(line.substr(at + 4))};
}

std::pair<char, int> state_of(int pid) { return state_of("/proc/" + std::to_string(pid) + "/stat"); }

template <class Condition>
void until(Condition condition) {
  while (!condition()) std::this_thread::sleep_for(std::chrono::milliseconds(1));  // asks /proc, which cannot tell
}

}  // namespace

bool alive(int pid) {
  char state = state_of(pid).first;
  return state != 'Z' && state != 'X';
}
void await_end(int pid) {
  until([&] { return !alive(pid); });
}

void stop(int pid) {
  ::kill(pid, SIGSTOP);
  auto tasks = "/proc/" + std::to_string(pid) + "/task";
  until([&] {
    return std::all_of(fs::directory_iterator(tasks), fs::directory_iterator(), [](const auto& task) { return state_of(task.path() / "stat").first == 'T'; });
  });
}

void await_rings(int pid, std::size_t at_most) {
  until([&] {
    std::ifstream maps("/proc/" + std::to_string(pid) + "/maps");
    std::size_t rings = 0;
    for (std::string line; std::getline(maps, line);) rings += line.find("memfd:octavo-ring") != std::string::npos;
    return rings <= at_most;
  });
}

std::set<std::string> shared_memory_files() {
  constexpr std::array others{"sm_segment.", "psm_", "sem.mp-", "octavo-data-"};
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator("/dev/shm")) {
    std::string name = entry.path().filename().string();
    if (std::none_of(others.begin(), others.end(), [&](const char* other) { return name.starts_with(other); })) names.insert(name);
  }
  return names;
}

std::set<std::string> shared_memory_since(const std::set<std::string>& before) {
  std::set<std::string> since;
  for (auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);;) {
    auto now = shared_memory_files();
    since.clear();
    std::set_difference(now.begin(), now.end(), before.begin(), before.end(), std::inserter(since, since.end()));
    if (since.empty() || std::chrono::steady_clock::now() > end) return since;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));  // asks a directory, which cannot tell
  }
}

void await_lingering() {
  until([] {
    return std::none_of(fs::directory_iterator("/proc/self/task"), fs::directory_iterator(), [](const auto& task) {
      std::string name;
      std::getline(std::ifstream(task.path() / "comm"), name);
      return name == "octavo-linger";
    });
  });
}

std::vector<std::string> open_descriptors() {
  std::vector<std::string> all;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code gone;  // the listing's own
    auto what = fs::read_symlink(entry.path(), gone).string();
    if (gone || what.find("/fd") != std::string::npos) continue;
    all.push_back(what.substr(0, what.find('[')));
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<int> children() {
  std::vector<int> all;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    auto name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (state_of(std::stoi(name)).second == ::getpid()) all.push_back(std::stoi(name));
  }
  return all;
}

long resident_kibibytes(int pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string word; status >> word;) {
    if (word != "RssAnon:") continue;
    long kibibytes = 0;
    status >> kibibytes;
    return kibibytes;
  }
  return 0;
}

}  // namespace octavo::kit
