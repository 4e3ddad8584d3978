// SPDX-License-Identifier: Apache-2.0
// One visitor of several lambdas: std::visit(overloaded{[](const A&) { ... }, [](const B&) { ... }}, variant). An alternative without a lambda does not
// compile.
#pragma once

#include <type_traits>

namespace octavo {

template <class... Each>
struct overloaded : Each... {
  using Each::operator()...;
};
template <class... Each>
overloaded(Each...) -> overloaded<Each...>;

// For alternatives that nothing is done about, named one by one: a new one does not compile here, either.
template <class... Named>
struct nothing_for {
  template <class Each>
    requires(std::is_same_v<Each, Named> || ...)
  void operator()(const Each& /*ignored*/) const noexcept {}
};

}  // namespace octavo
