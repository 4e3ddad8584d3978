// SPDX-License-Identifier: Apache-2.0
// The callee's end of the shortest way: a call of a few numbers is run from its line of the lane, and its answer is the next line back. No message
// is made. Whatever is not as usual is left to the way of every call (object_server.cpp), which finds the line where it lies.
// Threading: the thread that runs methods, which is the reader.
#pragma once

#include "process/serve/executor.hpp"
#include "process/serve/known_methods.hpp"
#include "process/serve/replies.hpp"
#include "process/serve/served_calls.hpp"

namespace octavo::detail {

class SmallCalls {
 public:
  SmallCalls(const Surroundings& around, Poller& poller, CallContext& context, ServedCalls& served, const Executor& executor, const Replies& replies,
             KnownMethods& methods)
      : around_(around), poller_(poller), context_(context), served_(served), executor_(executor), replies_(replies), methods_(methods) {}

  // Runs the next call, if it is such a one, in the turn of its connection. False: something else is to be done first.
  bool serve_one(Hosted& object);
  // A caller that called twice calls again, most likely, as soon as it has its answer: looks for a moment where that will show itself.
  void await_next() const;

 private:
  bool serve_from(std::size_t at, Hosted& object);
  void run(const wire::SmallFrame& call, const Method& method, void* object, ArrivedCall& arrived);
  [[nodiscard]] bool something_else() const { return !served_.none_queued() || poller_.something_changed() || executor_.has(); }

  const Surroundings around_;
  Poller& poller_;
  CallContext& context_;
  ServedCalls& served_;
  const Executor& executor_;
  const Replies& replies_;
  KnownMethods& methods_;
  LinkView::Position last_caller_;
  bool called_again_ = false;  // and the one before
};

}  // namespace octavo::detail
