// SPDX-License-Identifier: Apache-2.0
// The end of several moves that are one for the caller: the last one to end answers, with the first error if there was any.
#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <utility>

namespace octavo {

// Threading: done() from any thread.
template <class Answer>
class CompletionLatch {
 public:
  CompletionLatch(std::int64_t parts, Answer answer) : left_(parts), answer_(std::move(answer)) {}
  void done(const std::exception_ptr& error) {
    if (error) {
      std::lock_guard lock(mutex_);
      if (!error_) error_ = error;
    }
    if (left_.fetch_sub(1) == 1) answer_(error_);
  }

 private:
  std::atomic<std::int64_t> left_;
  std::mutex mutex_;
  std::exception_ptr error_;
  Answer answer_;
};

}  // namespace octavo
