// SPDX-License-Identifier: Apache-2.0
#include "process/serve/owed_replies.hpp"

#include <sched.h>

#include "process/serve/reply.hpp"

namespace octavo::detail {

void OwedReplies::add(Reply::Impl& reply) noexcept {
  std::lock_guard lock(mutex_);
  reply.after_ = first_;
  if (first_ != nullptr) first_->before_ = &reply;
  first_ = &reply;
  reply.listed_ = true;
  size_.fetch_add(1, std::memory_order_relaxed);
}

void OwedReplies::remove(Reply::Impl& reply) noexcept {
  std::lock_guard lock(mutex_);
  if (!reply.listed_) return;
  reply.listed_ = false;
  if (reply.before_ != nullptr) reply.before_->after_ = reply.after_;
  else first_ = reply.after_;
  if (reply.after_ != nullptr) reply.after_->before_ = reply.before_;
  size_.fetch_sub(1, std::memory_order_relaxed);
}

void OwedReplies::close() noexcept {
  closed_.store(true);
  while (users_.load() != 0) ::sched_yield();  // they send, which never waits
}

bool OwedReplies::has(const Address& caller, std::uint64_t call) const {
  std::lock_guard lock(mutex_);
  for (const auto* each = first_; each != nullptr; each = each->after_)
    if (each->call.call == call && each->from().caller() == caller) return true;
  return false;
}

}  // namespace octavo::detail
