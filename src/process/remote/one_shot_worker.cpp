// SPDX-License-Identifier: Apache-2.0
#include "octavo/process/detail/one_shot_worker.hpp"

#include "process/endpoint.hpp"

namespace octavo::detail {

void OneShotWorker::end_behind(const Address& worker) noexcept {
  try {
    auto& context = Endpoint::require().context();
    // With no root: with that of the method that runs here, it would be served as a callback, while the function waits (C-3).
    std::optional<CallContext::Scope> alone;
    if (context.root() != 0) alone.emplace(context, 0);
    begin_destroy(std::make_shared<State<void>>(), worker);
  } catch (const std::exception&) {  // gone already
  }
}

void read_without_waiting() { Endpoint::require().need_progress(); }

}  // namespace octavo::detail
