// SPDX-License-Identifier: Apache-2.0
// Asks after calls that wait for long, and answers such questions (inquiry.hpp: ).
// Threading: round() by the watch thread, four times in the patience; the rest by the reader.
#pragma once

#include "process/calls/made_calls.hpp"
#include "process/inquiry/inquiry.hpp"
#include "process/inquiry/stillness.hpp"
#include "process/serve/executor.hpp"
#include "process/serve/owed_replies.hpp"
#include "process/serve/served_calls.hpp"

namespace octavo::detail {

class Inquirer {
 public:
  // `patience`: for how long a call is waited for before it is asked after.
  Inquirer(const Surroundings& around, Waiters& waiters, MadeCalls& calls, const Sender& sender, const ServedCalls& served, std::shared_ptr<Executor> executor,
           std::shared_ptr<OwedReplies> owed, std::chrono::milliseconds patience);

  void round();
  void take(const wire::Message& message, const PeerLink& from);
  void fail_lost_calls();  // that round() has found
  // Any thread. Where every process of the program has stood still for the patience: who waits for whom.
  [[nodiscard]] std::optional<std::string> waits_of_idle_program() const;
  [[nodiscard]] Stillness& stillness() noexcept { return stillness_; }

 private:
  void find_stillness();
  void inquire();
  [[nodiscard]] call_fate fate_of(const Address& caller, std::uint64_t call) const;
  [[nodiscard]] bool is_stalled() const;
  [[nodiscard]] std::string waiter() const;
  void fail_lost(std::uint64_t call, const std::string& why);
  void take_doubt(std::uint64_t call, call_fate fate);
  void fail_one(std::uint64_t call, const std::exception_ptr& error);

  const Surroundings around_;
  Waiters& waiters_;
  MadeCalls& calls_;
  const Sender& sender_;
  const ServedCalls& served_;
  const std::shared_ptr<Executor> executor_;
  const std::shared_ptr<OwedReplies> owed_;
  const std::chrono::milliseconds patience_;
  Inquiries inquiries_;
  Stillness stillness_;
  std::mutex lost_mutex_;
  std::vector<Inquiries::Asked> lost_calls_;  // found by the watch thread, to be failed by the one that reads
};

}  // namespace octavo::detail
