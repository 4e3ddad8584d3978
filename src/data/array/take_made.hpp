// SPDX-License-Identifier: Apache-2.0
// What becomes of objects that were begun together, where one of them cannot be made: whoever began them is to know the others, to end them.
#pragma once

#include <exception>
#include <vector>

#include "octavo/process/future.hpp"
#include "octavo/process/remote_ptr.hpp"

namespace octavo {

// Waits for each of `making`, and puts those that were made behind `made`; then throws the first failure, if there was one.
template <class Made, class As>
void take_made(std::vector<future<remote_ptr<Made>>> making, std::vector<remote_ptr<As>>& made) {
  std::exception_ptr first;
  made.reserve(made.size() + making.size());
  for (auto& each : making) {
    try {
      made.emplace_back(each.get());
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace octavo
