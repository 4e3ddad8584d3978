// SPDX-License-Identifier: Apache-2.0
// Where the queues of one object, or of the program, are kept: an object on a thread of its process, so that they are served whatever it is busy with. The
// first queue that is made there makes it (queues.hpp).
//
//   auto keeper = octavo::thread.make<QueueKeeper>();
//   std::uint64_t number = octavo::call<&QueueKeeper::make>(keeper, 16);      // and the methods below, by their entries
//
// Threading: the thread of its methods.
#pragma once

#include "message/queue/kept_queue.hpp"
#include "octavo/message/detail/queue_handle.hpp"
#include "octavo/process/place.hpp"

namespace octavo {

namespace detail {
class Queues;
}  // namespace detail

class QueueKeeper : NoCopy {
 public:
  QueueKeeper();
  ~QueueKeeper();

  std::uint64_t make(std::uint64_t bound);
  void withdraw(std::uint64_t queue, std::uint64_t ticket, bool gives_back);
  detail::queue_outcome task_done(std::uint64_t queue);
  detail::QueueFacts facts(std::uint64_t queue);
  void shutdown(std::uint64_t queue, bool immediate);

  // Of the process whose call runs.
  void put(std::uint64_t queue, std::uint64_t ticket, detail::QueuedItem item, const detail::Reply& reply);
  void get(std::uint64_t queue, std::uint64_t ticket, const detail::Reply& reply);
  void fetch(std::uint64_t queue, std::uint64_t ticket, const detail::Reply& reply);
  void join(std::uint64_t queue, std::uint64_t ticket, const detail::Reply& reply);
  void put_back(std::uint64_t queue, std::uint64_t ticket, detail::QueuedItem item);

  // By the thread of methods, when something was heard of others.
  void confirm(std::uint64_t queue, const detail::QueueTicket& ticket);
  void look_for_deaths();

 private:
  detail::KeptQueue& find(std::uint64_t queue);  // throws gone_error
  template <class Work>
  void answering(const Work& work);
  template <class Work>
  void change(std::uint64_t queue, const Work& work);
  void look_at_caller();
  void reap_dying();

  detail::Queues& feature_;
  std::map<std::uint64_t, detail::KeptQueue> queues_;
  std::uint64_t last_ = 0;
  std::map<Address, Obituary> dying_;              // dead, and some of what they asked for waits to be run
  bool is_answering_ = false, has_heard_ = false;  // of what may be a death
};

namespace detail {

// The methods that keep their messages and replies: what stands in front of an item is the number of the queue, and of the ticket.
struct QueueMethods {
  const Method* put;
  const Method* get;
  const Method* fetch;
  const Method* join;
  const Method* put_back;
};
const QueueMethods& queue_methods();

}  // namespace detail
}  // namespace octavo
