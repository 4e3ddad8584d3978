// SPDX-License-Identifier: Apache-2.0
// Section 3.2 of the paper: who is derived from this knows its id and the other processes of its group.
#pragma once

#include <octavo/group/self.hpp>
#include <octavo/process.hpp>
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

  // Nobody goes on before all have come. It needs the ov::group that whoever made the processes has made of them (see main.cpp).
  static void barrier() { ov::self<ProcessGroupMember>().barrier(); }

 private:
  int id = -1, N = 0;
  std::vector<ov::remote_ptr<ProcessGroupMember>> group;
};
OCTAVO_REMOTE(ProcessGroupMember, ID, NumberOfProcesses, SetProcessGroup)
