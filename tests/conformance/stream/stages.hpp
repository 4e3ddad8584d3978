// SPDX-License-Identifier: Apache-2.0
// Stages that tests join.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "kit/watchdog.hpp"
#include "octavo/stream.hpp"

namespace stream_tests {

namespace ov = octavo;
using namespace std::chrono_literals;

inline std::vector<int> numbers(int count) {
  std::vector<int> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

struct Times {
  int factor;
  explicit Times(int by) : factor(by) {}
  int svc(int item) const { return factor * item; }
};

// Each item as often as it says.
struct Repeat {
  void svc(int item, ov::emit<int>& out) const {
    for (int i = 0; i < item % 3; ++i) out(item);
  }
};
inline std::vector<int> repeated(const std::vector<int>& items) {
  std::vector<int> all;
  for (int item : items) all.insert(all.end(), static_cast<std::size_t>(item % 3), item);
  return all;
}

struct Span {
  int first, last;
};

// A range is halved until one number of it is left.
struct Halve {
  void svc(Span in, ov::emit<int>& out, ov::again<Span>& more) const {
    if (in.last - in.first <= 1) {
      if (in.first < in.last) out(in.first);
      return;
    }
    const int middle = in.first + (in.last - in.first) / 2;
    more({in.first, middle});
    more({middle, in.last});
  }
};
struct CountDown {
  int fails_at = -1;
  void svc(int item, ov::emit<int>& out, ov::again<int>& more) const {
    if (item == fails_at) throw std::domain_error(std::to_string(item));
    if (item % 100 != 0) return more(item - 1);
    out(item / 100);
  }
};

struct FailsAt {
  int item;
  explicit FailsAt(int at) : item(at) {}
  int svc(int given) const {
    if (given == item) throw std::domain_error("item " + std::to_string(given));
    return given;
  }
};

struct Life {
  static inline std::atomic<int> begun, ended;
  bool fails_to_begin, fails_to_end;
  explicit Life(bool begin = false, bool end = false) : fails_to_begin(begin), fails_to_end(end) {}
  void svc_init() {
    ++begun;
    if (fails_to_begin) throw std::runtime_error("svc_init");
  }
  int svc(int item) { return item; }
  void svc_end() {
    ++ended;
    if (fails_to_end) throw std::runtime_error("svc_end");
  }
};

template <class Stream>
std::vector<int> all_of(const Stream& stream) {
  std::vector<int> all;
  for (int x : stream) all.push_back(x);
  return all;
}

inline std::vector<int> sorted(std::vector<int> items) {
  std::sort(items.begin(), items.end());
  return items;
}

}  // namespace stream_tests
