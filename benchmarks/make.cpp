// SPDX-License-Identifier: Apache-2.0
// What an object as a process costs: making one, making 64 at once, and a connection in bytes.
// The limit of making one, in the same run and turn about: posix_spawn and exec of an empty program linked alike, to its first byte back.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <octavo/process.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "kit/clock.hpp"
#include "kit/report.hpp"

extern char** environ;

namespace {

constexpr int rounds = 301;
constexpr int rounds_of_many = 11;
constexpr std::size_t many = 64;

class Nothing {
 public:
  void nothing() {}
};
OCTAVO_REMOTE(Nothing, nothing)

// What a process's memory is made of, in bytes: its own, and what it has of the rings of its connections.
struct Memory {
  double own = 0, rings = 0;
};
Memory memory_now() {
  Memory sum;
  std::ifstream maps("/proc/self/smaps");
  bool ring = false;
  for (std::string word; maps >> word;) {
    if (word.find('-') != std::string::npos && word.find_first_not_of("0123456789abcdef-") == std::string::npos) {
      std::string rest;
      std::getline(maps, rest);
      ring = rest.find("memfd:octavo-ring") != std::string::npos;
    } else if (word == (ring ? "Rss:" : "Private_Dirty:")) {
      double kibibytes = 0;
      maps >> kibibytes;
      (ring ? sum.rings : sum.own) += kibibytes * 1024;
    }
  }
  return sum;
}

// Knows all others of a group.
class Hub {
 public:
  // The bytes of memory that each connection takes after 1000 calls: the rings, which both ends share, and what this end has of the heap twice.
  double bytes_of_each(const std::vector<octavo::remote_ptr<Nothing>>& others) {
    others.front()->nothing();
    auto before = memory_now();
    for (std::size_t i = 1; i < others.size(); ++i)
      for (int k = 0; k < 1000; ++k) others[i]->nothing();
    auto after = memory_now();
    return (after.rings - before.rings + 2 * (after.own - before.own)) / static_cast<double>(others.size() - 1);
  }
};
OCTAVO_REMOTE(Hub, bytes_of_each)

using Time = bench::Clock::time_point;
Time now() { return bench::Clock::now(); }

double spawn_and_first_byte(const std::string& program) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "making a pipe");
  octavo::Fd ours(pipe[0]), theirs(pipe[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, theirs.get(), STDOUT_FILENO);
  std::string name = program;
  std::array<char*, 2> arguments{name.data(), nullptr};
  pid_t pid = -1;
  auto begin = now();
  int error = ::posix_spawn(&pid, program.c_str(), &actions, nullptr, arguments.data(), environ);
  if (error != 0) throw std::system_error(error, std::generic_category(), "starting '" + program + "'");
  theirs.reset();
  char byte = 0;
  bool came = ::read(ours.get(), &byte, 1) == 1;
  double spent = bench::milliseconds_since(begin);
  posix_spawn_file_actions_destroy(&actions);
  ::waitpid(pid, nullptr, 0);
  if (!came) throw std::runtime_error("'" + program + "' did not say its byte");
  return spent;
}

void destroy_all(std::vector<octavo::remote_ptr<Nothing>>& all) {
  for (const auto& each : all) octavo::destroy(each);
  all.clear();
}

double make_one() {
  auto begin = now();
  auto object = octavo::process.make<Nothing>();
  double spent = bench::milliseconds_since(begin);
  octavo::destroy(object);
  return spent;
}

double make_many_in_turn(std::vector<octavo::remote_ptr<Nothing>>& all) {
  auto begin = now();
  for (std::size_t i = 0; i < many; ++i) all.push_back(octavo::process.make<Nothing>());
  return bench::milliseconds_since(begin);
}

double make_many_at_once(std::vector<octavo::remote_ptr<Nothing>>& all) {
  std::vector<octavo::future<octavo::remote_ptr<Nothing>>> begun;
  auto begin = now();
  for (std::size_t i = 0; i < many; ++i) begun.push_back(octavo::start(octavo::process).make<Nothing>());
  for (auto& each : begun) all.push_back(each.get());
  return bench::milliseconds_since(begin);
}

}  // namespace

int main(int argc, char** argv) {
  octavo::Runtime runtime(argc, argv);
  try {
    auto file = bench::json_file(argc, argv);
    auto program = (std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "bin" / "empty_program").string();
    std::vector<double> limits, ones, turns, at_once, connections;
    make_one();
    for (int i = 0; i < rounds; ++i) {
      limits.push_back(spawn_and_first_byte(program));
      ones.push_back(make_one());
    }
    std::vector<octavo::remote_ptr<Nothing>> all;
    for (int i = 0; i < rounds_of_many; ++i) {
      turns.push_back(make_many_in_turn(all));
      destroy_all(all);
      at_once.push_back(make_many_at_once(all));
      auto hub = octavo::scoped(octavo::process.make<Hub>());
      connections.push_back(hub->bytes_of_each(all) / 1024);
      destroy_all(all);
    }
    nlohmann::ordered_json conditions = {{"cores", ::sysconf(_SC_NPROCESSORS_ONLN)}};
    std::array<double, 3> load{};
    if (::getloadavg(load.data(), 3) > 0) conditions["load"] = bench::rounded(load[0]);
    auto many_conditions = conditions;
    conditions["rounds"] = rounds;
    conditions["least_limit"] = bench::rounded(*std::min_element(limits.begin(), limits.end()));  // what is left of it where others use the cores
    many_conditions["rounds"] = rounds_of_many;
    many_conditions["processes"] = many;
    auto limit_of = [](const char* name, const std::vector<double>& values) { return std::pair<std::string, double>(name, bench::median(values)); };
    bench::report(
        {{.name = "make", .values = ones, .unit = "ms", .limit = limit_of("an empty program", limits), .lower_is_better = true, .conditions = conditions},
         {.name = "make 64 at once",
          .values = at_once,
          .unit = "ms",
          .limit = limit_of("one after the other", turns),
          .lower_is_better = true,
          .conditions = many_conditions},
         {.name = "connection", .values = connections, .unit = "KiB", .limit = {"aim", 32}, .lower_is_better = true, .conditions = many_conditions}},
        file);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make: %s\n", error.what());
    return 1;
  }
}
