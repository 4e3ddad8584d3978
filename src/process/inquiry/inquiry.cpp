// SPDX-License-Identifier: Apache-2.0
#include "process/inquiry/inquiry.hpp"

#include <algorithm>
#include <cstdlib>

#include "octavo/process/detail/state.hpp"

namespace octavo::detail {

std::chrono::milliseconds inquiry_patience() {
  constexpr double usual = 60, least = 0.04, most = 86400;
  const char* told = std::getenv("OCTAVO_PATIENCE");
  const double seconds = told != nullptr ? std::strtod(told, nullptr) : usual;
  return std::chrono::milliseconds(static_cast<std::int64_t>(1000 * (seconds >= least && seconds <= most ? seconds : usual)));
}

std::vector<Inquiries::Asked> Inquiries::due(const PendingCalls& pending, std::uint64_t next, Time now) {
  std::vector<Asked> calls;  // a heap with the latest in front, of the first ones behind those that were asked last
  const auto below = std::exchange(below_, next);
  const auto then = std::exchange(round_, now);
  auto earlier = [](const Asked& one, const Asked& other) { return one.call < other.call; };
  pending.for_each([&](const PendingCall& each) {
    const auto number = each.state->call;
    if (number >= below || number <= after_ || !each.sent) return;
    calls.push_back({number, each.to, each.life, each.method, then});
    std::push_heap(calls.begin(), calls.end(), earlier);
    if (calls.size() <= most_at_once) return;
    std::pop_heap(calls.begin(), calls.end(), earlier);
    calls.pop_back();
  });
  after_ = calls.size() == most_at_once ? calls.front().call : 0;
  std::lock_guard lock(mutex_);
  std::erase_if(doubts_, [&](const auto& each) { return pending.find(each.first) == nullptr; });
  for (auto& each : calls) each.since = doubts_.try_emplace(each.call, Doubts{.since = then}).first->second.since;
  return calls;
}

bool Inquiries::doubt(std::uint64_t call, doubt_of why, int most) {
  std::lock_guard lock(mutex_);
  auto& doubts = doubts_[call];
  if (std::exchange(doubts.why, why) != why) doubts.count = 0;
  return ++doubts.count >= most;
}

void Inquiries::trust(std::uint64_t call) {
  std::lock_guard lock(mutex_);
  if (auto found = doubts_.find(call); found != doubts_.end()) found->second.why = doubt_of::none;
}

bool Inquiries::ask(std::uint64_t call) {
  std::lock_guard lock(mutex_);
  return !std::exchange(doubts_[call].asked, true);
}

void Inquiries::answered(std::uint64_t call) {
  std::lock_guard lock(mutex_);
  doubts_[call].asked = false;
}

}  // namespace octavo::detail
