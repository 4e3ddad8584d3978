// SPDX-License-Identifier: Apache-2.0
// GroupMessages between members of groups that have come and wait to be taken (octavo/process/detail/member.hpp).
#pragma once

#include <deque>
#include <mutex>
#include <utility>

#include "octavo/process/detail/member.hpp"
#include "process/cycle/owed_group_messages.hpp"

namespace octavo::detail {

// Threading: any thread. What is for a collective that has not begun here is kept until it does.
class Inbox final : public OwedGroupMessages {
 public:
  // A question may have an answer, for the member that asked.
  std::optional<wire::Outgoing> put(wire::Message message);
  // A value, or a failure of its collective.
  [[nodiscard]] bool has(const GroupMessageKey& key) const;
  std::optional<wire::Message> take(const GroupMessageKey& key);
  struct Failure {
    std::exception_ptr error;
    bool by_message;  // else by a question or its answer, and nobody else knows
  };
  [[nodiscard]] std::optional<Failure> failure(const GroupMessageKey& key) const;
  // A value goes out. Counted for `owes`.
  void count_sent(const GroupMessageKey& mine, const Address& to);
  [[nodiscard]] owing owes(const GroupMessageWait& awaited, const Address& to) const override;
  // Values of this collective that have been taken.
  [[nodiscard]] std::uint64_t taken(const GroupMessageKey& key) const;
  // The error of an earlier collective that all had left before anybody could see that some were in another.
  std::exception_ptr enter(const GroupMessageKey& mine, const std::string& text);
  void leave(const GroupMessageKey& mine, bool well);
  void forget(std::uint64_t group);
  void* keep(const std::function<std::shared_ptr<void>()>& make);
  [[nodiscard]] bool keeps() const;  // it is in groups
  std::uint64_t count_up();

 private:
  using Collective = std::pair<std::uint64_t, std::uint64_t>;  // group, sequence
  struct Entered {
    std::uint64_t sequence;
    std::uint32_t index;
    std::string text;
    bool inside = true, failed = false;
  };
  std::optional<wire::Outgoing> compare(const GroupMessageKey& with, wire::Message& text, bool question);
  [[nodiscard]] const Entered* entered(std::uint64_t group, std::uint64_t sequence) const;
  [[nodiscard]] std::exception_ptr unread(const GroupMessageKey& before);
  void drop(const GroupMessageKey& before);

  mutable std::mutex mutex_;
  std::map<GroupMessageKey, std::deque<wire::Message>> values_;
  std::map<Collective, Failure> failures_;
  std::map<std::uint64_t, std::deque<Entered>> entered_;  // by group, the last ones
  std::map<GroupMessageKey, std::uint64_t> taken_;
  std::map<std::uint64_t, std::map<Address, std::uint64_t>> sent_;  // by group, in its last collective
  std::shared_ptr<void> kept_;
  std::uint64_t count_ = 0;
};

}  // namespace octavo::detail
