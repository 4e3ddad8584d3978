// SPDX-License-Identifier: Apache-2.0
#include "road/net/files/folder/life.hpp"

#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>

namespace octavo::road::files {

namespace {

std::uint64_t host() {
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  struct stat space {};
  if (boot.empty() || ::stat("/proc/self/ns/pid", &space) != 0) return 0;
  std::uint64_t value = space.st_ino;
  for (const char c : boot) value = value * 1099511628211U ^ static_cast<unsigned char>(c);
  return value;
}

std::uint64_t begun(std::int64_t pid) {
  constexpr int words_before = 19;  // behind the name, which may hold anything
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto name_ends = text.rfind(')');
  if (name_ends == std::string::npos) return 0;
  std::istringstream words(text.substr(name_ends + 1));
  std::string word;
  for (int i = 0; i < words_before; ++i) words >> word;
  std::uint64_t value = 0;
  words >> value;
  return value;
}

Fd watch(std::int64_t pid) { return Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))); }

// Its parent has not heard of it yet, and so it is in /proc still.
bool has_ended(std::int64_t pid) {
  const Fd process = watch(pid);
  if (!process) return errno == ESRCH;
  pollfd poll{process.get(), POLLIN, 0};
  return ::poll(&poll, 1, 0) == 1;
}

}  // namespace

Life own_life() { return {host(), begun(::getpid()), ::getpid()}; }

known look_at(const Life& life) {
  if (life.host == 0 || life.host != host() || life.pid <= 0) return known::nothing;
  return begun(life.pid) == life.begun && !has_ended(life.pid) ? known::lives : known::dead;
}

Fd watch(const Life& life) {
  if (look_at(life) == known::nothing) return {};
  return watch(life.pid);
}

std::string text_of(const Life& life) { return std::to_string(life.host) + ' ' + std::to_string(life.begun) + ' ' + std::to_string(life.pid); }

Life life_of(const std::string& text) {
  Life life;
  std::istringstream words(text);
  return words >> life.host >> life.begun >> life.pid ? life : Life{};
}

}  // namespace octavo::road::files
