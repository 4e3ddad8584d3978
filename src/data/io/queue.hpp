// SPDX-License-Identifier: Apache-2.0
// The seam between the disk engine and the kernel: transfers go in, completions come out, in any order.
//
// One thread submits and waits; wake() may come from any thread. Two implementations: io_uring, and a few threads that call pread and
// pwrite, for systems that forbid io_uring and for tests that need a disk which fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace octavo {

struct Transfer {
  bool writing = false;
  bool direct = false;  // `file` was opened with O_DIRECT
  int file = -1;
  std::byte* memory = nullptr;
  std::int64_t length = 0, offset = 0;
  std::uint64_t tag = 0;
};

struct Completion {
  std::uint64_t tag;
  std::int64_t result;  // bytes, or -errno
};

class DiskQueue {
 public:
  virtual ~DiskQueue() = default;  // only when nothing is under way
  virtual void submit(const Transfer& transfer) = 0;
  // Makes sure that what was submitted is under way (wait() does so too).
  virtual void flush() = 0;
  // Appends what has completed; waits until something has, or wake() was called since the last wait.
  virtual void wait(std::vector<Completion>& completed) = 0;
  virtual void wake() = 0;
};

// Decides what happens to the n-th transfer (from 0): nothing (it is done), a number of bytes (not more are moved), or -errno.
using Fault = std::function<std::optional<std::int64_t>(const Transfer& transfer, std::int64_t n)>;

// Null where the kernel has no io_uring or forbids it.
std::unique_ptr<DiskQueue> make_uring_queue(int entries);
std::unique_ptr<DiskQueue> make_thread_queue(int threads, Fault fault = {});

}  // namespace octavo
