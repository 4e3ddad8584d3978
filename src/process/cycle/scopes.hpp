// SPDX-License-Identifier: Apache-2.0
// What the thread that runs an object's methods is in, while these live: a call of a root, and a wait.
#pragma once

#include <utility>

#include "process/endpoint.hpp"

namespace octavo::detail {

class Endpoint::RootScope {
 public:
  RootScope(Endpoint& here, std::uint64_t root, std::uint8_t depth = 0)
      : here_(here), before_(std::exchange(here.root_, root)), depth_before_(std::exchange(here.call_depth_, depth)) {
    if (!outermost()) return;
    here.stray_ = true;  // as long as nothing better is known
    here.root_begun_here_ = false;
  }
  ~RootScope() {
    here_.root_ = before_;
    here_.call_depth_ = depth_before_;
  }
  RootScope(const RootScope&) = delete;
  RootScope& operator=(const RootScope&) = delete;
  [[nodiscard]] bool outermost() const noexcept { return before_ == 0; }

 private:
  Endpoint& here_;
  std::uint64_t before_;
  std::uint8_t depth_before_;
};

// What the method that runs waits for, without a deadline: a state, or a letter of a member. Neither: nothing that is known.
class Endpoint::AwaitScope {
 public:
  AwaitScope(Endpoint& here, const StateBase* state, const AwaitedLetter* letter);
  ~AwaitScope();
  AwaitScope(const AwaitScope&) = delete;
  AwaitScope& operator=(const AwaitScope&) = delete;
  // Set when what waits for a letter was found to be in a cycle.
  [[nodiscard]] std::exception_ptr cycle() const { return mine_ && here_.awaited_.chase ? here_.awaited_.chase->cycle : nullptr; }

 private:
  Endpoint& here_;
  bool mine_;  // this thread runs methods: of others nothing is known
  Awaited before_;
};

}  // namespace octavo::detail
