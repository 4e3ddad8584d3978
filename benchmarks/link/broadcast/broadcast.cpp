// SPDX-License-Identifier: Apache-2.0
#include "link/broadcast/broadcast.hpp"

#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <octavo/base/error.hpp>
#include <octavo/group/self.hpp>
#include <octavo/machine/ssh.hpp>
#include <thread>

#include "kit/clock.hpp"
#include "kit/report.hpp"
#include "road/net/files/folder/life.hpp"
#include "road/net/files/run_directory.hpp"

namespace bench {

namespace {

namespace files = octavo::road::files;
namespace fs = std::filesystem;
constexpr int counted = 20;
constexpr auto apart = std::chrono::milliseconds(10);

octavo::RuntimeOptions options(const Hosts& where, const fs::path& directory) {
  std::vector<std::string> names;
  for (int host = 1; host < where.hosts; ++host) names.push_back("host" + std::to_string(host));
  octavo::RuntimeOptions options;
  if (!names.empty()) options.engine = octavo::ssh(names, {.shell = {"env"}, .link = "files:" + directory.string()});
  return options;
}

// Member 0 is on this host, and those of a host follow each other.
std::vector<octavo::Place> places(octavo::Runtime& runtime, const Hosts& where) {
  std::vector<octavo::Place> found;
  for (int host = 0; host < where.hosts; ++host)
    for (int member = 0; member < where.members; ++member)
      found.push_back(host == 0 ? octavo::Place(octavo::process) : octavo::Place(runtime.machine("host" + std::to_string(host))));
  return found;
}

std::int64_t pid_in(const fs::path& file) {
  std::string line;
  std::getline(std::ifstream(file), line);
  return files::life_of(line).pid;
}

// Files that are renamed into the directories that agents read, by the hosts that they come from and go to.
class Watched {
 public:
  Watched(const fs::path& directory, const std::map<std::int64_t, std::string>& hosts) : inotify_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
    if (!inotify_) throw octavo::io_error_from(errno, "counting files");
    for (const auto& run : fs::directory_iterator(directory))
      for (const auto& connection : fs::directory_iterator(run.path())) {
        if (!fs::exists(connection.path() / "dialer")) continue;
        const auto &dialer = hosts.at(pid_in(connection.path() / "dialer")), &owner = hosts.at(pid_in(run.path() / "owner"));
        watch(files::to_owner(connection.path().string()), dialer + " to " + owner);
        watch(files::to_dialer(connection.path().string()), owner + " to " + dialer);
      }
  }
  std::map<std::string, double> taken() {
    std::map<std::string, double> counts;
    alignas(inotify_event) std::array<char, 65536> events{};
    for (ssize_t n = 0; (n = ::read(inotify_.get(), events.data(), events.size())) > 0;)
      for (ssize_t at = 0; at < n;) {
        inotify_event event{};
        std::memcpy(&event, events.data() + at, sizeof event);
        at += static_cast<ssize_t>(sizeof event + event.len);
        if ((event.mask & IN_Q_OVERFLOW) != 0) throw std::runtime_error("more files than the kernel tells of");
        ++counts[ways_.at(event.wd)];
      }
    return counts;
  }

 private:
  void watch(const std::string& folder, const std::string& way) {
    const int number = ::inotify_add_watch(inotify_.get(), folder.c_str(), IN_MOVED_TO | IN_ONLYDIR);
    if (number < 0) throw octavo::io_error_from(errno, "counting files in '" + folder + "'");
    ways_[number] = way;
  }
  octavo::Fd inotify_;
  std::map<int, std::string> ways_;
};

}  // namespace

double now_in_seconds() { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); }

double median_until_last(const std::vector<double>& begins, const std::vector<std::vector<double>>& ends) {
  std::vector<double> took;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    double last = begins[i];
    for (const auto& each : ends) last = std::max(last, each.at(i));
    took.push_back(last - begins[i]);
  }
  return median(std::move(took));
}

int Hosts::depth() const {
  int depth = 0;
  while (1 << depth < hosts) ++depth;
  return depth;
}

std::vector<double> Hearer::hear(int count) {
  const auto me = octavo::self<Hearer>();
  const bool is_root = me.index() == 0;
  std::vector<double> times;
  for (int i = 0; i < count; ++i) {
    me.barrier();
    if (is_root) times.push_back(now_in_seconds());
    static_cast<void>(me.broadcast(std::string(broadcast_bytes, 'x'), 0));
    if (!is_root) times.push_back(now_in_seconds());
  }
  return times;
}

void Hearer::hear_apart(int count, bool hears) {
  const auto me = octavo::self<Hearer>();
  for (int i = 0; i < count; ++i) {
    me.barrier();
    std::this_thread::sleep_for(apart);
    if (hears) static_cast<void>(me.broadcast(std::string(broadcast_bytes, 'x'), 0));
    std::this_thread::sleep_for(apart);
  }
}

BroadcastByFiles::BroadcastByFiles(const Hosts& where)
    : runtime_(std::make_unique<octavo::Runtime>(options(where, directory_.path()))),
      members_(octavo::make_group<Hearer>(places(*runtime_, where), static_cast<std::size_t>(where.all()))) {
  static_cast<void>(seconds());
}
BroadcastByFiles::~BroadcastByFiles() = default;

double BroadcastByFiles::seconds() const {
  auto all = members_->hear(broadcasts);
  const auto begins = std::move(all.front());
  all.erase(all.begin());
  return median_until_last(begins, all);
}

// What a barrier and a broadcast take, without what a barrier takes.
std::map<std::string, double> BroadcastByFiles::files_that_leave() const {
  std::map<std::int64_t, std::string> hosts{{::getpid(), "host0"}};
  for (const auto& each : runtime_->processes())
    if (each.address.object == 0 && each.pid != ::getpid()) hosts[each.pid] = each.machine;
  Watched watched(directory_.path(), hosts);
  members_->hear_apart(counted, true);
  auto found = watched.taken();
  members_->hear_apart(counted, false);
  for (const auto& [way, count] : watched.taken()) found[way] -= count;
  for (auto& [way, count] : found) count /= counted;
  return found;
}

}  // namespace bench
