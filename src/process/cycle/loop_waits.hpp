// SPDX-License-Identifier: Apache-2.0
// What a method awaits in an event loop of its own (Python's asyncio.run). Its thread stands there, in no wait of Octavo's: another one reads what is answered
// meanwhile, and its object cannot be called back. So the search for cycles takes all of this for what the method waits for (loop.cpp).
// Threading: any.
#pragma once

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "octavo/process/detail/state.hpp"
#include "process/polling/waiters.hpp"
#include "process/serve/served_calls.hpp"

namespace octavo::detail {

class LoopWaits : NoCopy {
 public:
  using Awaited = std::vector<std::shared_ptr<StateBase>>;
  // `read`: reads until `done`.
  using Read = std::function<void(const std::function<bool()>& done)>;
  LoopWaits(Waiters& waiters, Read read) : waiters_(waiters), read_(std::move(read)) {}
  ~LoopWaits() { end(); }

  // By this method: until it is ready, or left. Throws io_error where there can be no more threads.
  void begin(std::shared_ptr<StateBase> state, const ServedCalls::Run& by);
  void leave(const StateBase& state) noexcept;
  // What this method awaits, and is not ready.
  [[nodiscard]] Awaited of(const ServedCalls::Run& method);
  void end() noexcept;

 private:
  struct Wait {
    std::shared_ptr<StateBase> state;
    ServedCalls::Run by;
  };
  void run();
  bool is_over();  // nothing is awaited any more

  Waiters& waiters_;
  const Read read_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Wait> waits_;
  std::size_t sweep_at_ = 64;  // so many: then those that are ready go
  bool ends_ = false;
  std::thread thread_;  // from the first of them on
};

}  // namespace octavo::detail
