// SPDX-License-Identifier: Apache-2.0
// Calls whose methods have returned a future, or are coroutines that wait: their replies go when those are ready (C-12). A probe for such a call goes
// on along what its future needs (src/process/cycle/cycle.cpp).
// Threading: the thread that runs methods.
#pragma once

#include <utility>

#include "octavo/process/detail/state.hpp"
#include "process/cycle/probe.hpp"

namespace octavo::detail {

class Unanswered {
 public:
  struct Call {
    std::weak_ptr<StateBase> result;
    Passed passed;
  };
  void add(const Address& caller, std::uint64_t call, std::weak_ptr<StateBase> result);
  // Null: there is none, or its result is ready.
  Call* find(const Address& caller, std::uint64_t call);

 private:
  static bool open(const Call& call);
  std::map<std::pair<Address, std::uint64_t>, Call> calls_;
  std::size_t sweep_at_ = 64;  // so many: then the answered ones go
};

}  // namespace octavo::detail
