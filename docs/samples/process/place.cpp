// SPDX-License-Identifier: Apache-2.0
#include <octavo/process.hpp>

namespace ov = octavo;

class Counter {
 public:
  explicit Counter(int from) : value_(from) {}
  int value() const { return value_; }

 private:
  int value_;
};
OCTAVO_REMOTE(Counter, value)

class Summary {
 public:
  explicit Summary(ov::remote_ptr<Counter> of) : of_(of) {}
  int sum() const { return of_->value(); }

 private:
  ov::remote_ptr<Counter> of_;
};
OCTAVO_REMOTE(Summary, sum)

int main(int argc, char** argv) {
  ov::Runtime runtime(argc, argv, {.engine = ov::played({"box"})});
  // sample
  return a->value() + b->value() + d->sum() + e.get()->value() == 21 ? 0 : 1;
}
