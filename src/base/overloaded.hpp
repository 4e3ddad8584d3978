// SPDX-License-Identifier: Apache-2.0
// One visitor of several lambdas: std::visit(overloaded{[](const A&) { ... }, [](const B&) { ... }}, variant). An alternative without a lambda does not
// compile.
#pragma once

namespace octavo {

template <class... Each>
struct overloaded : Each... {
  using Each::operator()...;
};
template <class... Each>
overloaded(Each...) -> overloaded<Each...>;

}  // namespace octavo
