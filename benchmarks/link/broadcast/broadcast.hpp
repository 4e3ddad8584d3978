// SPDX-License-Identifier: Apache-2.0
// A broadcast of 32 bytes to the members of a group on several hosts, which files join: from when its root begins until the last member has it. All hosts are
// played on this one, so that one clock tells both. How many files leave each host for it is counted from outside, by inotify.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <octavo/group.hpp>
#include <octavo/process.hpp>
#include <string>
#include <vector>

#include "kit/engines/surroundings.hpp"

namespace bench {

inline constexpr std::size_t broadcast_bytes = 32;
inline constexpr int broadcasts = 60;

// Seconds of the monotonic clock, of the same one for all processes of this host.
double now_in_seconds();
// Of each broadcast from its root's begin to the last end: the median.
double median_until_last(const std::vector<double>& begins, const std::vector<std::vector<double>>& ends);

class Hearer {
 public:
  // When it began each (the root, member 0), or had each. All begin together.
  std::vector<double> hear(int count);
  // Each apart from what is before and after it, so that no file carries both: with a barrier only, or a broadcast behind each.
  void hear_apart(int count, bool hears);
};
OCTAVO_REMOTE(Hearer, hear, hear_apart)

struct Hosts {
  int hosts = 1, members = 1;  // on each
  [[nodiscard]] int all() const { return hosts * members; }
  [[nodiscard]] int depth() const;  // of a tree of all hosts
};

class BroadcastByFiles {
 public:
  explicit BroadcastByFiles(const Hosts& where);
  ~BroadcastByFiles();
  [[nodiscard]] double seconds() const;
  // For one broadcast, by "host0 to host2".
  [[nodiscard]] std::map<std::string, double> files_that_leave() const;

 private:
  octavo::kit::TemporaryDirectory directory_;
  std::unique_ptr<octavo::Runtime> runtime_;
  octavo::group<Hearer> members_;
};

// The paper's central directory: the root writes a message and its lock file, and each member looks for that again and again. Each host sees the directory by
// an sshfs of its own, over a real sshd; or, without, as it is.
class BroadcastByCentral {
 public:
  BroadcastByCentral(const Hosts& where, bool by_sshfs);
  ~BroadcastByCentral();
  static std::string missing();  // why there is no sshfs; empty: there is
  [[nodiscard]] double seconds();

 private:
  class Mounts;
  [[nodiscard]] std::string seen_by(int host) const;
  const Hosts where_;
  octavo::kit::TemporaryDirectory directory_;
  std::unique_ptr<Mounts> mounts_;
  int next_ = 0;
};

}  // namespace bench
