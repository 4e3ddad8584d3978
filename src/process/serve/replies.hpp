// SPDX-License-Identifier: Apache-2.0
// How answers leave an endpoint: each goes back the way its call came, or by another connection with the same caller.
//
// Contract: an answer that has no way back to a caller that lives is logged, and its caller's inquiry finds out.
// Threading: any; what is asked by the thread that runs methods, or under its root.
#pragma once

#include "octavo/process/detail/other_languages.hpp"
#include "process/sending/sender.hpp"
#include "process/serve/origin.hpp"
#include "process/serve/owed_replies.hpp"

namespace octavo::detail {

class Replies {
 public:
  // What only others know of a reply.
  struct Asks {
    // What descends from this root may still run, here or elsewhere (C-3). `before`: it could when its method returned.
    std::function<bool(std::uint64_t root, bool before)> others_may_run;
    // This call is answered when `result` is ready.
    std::function<void(const Address& caller, std::uint64_t call, const std::shared_ptr<StateBase>& result)> comes_later;
    // Of the reply to a call of a method. Throws: the caller hears of that instead.
    std::function<void()> before_reply;
    // The answer is about to leave: `error`, or a value.
    std::function<void(const CallToAll& which, const std::exception_ptr& error)> answers_call_to_all;
  };
  Replies(const Surroundings& around, Poller& poller, const Sender& sender, const CallContext& context, Asks asks);

  void send(const Origin& to, wire::Outgoing& out) const;
  // A child that a method has forked ends here: what the method returned or threw there is no answer to anybody.
  void end_if_forked(const std::exception_ptr& error = nullptr) const {
    if (forks() != life_) end_forked(error);
  }
  [[nodiscard]] const Asks& asks() const noexcept { return asks_; }
  // Of those that were kept and are still owed.
  [[nodiscard]] const std::shared_ptr<OwedReplies>& owed() const noexcept { return owed_; }
  void count_owed(int change) const noexcept { around_.row.owes(change); }
  [[nodiscard]] const Pool& pool() const noexcept { return around_.pool; }
  [[nodiscard]] const ProcessFacts& self() const noexcept { return around_.self; }

 private:
  [[noreturn]] static void end_forked(const std::exception_ptr& error);
  void send_by(road::Connection& connection, const std::optional<wire::PageRoute>& route, wire::Outgoing& out) const;

  const Surroundings around_;
  Poller& poller_;
  const Sender& sender_;
  const CallContext& context_;
  const Asks asks_;
  const unsigned life_ = forks();                                              // of the process that serves
  const std::shared_ptr<OwedReplies> owed_ = std::make_shared<OwedReplies>();  // a kept reply may outlive the endpoint
};

}  // namespace octavo::detail
