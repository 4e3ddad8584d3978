// SPDX-License-Identifier: Apache-2.0
// An ordinary class in a process of its own: called, started, its exception caught by type, its death noticed.
#include <csignal>
#include <iostream>
#include <octavo/octavo.hpp>
#include <stdexcept>

namespace ov = octavo;

struct too_much : std::runtime_error {
  using runtime_error::runtime_error;
};
OCTAVO_ERROR(too_much)

class Counter {
 public:
  explicit Counter(int start) : value_(start) {}
  int add(int n) { return n > 100 ? throw too_much("at most 100 at a time, not " + std::to_string(n)) : value_ += n; }
  void crash() { std::raise(SIGKILL); }

 private:
  int value_;
};
OCTAVO_REMOTE(Counter, add, crash)

int main(int argc, char** argv) {
  ov::Runtime runtime(argc, argv);                          // first: in the process of a Counter this never returns
  auto counter = runtime.machine().make<Counter>(5);        // ov::remote_ptr<Counter>
  std::cout << "add(3) gives " << counter->add(3) << "\n";  // waits

  ov::future<int> first = ov::start(counter)->add(10);   // returns at once
  ov::future<int> second = ov::start(counter)->add(20);  // runs after the first
  std::cout << "started calls give " << first.get() << " and " << second.get() << "\n";

  try {
    counter->add(1000);
  } catch (const too_much& e) {  // its own type, thrown in the other process
    std::cout << "too_much: " << e.what() << "\n";
  }
  std::cout << "it lives on: " << counter->add(1) << "\n";

  try {
    counter->crash();
  } catch (const ov::process_died& e) {
    std::cout << e.obituary().facts.class_name << " was ended by signal " << (e.obituary().status & 0x7f) << "\n";
  }
}
