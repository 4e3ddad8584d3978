// SPDX-License-Identifier: Apache-2.0
// What an agent and its processes say to each other of segments of the home, ov://home/..., which the lasting agent of the machine keeps.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace octavo::control {

// Process to agent, and on to the lasting agent: the memory of this segment, which is made, of zeros, if nobody has it. Answered HomeSegmentAt.
struct HomeSegmentRequest {
  std::uint64_t request = 0;
  std::string name, type;
  std::uint64_t elements = 0, bytes = 0;
};
// It is a descriptor of the lasting agent, for as long as somebody has it: a process of the same user opens /proc/PID/fd/DESCRIPTOR.
struct HomeSegmentAt {
  std::uint64_t request = 0;
  std::int64_t pid = 0;
  int descriptor = -1;
  std::uint64_t inode = 0;
};
// The same way as the request: the requester has it once less. Answered Done.
struct HomeSegmentLeft {
  std::uint64_t request = 0;
  std::string name;
  std::uint64_t inode = 0;
};

using HomeSegmentNotice = std::variant<HomeSegmentRequest, HomeSegmentAt, HomeSegmentLeft>;

}  // namespace octavo::control
