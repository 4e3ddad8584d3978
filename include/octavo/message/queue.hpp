// SPDX-License-Identifier: Apache-2.0
// A queue between the processes, threads and objects of a program: any number of them put items, any number get them, each item goes to one.
//
//   octavo::Queue<Job> jobs(16);                        // at most 16 lie there; Queue<Job>(0) has no bound
//   for (int i = 0; i < 4; ++i) running.push_back(octavo::start(workers[i])->run(jobs));       // it travels as an argument
//   for (const Job& each : all) jobs.put(each);         // waits while it is full
//   jobs.join();                                        // until task_done() was called for each
//   jobs.shutdown();                                    // the workers take what is left; then get() throws queue_shut_down
//   // in a worker: for (;;) { Job job = jobs.get(); work(job); jobs.task_done(); }
//
// QU-1  Each item goes to exactly one get(). Items of one thread leave in the order in which it put them, and those who wait are served in the order in which
//       they came, readers and writers each.
// QU-2  A queue with a bound holds so many items; put() waits for room. try_put and put_for give false, try_get and get_for nothing, where it would last
//       longer.
// QU-3  The queue lives in the object or program that made it, and ends with it: whoever waits there, or comes later, gets process_died at once, which says so.
// QU-4  An item is its reader's when its process has read the answer of get(). One whose reader's process died before that is the next one's, in front of all
//       others; but for one with pages, which is gone with it.
// QU-5  What a process that dies was about to put, and what it waited for, is withdrawn: each item is there whole, or not at all.
// QU-6  join() waits until task_done() was called as often as items were put. Of items that a reader had taken and not reported as done when it died, the next
//       join() is told once: process_died, which names it. They do not count any more.
// QU-7  After shutdown() put() throws queue_shut_down, as does one that waits; get() does once the queue is empty. shutdown(true) drops what lies there.
//
// Threading: any. Copies are the same queue. Waiting serves callbacks, as for a call (C-3). An end of a channel cannot be an item.
// Failure: queue_shut_down, process_died (QU-3, QU-6), usage_error (task_done() too often; no bound was given), not_supported (an end of a channel).
#pragma once

#include <chrono>
#include <concepts>
#include <optional>

#include "octavo/message/detail/queue_handle.hpp"
#include "octavo/process/errors.hpp"

namespace octavo {

// Nothing is put into this queue any more, or comes out of it.
class queue_shut_down : public gone_error {
 public:
  using gone_error::gone_error;
};

template <class T>
class Queue {
 public:
  Queue() = default;  // none: one arrives here
  explicit Queue(std::size_t bound) : handle_(detail::QueueHandle::make(bound, type())) {}

  void put(const T& item) const requires std::copy_constructible<T> { static_cast<void>(put_by(item, detail::forever())); }
  void put(T&& item) const { static_cast<void>(put_by(std::move(item), detail::forever())); }
  [[nodiscard]] bool try_put(const T& item) const { return put_by(item, {}); }
  template <class Rep, class Period>
  [[nodiscard]] bool put_for(const T& item, std::chrono::duration<Rep, Period> time) const {
    return put_by(item, detail::deadline_after(time));
  }

  [[nodiscard]] T get() const { return std::move(*get_by(detail::forever())); }
  [[nodiscard]] std::optional<T> try_get() const { return get_by({}); }
  template <class Rep, class Period>
  [[nodiscard]] std::optional<T> get_for(std::chrono::duration<Rep, Period> time) const {
    return get_by(detail::deadline_after(time));
  }

  // An item that was got is worked off.
  void task_done() const { handle_.task_done(); }
  void join() const { handle_.join(); }
  void shutdown(bool immediate = false) const { handle_.shutdown(immediate); }

  [[nodiscard]] std::size_t bound() const { return handle_.bound(); }  // 0: none
  // As it was a moment ago.
  [[nodiscard]] std::size_t size() const { return handle_.facts().items; }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] bool full() const { return bound() != 0 && size() >= bound(); }
  bool operator==(const Queue& other) const noexcept { return handle_ == other.handle_; }

  template <class Archive>
  void save(Archive& archive) const {
    archive(handle_);
  }
  template <class Archive>
  void load(Archive& archive) {
    archive(handle_);
    handle_.check_type(type());
  }

 private:
  static std::string type() { return std::string(detail::type_name<T>()); }
  template <class Item>
  [[nodiscard]] bool put_by(Item&& item, detail::QueueHandle::Deadline deadline) const {
    const auto encode = [&](wire::Encoder& out) {
      out.giving = !std::is_lvalue_reference_v<Item>;
      out(item);
    };
    return handle_.put(encode, deadline);
  }
  [[nodiscard]] std::optional<T> get_by(detail::QueueHandle::Deadline deadline) const {
    std::optional<T> item(std::in_place);
    if (!handle_.get([&](wire::Decoder& in) { in(*item); }, deadline)) item.reset();
    return item;
  }

  detail::QueueHandle handle_;
};

}  // namespace octavo
