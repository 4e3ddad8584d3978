// SPDX-License-Identifier: Apache-2.0
// GroupMessages between members of groups that have come and wait to be taken (octavo/process/detail/member.hpp), and which calls to all this object has
// answered: a member that waits for it in a collective of one of these is told so when it asks (G-8).
#pragma once

#include <deque>
#include <mutex>
#include <tuple>
#include <utility>

#include "octavo/process/detail/member.hpp"
#include "octavo/road/connection.hpp"
#include "process/cycle/owed_group_messages.hpp"

namespace octavo::detail {

// Threading: any thread. What is for a collective that has not begun here is kept until it does.
class Inbox final : public OwedGroupMessages {
 public:
  explicit Inbox(const ProcessFacts& self) : self_(self) {}
  // A question may have an answer, for the member that asked by this connection: now, or once the call to all is
  // answered.
  std::optional<wire::Outgoing> put(wire::Message message, const std::shared_ptr<road::Connection>& by);
  // Those that wait for this object in a call to all that it answers now, by `error` or a value. The second time nobody.
  struct Asked {
    GroupMessageKey key;  // from: the member that was asked, this one
    std::string text;
    std::weak_ptr<road::Connection> by;
  };
  std::vector<Asked> answered(std::uint64_t round, const std::exception_ptr& error);
  // What they are told.
  [[nodiscard]] wire::Outgoing left_out(const Asked& by, const std::exception_ptr& error) const;
  // A value, or a failure of its collective.
  [[nodiscard]] bool has(const GroupMessageKey& key) const;
  struct Taken {
    wire::Message message;
    std::exception_ptr earlier;  // of a collective before this one in the same call to all, which shows by what has come meanwhile; null if there is none
  };
  std::optional<Taken> take(const GroupMessageKey& key);
  struct Failure {
    std::exception_ptr error;  // null: a member has answered the call to all by a value, without calling this collective
    bool by_message;           // else by a question or its answer, and nobody else knows
    std::uint32_t from = 0;    // the member that has answered
  };
  [[nodiscard]] std::optional<Failure> failure(const GroupMessageKey& key) const;
  // A value goes out. Counted for `owes`.
  void count_sent(const GroupMessageKey& mine, const Address& to);
  [[nodiscard]] owing owes(const GroupMessageWait& awaited, const Address& to) const override;
  // Values of this collective that have been taken.
  [[nodiscard]] std::uint64_t taken(const GroupMessageKey& key) const;
  // The error of an earlier collective that all had left before anybody could see that some were in another.
  std::exception_ptr enter(const GroupMessageKey& mine, const std::string& text);
  // It would give one of another call to all, unless a member whose failure is still on the way has told of it.
  [[nodiscard]] bool would_tell_of_other_rounds(const GroupMessageKey& mine) const;
  void leave(const GroupMessageKey& mine, bool well);
  void forget(std::uint64_t group);
  void* keep(const std::function<std::shared_ptr<void>()>& make);
  [[nodiscard]] bool keeps() const;  // it is in groups
  std::uint64_t count_up();

 private:
  using Collective = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;  // round, group, sequence
  using Channel = std::pair<std::uint64_t, std::uint64_t>;                     // round, group
  struct Entered {
    std::uint64_t sequence;
    std::uint32_t index;
    std::string text;
    bool inside = true, failed = false;
  };
  static Collective collective_of(const GroupMessageKey& key) { return {key.round, key.group, key.sequence}; }
  std::optional<wire::Outgoing> compare(const GroupMessageKey& with, wire::Message& text, const std::shared_ptr<road::Connection>& by);
  std::optional<wire::Outgoing> answer_or_remember(Asked asked);
  [[nodiscard]] bool has_called(const GroupMessageKey& key) const;
  [[nodiscard]] bool is_over(const GroupMessageKey& key) const { return answered_.contains(key.round) && entered(key) == nullptr; }
  [[nodiscard]] const Entered* entered(const GroupMessageKey& key) const;
  [[nodiscard]] bool is_unread(const GroupMessageKey& key) const;
  [[nodiscard]] std::exception_ptr unread(const GroupMessageKey& key);
  [[nodiscard]] std::exception_ptr unread_before(const GroupMessageKey& mine);
  std::exception_ptr unread_in_other_rounds(const GroupMessageKey& mine);
  void note_told(const Collective& which);
  void drop(const GroupMessageKey& before);
  void forget_round(std::uint64_t round);

  const ProcessFacts& self_;
  mutable std::mutex mutex_;
  std::map<GroupMessageKey, std::deque<wire::Message>> values_;
  std::map<Collective, Failure> failures_;
  std::map<Channel, std::deque<Entered>> entered_;  // the last ones
  std::map<GroupMessageKey, std::uint64_t> taken_;
  std::map<Channel, std::map<Address, std::uint64_t>> sent_;  // in its last collective
  std::map<std::uint64_t, std::uint64_t> last_round_;         // by group, in which it was last
  std::map<std::uint64_t, std::exception_ptr> answered_;      // calls to all, with their errors
  std::deque<std::uint64_t> last_answered_;                   // the order of those
  std::deque<Asked> asked_;
  std::shared_ptr<void> kept_;
  std::uint64_t count_ = 0;
};

}  // namespace octavo::detail
