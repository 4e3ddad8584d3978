// SPDX-License-Identifier: Apache-2.0
#include <octavo/process.hpp>

class Counter {
 public:
  explicit Counter(int from) : value_(from) {}
  int value() const { return value_; }

 private:
  int value_;
};
OCTAVO_REMOTE(Counter, value)

// sample
