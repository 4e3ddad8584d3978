// SPDX-License-Identifier: Apache-2.0
// Section 3.2 of the paper: who is derived from this knows its id and the other processes of its group.
#pragma once

#include <octavo/process.hpp>
#include <utility>
#include <vector>

namespace ov = octavo;

class ProcessGroupMember {
 public:
  virtual ~ProcessGroupMember() = default;
  int ID() const { return id; }
  int NumberOfProcesses() const { return N; }
  const std::vector<ov::remote_ptr<ProcessGroupMember>>& ProcessGroup() const { return group; }

  // my_group is a remote pointer to an array of remote pointers. It is copied once, and no call has to ask for it again (deep copy).
  virtual void SetProcessGroup(int my_id, int my_N, ov::remote_ptr<ov::remote_ptr<ProcessGroupMember>[]> my_group) {
    id = my_id;
    N = my_N;
    group.resize(N);
    for (int i = 0; i < N; i++) group[i] = my_group[i];  // remote copy
  }

  // barrier(): ready when every member has called it. Member 0 counts: its method returns a future, and so it can be called again before
  // that is ready. Members are coroutines that await it, for a process that waits runs no one else's calls, and member 0 must.
  ov::future<void> barrier() { return ov::start<&ProcessGroupMember::Arrive>(group[0]); }  // the arrow comes after the class
  ov::future<void> Arrive() {
    arrived.emplace_back();
    ov::future<void> all = arrived.back().get_future();
    if (static_cast<int>(arrived.size()) == N)
      for (auto& each : std::exchange(arrived, {})) each.set_value();
    return all;
  }

 private:
  int id = -1, N = 0;
  std::vector<ov::remote_ptr<ProcessGroupMember>> group;
  std::vector<ov::promise<void>> arrived;
};
OCTAVO_REMOTE(ProcessGroupMember, ID, NumberOfProcesses, SetProcessGroup, Arrive)
