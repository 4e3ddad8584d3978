// SPDX-License-Identifier: Apache-2.0
// The features of one endpoint, found by their class.
//
//   features.get<GroupMember>().inbox()
//
// Threading: add() before the endpoint reads; get() by any; the rest by the reader.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "process/feature.hpp"

namespace octavo::detail {

class Features {
 public:
  void add(const MakeFeature& how, Endpoint& endpoint) { all_.push_back({how.mark, how.make(endpoint)}); }
  // Throws usage_error, if the endpoint was made without it.
  template <class F>
  [[nodiscard]] F& get() const {
    for (const auto& each : all_)
      if (each.mark == &mark_of_feature<F>) return static_cast<F&>(*each.feature);
    raise_missing();
  }
  void something_changed() const {
    for (const auto& each : all_) each.feature->something_changed();
  }
  [[nodiscard]] bool keep_awake() const {
    return std::any_of(all_.begin(), all_.end(), [](const Made& each) { return each.feature->keeps_awake(); });
  }

 private:
  struct Made {
    const void* mark;
    std::unique_ptr<Feature> feature;
  };
  [[noreturn]] static void raise_missing();
  std::vector<Made> all_;
};

}  // namespace octavo::detail
