// SPDX-License-Identifier: Apache-2.0
// The class of the futures' tests: an ordinary one, whose methods begin things and end them later.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "octavo/process.hpp"

namespace process_tests {

class Juggler {
 public:
  int twice(int n) { return 2 * n; }
  void nothing() {}
  void fail(const std::string& why);
  void die();
  octavo::future<int> when_opened();
  void open(int n) { gate_.set_value(n); }
  // Something that goes on when the other one's gate opens; nobody waits for it.
  void follow(const octavo::remote_ptr<Juggler>& other);
  [[nodiscard]] int seen() const { return seen_; }
  [[nodiscard]] bool asked() const { return asked_; }
  // Within one method: waits for several calls at once.
  int sum_of(const std::vector<octavo::remote_ptr<Juggler>>& others, int n);
  int first_of(const octavo::remote_ptr<Juggler>& slow, const octavo::remote_ptr<Juggler>& quick);
  // ... and for what goes on as a coroutine of the same call.
  int chain(const octavo::remote_ptr<Juggler>& other, int n);
  int make_another(int n);
  // A coroutine method that does.
  octavo::future<int> later_sum_of(std::vector<octavo::remote_ptr<Juggler>> others, int n);
  octavo::future<int> forgotten() { return {}; }

 private:
  octavo::promise<int> gate_;
  int seen_ = 0;
  bool asked_ = false;
  std::thread::id mine_ = std::this_thread::get_id();
};
OCTAVO_REMOTE(Juggler, twice, nothing, fail, die, when_opened, open, follow, seen, asked, sum_of, first_of, chain, make_another, later_sum_of, forgotten)

// What a continuation on another thread says, and a test waits for without reading a connection.
template <class T>
class Told {
 public:
  void set(T value) {
    std::lock_guard lock(mutex_);
    value_ = std::move(value);
    changed_.notify_all();
  }
  T wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return value_.has_value(); });
    return *value_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<T> value_;
};

}  // namespace process_tests
