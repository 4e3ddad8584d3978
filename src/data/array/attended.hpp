// SPDX-License-Identifier: Apache-2.0
// A wait for a device's answer, in which the caller is asked each 100 ms whether it still wants it.
#pragma once

#include "octavo/data/array.hpp"
#include "octavo/process/future.hpp"

namespace octavo {

// Throws only what `attend` throws.
template <class T>
void wait_attended(const future<T>& answer, const Array::Attend& attend) {
  while (!answer.wait_for(std::chrono::milliseconds(100)))
    if (attend) attend();
}

template <class T>
T attended(future<T> answer, const Array::Attend& attend) {
  wait_attended(answer, attend);
  return answer.get();
}

}  // namespace octavo
