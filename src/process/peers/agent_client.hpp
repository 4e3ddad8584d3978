// SPDX-License-Identifier: Apache-2.0
// The requests of this process to its agent, and their answers.
// Threading: any. Failure: what the agent says (Failed) is thrown as its kind; gone_error where there is no agent any more; io_error for an answer of
// another kind.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <variant>

#include "machine/control.hpp"
#include "process/peers/peer_link.hpp"
#include "process/peers/sleep_until.hpp"

namespace octavo::detail {

class AgentClient {
 public:
  // A connection answers Connect, Spawn and Open; it is told by connected().
  using Answer = std::variant<PeerLink, control::Failed, control::Done, control::Listing, control::NameList, control::Facts, control::MailboxAt,
                              control::LockAt, control::LockAnswer, control::SegmentAt, control::ChannelAt, control::HomeSegmentAt>;
  // `control`: the socket to the agent, which outlives this. `sleep`: of a thread that waits.
  explicit AgentClient(int control, SleepUntil sleep = {}) noexcept : control_(control), sleep_(std::move(sleep)) {}

  // Waits for the answer.
  template <class Wanted, class Request>
  Wanted ask(Request request) {
    return wanted<Wanted>(wait_for(send(std::move(request), {})));
  }
  // `then` is told by the thread that listens to the agent, also that the agent is gone. Gives the request's number.
  template <class Wanted>
  using Then = std::function<void(const Wanted* answer, const std::exception_ptr& error)>;
  template <class Wanted, class Request>
  std::uint64_t ask_later(Request request, Then<Wanted> then) {
    return send(std::move(request), [then = std::move(then)](const Answer& answer) {
      std::optional<Wanted> found;
      try {
        found = wanted<Wanted>(answer);
      } catch (...) {
        return then(nullptr, std::current_exception());
      }
      then(&*found, nullptr);
    });
  }
  // What has no answer.
  void tell(const control::Notice& notice) const { control::send(control_, notice); }

  // In a program, before it makes an object: its agent is told what environment it has. `note` before anything is asked.
  void note_environment() const {
    if (note_environment_) note_environment_();
  }
  void set_note_environment(std::function<void()> note) { note_environment_ = std::move(note); }

  // By the thread that listens to the agent. False: it is no answer.
  bool take(const control::Notice& notice);
  void connected(std::uint64_t request, const PeerLink& link) { answer(request, link); }
  void failed(std::uint64_t request, const std::exception& why) { answer(request, control::failed(why)); }
  // The agent is gone: every request fails.
  void close();

  // The agent was asked, and has not answered.

 private:
  using Told = std::function<void(const Answer& answer)>;
  struct Asked {
    Told then;  // null: somebody waits
    std::optional<Answer> answer;
  };
  template <class Request>
  std::uint64_t send(Request request, Told then) {
    request.request = enter(std::move(then));
    if (!control::send(control_, request)) forget_and_raise(request.request);
    return request.request;
  }
  template <class Wanted>
  static Wanted wanted(const Answer& answer) {
    if (const auto* found = std::get_if<Wanted>(&answer)) return *found;
    raise_other(answer);
  }
  std::uint64_t enter(Told then);
  Answer wait_for(std::uint64_t request);
  void answer(std::uint64_t request, Answer answer);
  [[noreturn]] static void raise_other(const Answer& answer);
  [[noreturn]] void forget_and_raise(std::uint64_t request);  // it could not be sent

  std::function<void()> note_environment_;
  const int control_;
  const SleepUntil sleep_;
  mutable std::mutex mutex_;
  std::condition_variable answered_;
  std::map<std::uint64_t, Asked> asked_;  // by request
  std::uint64_t next_request_ = 1;
  bool closed_ = false;
};

}  // namespace octavo::detail
