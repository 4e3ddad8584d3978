// SPDX-License-Identifier: Apache-2.0
// An object that does, wherever it is, what the tests of locks tell it to.
#pragma once

#include <unistd.h>

#include <fstream>
#include <string>

#include "octavo/message.hpp"

namespace lock_tests {

namespace ov = octavo;

inline int read_number(const std::string& file) {
  int number = 0;
  std::ifstream(file) >> number;
  return number;
}
inline void write_number(const std::string& file, int number) { std::ofstream(file) << number << std::flush; }

class Clerk {
 public:
  int pid() const { return ::getpid(); }
  void lock(const ov::Mutex& mutex) { mutex.lock(); }
  bool try_lock(const ov::Mutex& mutex) { return mutex.try_lock(); }
  void unlock(const ov::Mutex& mutex) { mutex.unlock(); }
  void acquire(const ov::Semaphore& semaphore) { semaphore.acquire(); }
  void release(const ov::Semaphore& semaphore) { semaphore.release(); }
  std::string error_of_lock(const ov::Mutex& mutex) {
    try {
      mutex.lock();
      return "none";
    } catch (const ov::error& e) {
      return std::string(ov::to_string(e.kind())) + ": " + e.what();
    }
  }
  // Only the mutex makes this right.
  void count(ov::Mutex mutex, const std::string& file, int times) {
    for (int i = 0; i < times; ++i) {
      std::lock_guard lock(mutex);
      write_number(file, read_number(file) + 1);
    }
  }
  // Until it is killed.
  void lock_for_ever(ov::Mutex mutex, const ov::Mailbox<int>& begun) {
    for (bool first = true;; first = false) {
      try {
        std::lock_guard lock(mutex);
        if (first) begun.post(1);
      } catch (const ov::lock_abandoned&) {}
    }
  }
  void wait_for_ever(ov::Mutex mutex, const ov::Condition& condition, const ov::Mailbox<int>& begun) {
    std::unique_lock lock(mutex);
    begun.post(1);  // who locks the mutex from now on finds us waiting
    condition.wait(lock, [] { return false; });
  }
  // True if it was notified.
  bool wait_once(ov::Mutex mutex, const ov::Condition& condition, const ov::Mailbox<int>& begun) {
    std::unique_lock lock(mutex);
    begun.post(1);
    return condition.wait_for(lock, std::chrono::hours(1)) == std::cv_status::no_timeout;
  }
  // Adds one whenever the number in the file has this remainder.
  void turns(ov::Mutex mutex, const ov::Condition& changed, const std::string& file, int remainder, int times) {
    for (int i = 0; i < times; ++i) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return read_number(file) % 2 == remainder; });
      write_number(file, read_number(file) + 1);
      changed.notify_one();
    }
  }
  // While this waits for the mutex, `other` calls back.
  std::string lock_and_be_called(const ov::remote_ptr<Clerk>& other, const ov::remote_ptr<Clerk>& me, const ov::Mutex& mutex,
                                 const ov::Mailbox<std::string>& to);
  // The same while it waits at the condition.
  std::string wait_and_be_called(const ov::remote_ptr<Clerk>& other, const ov::remote_ptr<Clerk>& me, ov::Mutex mutex, const ov::Condition& condition,
                                 const ov::Mailbox<std::string>& to);
  void call_back(const ov::remote_ptr<Clerk>& other, const ov::Mutex& mutex, const ov::Mailbox<std::string>& to);
  void called(const ov::Mutex& mutex, const ov::Mailbox<std::string>& to) { to.post(error_of_lock(mutex)); }
};
OCTAVO_REMOTE(Clerk, pid, lock, try_lock, unlock, acquire, release, error_of_lock, count, lock_for_ever, wait_for_ever, wait_once, turns, lock_and_be_called,
              wait_and_be_called, call_back, called)

inline std::string Clerk::lock_and_be_called(const ov::remote_ptr<Clerk>& other, const ov::remote_ptr<Clerk>& me, const ov::Mutex& mutex,
                                             const ov::Mailbox<std::string>& to) {
  auto call = ov::start(other)->call_back(me, mutex, to);
  auto error = error_of_lock(mutex);
  call.get();
  if (error == "none") mutex.unlock();
  return error;
}

inline std::string Clerk::wait_and_be_called(const ov::remote_ptr<Clerk>& other, const ov::remote_ptr<Clerk>& me, ov::Mutex mutex,
                                             const ov::Condition& condition, const ov::Mailbox<std::string>& to) {
  std::unique_lock lock(mutex);
  auto call = ov::start(other)->call_back(me, mutex, to);
  condition.wait(lock);
  lock.unlock();
  call.get();
  return "notified";
}

inline void Clerk::call_back(const ov::remote_ptr<Clerk>& other, const ov::Mutex& mutex, const ov::Mailbox<std::string>& to) { other->called(mutex, to); }

}  // namespace lock_tests
