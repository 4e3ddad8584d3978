// SPDX-License-Identifier: Apache-2.0
#include "octavo/process/detail/errand.hpp"

#include <optional>

#include "process/cycle/scopes.hpp"

namespace octavo::detail {

void Errand::end_behind(const Address& worker) noexcept {
  try {
    auto& here = Endpoint::require();
    // Of a root of its own: of that of the method that runs here, it would be served as a callback, while the function waits (C-3).
    std::optional<Endpoint::RootScope> alone;
    if (here.root() != 0) alone.emplace(here, 0);
    begin_destroy(std::make_shared<State<void>>(), worker);
  } catch (const std::exception&) {  // gone already
  }
}

void read_without_waiting() { Endpoint::require().need_progress(); }

}  // namespace octavo::detail
