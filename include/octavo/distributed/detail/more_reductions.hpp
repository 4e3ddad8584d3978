// SPDX-License-Identifier: Apache-2.0
// Reductions of a distributed array beside its sums and extremes: what octavo::DistributedArray<T> is derived from.
//
//   bool some = a.any();   double spread = a.std(1);
//
// Contract, threading and failure: those of DistributedArray (DA-7).
#pragma once

#include <cmath>
#include <cstdint>

#include "octavo/distributed/detail/distributed.hpp"

namespace octavo::detail {

template <class T, template <class> class Of>
class MoreReductions {
 public:
  // Whether one of its elements, or each, is not zero.
  [[nodiscard]] bool any() const { return body().reduce(reduction::any).template as<std::uint8_t>() != 0; }
  [[nodiscard]] bool all() const { return body().reduce(reduction::all).template as<std::uint8_t>() != 0; }
  // Along an axis: of ones and zeros.
  [[nodiscard]] Of<std::uint8_t> any(int axis) const { return array().template along<std::uint8_t>(reduction::any, axis); }
  [[nodiscard]] Of<std::uint8_t> all(int axis) const { return array().template along<std::uint8_t>(reduction::all, axis); }
  // Variance and standard deviation: over the number of elements less `ddof`, as NumPy has them; in double.
  [[nodiscard]] double var(std::int64_t ddof = 0) const { return body().var(ddof); }
  [[nodiscard]] double std(std::int64_t ddof = 0) const { return ::std::sqrt(var(ddof)); }

 private:
  [[nodiscard]] const Of<T>& array() const { return static_cast<const Of<T>&>(*this); }
  [[nodiscard]] const Distributed& body() const { return array().body(); }
};

}  // namespace octavo::detail
