// SPDX-License-Identifier: Apache-2.0
// Asks after calls that wait for long, and answers such questions (inquiry.hpp: ).
// Threading: round() by the watch thread, four times in the patience; the rest by the reader.
#pragma once

#include "process/calls/made_calls.hpp"
#include "process/inquiry/inquiry.hpp"
#include "process/serve/owed_replies.hpp"
#include "process/serve/served_calls.hpp"

namespace octavo::detail {

class Inquirer {
 public:
  Inquirer(const Surroundings& around, Waiters& waiters, MadeCalls& calls, const Sender& sender, const ServedCalls& served, std::shared_ptr<OwedReplies> owed);

  void round();
  void take(const wire::Message& message, const PeerLink& from);
  void fail_lost_calls();  // that round() has found

 private:
  void show_oldest(const std::vector<Inquiries::Asked>& due);
  [[nodiscard]] call_fate fate_of(const Address& caller, std::uint64_t call) const;
  void fail_lost(std::uint64_t call, const std::string& why, const std::string& cure);

  const Surroundings around_;
  Waiters& waiters_;
  MadeCalls& calls_;
  const Sender& sender_;
  const ServedCalls& served_;
  const std::shared_ptr<OwedReplies> owed_;
  Inquiries inquiries_;
  std::mutex lost_mutex_;
  std::vector<Inquiries::Asked> lost_calls_;  // found by the watch thread, to be failed by the one that reads
};

}  // namespace octavo::detail
