// SPDX-License-Identifier: Apache-2.0
// What a backing gives that moves at once: it is over, and says what went wrong when it is waited for.
#pragma once

#include <exception>

#include "octavo/data/buffered/detail/backing.hpp"

namespace octavo::detail {

class Moved : public Moving {
 public:
  explicit Moved(std::exception_ptr error) : error_(std::move(error)) {}
  [[nodiscard]] bool over() const override { return true; }
  void wait() override {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::exception_ptr error_;
};

template <class Work>
std::unique_ptr<Moving> moved(Work&& work) {
  try {
    work();
    return std::make_unique<Moved>(nullptr);
  } catch (...) {
    return std::make_unique<Moved>(std::current_exception());
  }
}

}  // namespace octavo::detail
