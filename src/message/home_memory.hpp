// SPDX-License-Identifier: Apache-2.0
// The memory of a segment of the home (SEG-6), as a process maps it: the lasting agent says under which of its descriptors it is.
//
//   HomeMemory memory({0, "ov://home/heat", "float64", 100, 800});
//   memory.at();
//   memory.leave(agent);                      // this process has it once less
//
// Threading: any. Failure: what the lasting agent says; io_error where the memory cannot be mapped.
#pragma once

#include "octavo/base/no_copy.hpp"
#include "process/peers/agent_client.hpp"

namespace octavo::detail {

class HomeMemory : NoCopy {
 public:
  explicit HomeMemory(const control::HomeSegmentRequest& request);
  ~HomeMemory();
  [[nodiscard]] void* at() const noexcept { return at_; }
  void leave(AgentClient& agent) const noexcept;

 private:
  const std::string name_;
  const std::size_t bytes_;
  std::uint64_t inode_ = 0;
  void* at_ = nullptr;
};

}  // namespace octavo::detail
