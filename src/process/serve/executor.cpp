// SPDX-License-Identifier: Apache-2.0
#include "process/serve/executor.hpp"

#include <algorithm>

#include "base/delay_point.hpp"
#include "process/serve/lent_reading.hpp"

namespace octavo::detail {

namespace {
constexpr const char* coroutine_text = "a coroutine that goes on";
}

void Resumption::count(int change) noexcept {
  if (home_) home_->alive_.fetch_add(change);
}

void Resumption::tell(std::unique_ptr<Continuation> self) {
  if (!home_) return resume();
  auto home = home_;
  std::unique_ptr<Resumption> mine(static_cast<Resumption*>(self.release()));
  home->post(std::move(mine));
}

void Executor::post(std::unique_ptr<Resumption> what) {
  delay_point("executor: about to post");
  std::lock_guard lock(mutex_);  // released before `what` is destroyed
  if (!home_) return;
  queue_.push_back(std::move(what));
  count_.store(queue_.size(), std::memory_order_release);
  delay_point("executor: posted");
  home_->waiters.wake();
  home_->waiters.ask_watcher();
}

bool Executor::has(std::uint64_t root) const {
  if (count_.load(std::memory_order_acquire) == 0) return false;
  if (root == any_root) return true;
  std::lock_guard lock(mutex_);
  return std::any_of(queue_.begin(), queue_.end(), [root](const auto& each) { return each->root_ == root; });
}

bool Executor::holds_back(const StateBase& awaited, std::uint64_t root) const {
  std::lock_guard lock(mutex_);
  return std::any_of(queue_.begin(), queue_.end(),
                     [&](const auto& each) { return each->awaited_ == &awaited && each->root_ != root && each->root_ != no_method; });
}

bool Executor::run_one(std::uint64_t root) {
  if (count_.load(std::memory_order_acquire) == 0) return false;
  std::unique_ptr<Resumption> next;
  std::optional<Home> home;
  {
    std::lock_guard lock(mutex_);
    auto found = std::find_if(queue_.begin(), queue_.end(), [root](const auto& each) { return root == any_root || each->root_ == root; });
    if (found == queue_.end() || !home_) return false;
    next = std::move(*found);
    queue_.erase(found);
    count_.store(queue_.size(), std::memory_order_release);
    home.emplace(*home_);
  }
  delay_point("executor: about to resume");
  std::optional<CallContext::Scope> scope;
  std::optional<OwnRow::Method> published;
  const bool serves = home->context.serves(), beside = serves && !home->context.runs_methods();
  if (!beside) scope.emplace(home->context, next->root_ == no_method ? 0 : next->root_, 0, next->to_all_);
  if (scope && next->root_ == no_method) scope->runs_for_a_thread();
  if (serves && !beside) published.emplace(home->row, coroutine_text, coroutine_text);
  const LentReading lent(home->waiters);
  next->resume();
  return true;
}

void Executor::wake() {
  std::lock_guard lock(mutex_);
  if (home_) home_->waiters.wake();
}

void Executor::close() {
  delay_point("executor: about to close");
  std::deque<std::unique_ptr<Resumption>> left;
  std::lock_guard lock(mutex_);  // released before they are destroyed: what waits for them comes here again
  home_.reset();
  left.swap(queue_);
  count_.store(0, std::memory_order_release);
}

}  // namespace octavo::detail
