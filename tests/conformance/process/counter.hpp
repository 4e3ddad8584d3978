// SPDX-License-Identifier: Apache-2.0
// The classes of the process tests: ordinary ones, that know nothing of Octavo but the line below them.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "octavo/process.hpp"

namespace process_tests {

struct too_much : std::runtime_error {
  using runtime_error::runtime_error;
};
struct with_fields : std::exception {
  int code = 0;
  [[nodiscard]] const char* what() const noexcept override { return "with fields"; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(code);
  }
};
struct unnamed_error : std::runtime_error {
  using runtime_error::runtime_error;
};

struct Reading {
  double value = 0;
  std::string unit;
  bool operator==(const Reading&) const = default;
};

class Counter {
 public:
  explicit Counter(int start = 0) : value_(start) {
    if (start < 0) throw too_much("a counter starts at 0 or above, not " + std::to_string(start));
  }
  int add(int n) { return value_ += n; }
  [[nodiscard]] int value() const { return value_; }
  [[nodiscard]] int pid() const;
  void note(int n) { notes_.push_back(n); }
  [[nodiscard]] std::vector<int> notes() const { return notes_; }
  [[nodiscard]] Reading reading(const std::string& unit) const { return {static_cast<double>(value_), unit}; }
  void scale(std::vector<double>& data, double by) {
    for (auto& x : data) x *= by;
  }
  [[nodiscard]] double sum(std::span<const double> data) const {
    double total = 0;
    for (double x : data) total += x;
    return total;
  }
  void fail(const std::string& how) const;
  void die(const std::string& last_words) const;
  void sleep_until_killed() const;
  int ask(const octavo::remote_ptr<Counter>& other, int n) { return octavo::call<&Counter::add>(other, n); }
  int ask_back(const octavo::remote_ptr<Counter>& other, const octavo::remote_ptr<Counter>& me) { return octavo::call<&Counter::relay>(other, me); }
  int relay(const octavo::remote_ptr<Counter>& back) { return octavo::call<&Counter::value>(back); }
  octavo::remote_ptr<Counter> offspring(int start);
  octavo::remote_ptr<Counter> lodger(int start) { return octavo::thread.make<Counter>(start); }
  octavo::future<int> later(const octavo::remote_ptr<Counter>& other, int n);
  octavo::future<int> when_opened();
  void open() { gate_.set_value(7); }
  std::vector<double> big(std::size_t n) { return std::vector<double>(n, 1.5); }

 private:
  int value_;
  std::vector<int> notes_;
  octavo::promise<int> gate_;
};
OCTAVO_REMOTE(Counter, add, value, pid, note, notes, reading, scale, sum, fail, die, sleep_until_killed, ask, ask_back, relay, offspring, lodger, later,
              when_opened, open, big)

// Without the line: reached by octavo::call<&Plain::f>.
class Plain {
 public:
  int twice(int n) { return 2 * n; }
};

// Says where its destructor ran.
class Farewell {
 public:
  explicit Farewell(std::string path) : path_(std::move(path)) {}
  ~Farewell();
  void nothing() {}

 private:
  std::string path_;
};
OCTAVO_REMOTE(Farewell, nothing)

}  // namespace process_tests
