// SPDX-License-Identifier: Apache-2.0
// An object that does with queues, wherever it is, what their tests tell it to.
#pragma once

#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "octavo/data/page.hpp"
#include "octavo/message.hpp"

namespace queue_tests {

namespace ov = octavo;

// Who put it, and its number there.
using Item = std::pair<int, int>;

class User {
 public:
  User() = default;
  explicit User(ov::Queue<int> kept) : kept_(std::move(kept)) {}

  int pid() const { return ::getpid(); }
  ov::Queue<int> make(std::size_t bound) { return kept_ = ov::Queue<int>(bound); }
  void put(const ov::Queue<int>& queue, int item) { queue.put(item); }
  int get(const ov::Queue<int>& queue) { return queue.get(); }
  int get_kept() { return kept_.get(); }
  std::vector<int> get_some(const ov::Queue<int>& queue, std::size_t count) {
    std::vector<int> some;
    while (some.size() < count) some.push_back(queue.get());
    return some;
  }
  void put_many(const ov::Queue<Item>& queue, int from, int count) {
    for (int i = 0; i < count; ++i) queue.put({from, i});
  }
  // All until the end.
  std::vector<Item> take_all(const ov::Queue<Item>& queue) {
    std::vector<Item> all;
    try {
      for (;;) {
        all.push_back(queue.get());
        queue.task_done();
      }
    } catch (const ov::queue_shut_down&) {}
    return all;
  }
  double sum(const ov::Queue<std::vector<double>>& queue) {
    double sum = 0;
    for (const double each : queue.get()) sum += each;
    return sum;
  }
  double first_of_page(const ov::Queue<ov::Page>& queue) {
    const auto page = queue.get();
    return *reinterpret_cast<const double*>(page.data());
  }
  std::string error_of_get(const ov::Queue<int>& queue) {
    try {
      return std::to_string(queue.get());
    } catch (const ov::error& e) {
      return e.what();
    }
  }
  // While this waits for an item, `other` calls back, and puts one.
  int get_and_be_called(const ov::remote_ptr<User>& other, const ov::remote_ptr<User>& me, const ov::Queue<int>& queue);
  void call_back(const ov::remote_ptr<User>& other, const ov::Queue<int>& queue);
  int called() { return ++called_; }

 private:
  ov::Queue<int> kept_;
  int called_ = 0;
};
OCTAVO_REMOTE(User, pid, make, put, get, get_kept, get_some, put_many, take_all, sum, first_of_page, error_of_get, get_and_be_called, call_back, called)

inline int User::get_and_be_called(const ov::remote_ptr<User>& other, const ov::remote_ptr<User>& me, const ov::Queue<int>& queue) {
  auto calls = ov::start(other)->call_back(me, queue);
  const int item = queue.get();
  calls.get();
  return item;
}

inline void User::call_back(const ov::remote_ptr<User>& other, const ov::Queue<int>& queue) { queue.put(other->called()); }

}  // namespace queue_tests
