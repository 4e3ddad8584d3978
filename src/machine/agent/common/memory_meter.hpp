// SPDX-License-Identifier: Apache-2.0
// The peaks of what an agent's processes use: their anonymous memory, their connections, and the pool.
//
//   MemoryMeter meter(anonymous_bytes);
//   meter.sample(pool.resident_bytes(), ring_bytes, processes);
//
// Threading: sample() by one thread, the peaks by any.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

namespace octavo::agent {

// 0: there is no such process.
std::int64_t anonymous_bytes(pid_t pid);

class MemoryMeter {
 public:
  struct Process {
    bool is_program = false;
    pid_t pid = 0;  // 0: an object on a thread of another's
    std::size_t connections = 0;
  };
  explicit MemoryMeter(std::function<std::int64_t(pid_t pid)> anonymous) : anonymous_(std::move(anonymous)) {}
  void sample(std::int64_t pool_bytes, std::int64_t ring_bytes, const std::vector<Process>& processes);
  [[nodiscard]] std::int64_t peak() const noexcept { return peak_.load(); }
  [[nodiscard]] std::int64_t peak_program() const noexcept { return peak_program_.load(); }

 private:
  const std::function<std::int64_t(pid_t pid)> anonymous_;
  std::atomic<std::int64_t> peak_{0}, peak_program_{0};
};

}  // namespace octavo::agent
