// SPDX-License-Identifier: Apache-2.0
// One read or write on its way through the disk engine, and the bounded queue in which it waits to be begun.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "data/io/block_disk.hpp"
#include "data/io/convert.hpp"
#include "data/io/files/files.hpp"
#include "data/io/part_walk.hpp"
#include "octavo/data/phases.hpp"

namespace octavo {

struct Request {
  bool writing;
  StoredBlock block;
  Box part;
  dtype memory_type;
  Tile tile;  // of a write too; its memory is then only read
  std::vector<std::byte> fill;
  Done done;
  Converter convert;
  PartWalk walk;
  std::uint64_t number = 0;

  // The engine's:
  std::shared_ptr<OpenFile> file = nullptr;
  std::exception_ptr error = nullptr;
  int open_slots = 0;
  bool all_begun = false;

  [[nodiscard]] phase kind() const noexcept { return writing ? phase::writing : phase::reading; }
};

class RequestQueue {
 public:
  RequestQueue(int capacity, std::function<void()> wake) : capacity_(static_cast<std::size_t>(capacity)), wake_(std::move(wake)) {}

  // Waits for room, except on the engine's own thread: only that thread makes room.
  void push(const std::shared_ptr<Request>& request);
  std::shared_ptr<Request> take();
  void finished(const Request& request);
  // Until all writes pushed before the call have finished.
  void wait_for_writes();
  void serve_on(std::thread::id engine_thread) { engine_thread_ = engine_thread; }

 private:
  void enter_write(std::uint64_t number);
  std::size_t capacity_;
  std::function<void()> wake_;
  std::thread::id engine_thread_;
  std::mutex mutex_;
  std::condition_variable room_, written_;
  std::deque<std::shared_ptr<Request>> queue_;
  std::set<std::uint64_t> writes_;  // numbers of those not finished
  std::uint64_t next_number_ = 0;
};

}  // namespace octavo
