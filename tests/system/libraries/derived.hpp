// SPDX-License-Identifier: Apache-2.0
// The second library: classes derived from those of the first.
#pragma once

#include "system/libraries/base.hpp"

namespace libraries {

class Derived : public Labelled, public Base {  // Base at an offset
 public:
  Derived(int start, std::string nature);
  [[nodiscard]] std::string who() const override;
  [[nodiscard]] std::string label() const override;
  int drop(int n);

 private:
  std::string nature_;
};
OCTAVO_REMOTE(Derived, (Labelled, Base), drop, label)

}  // namespace libraries
