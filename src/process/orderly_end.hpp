// SPDX-License-Identifier: Apache-2.0
// How the process of an object ends when its program does in order: its agent has closed the control socket, and waits for 5 s until it kills. The object is
// destroyed, then come the hooks of its language (ServerHooks). A method that runs then has a moment to return, and is interrupted where its language can.
//
//   OrderlyEnd end(hooks);
//   AttachedEndpoint attached(..., [&](OwnRow& row) { end.agent_is_lost(row); });
//   ... serve();  end.serving_is_over();
//
// Threading: agent_is_lost() by the watch thread, for good; the rest by the one that runs methods.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "machine/board/board.hpp"
#include "octavo/base/no_copy.hpp"
#include "octavo/process/runtime.hpp"

namespace octavo::detail {

class OrderlyEnd : NoCopy {
 public:
  explicit OrderlyEnd(const ServerHooks& hooks) : hooks_(hooks) {}

  // Returns never: the process ends meanwhile, or here.
  [[noreturn]] void agent_is_lost(const OwnRow& row);
  void serving_is_over();
  // What the object's language does, within 5 s: the process ends then in any case.
  void finish(const std::function<void()>& destroy) const;

 private:
  bool over_within(std::chrono::milliseconds time);

  const ServerHooks& hooks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
};

}  // namespace octavo::detail
