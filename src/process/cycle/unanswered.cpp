// SPDX-License-Identifier: Apache-2.0
#include "process/cycle/unanswered.hpp"

#include <algorithm>

namespace octavo::detail {

bool Unanswered::open(const Call& call) {
  auto result = call.result.lock();
  return result && !result->ready();
}

void Unanswered::add(const Address& caller, std::uint64_t call, std::weak_ptr<StateBase> result) {
  calls_.insert_or_assign({caller, call}, Call{std::move(result), {}});
  if (calls_.size() < sweep_at_) return;
  std::erase_if(calls_, [](const auto& each) { return !open(each.second); });
  sweep_at_ = std::max<std::size_t>(64, 2 * calls_.size());
}

Unanswered::Call* Unanswered::find(const Address& caller, std::uint64_t call) {
  auto found = calls_.find({caller, call});
  return found != calls_.end() && open(found->second) ? &found->second : nullptr;
}

}  // namespace octavo::detail
