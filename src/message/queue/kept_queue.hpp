// SPDX-License-Identifier: Apache-2.0
// One queue where it is kept: what lies there, which calls wait for what, and which process has taken how much. It knows values as the bytes and pages that
// they came as.
//
//   KeptQueue queue(16);
//   queue.put({who, ticket}, QueuedItem(std::move(message), header_bytes), reply);     // answered at once, or when there is room
//   queue.get({who, ticket}, reply);                                                  // an item, or `come` when there is one: then fetch()
//   queue.reap(who, obituary);
//
// A call with a ticket waits until it can be done, or is withdrawn; one without is answered at once. A get that waited is not answered by the item but by a
// promise of it: so what was promised to a process that is dead, as is not known yet, is not lost. Nor is an item that was given, until it is known to have
// been read: confirm(). Of one with pages none are kept, as they are its reader's to write to (QU-4).
// Threading: one.
#pragma once

#include <deque>
#include <functional>
#include <list>
#include <map>
#include <set>

#include "octavo/process/detail/method.hpp"

namespace octavo::detail {

enum class queue_outcome : std::uint8_t {
  done,       // of get and fetch: the item follows
  not_now,    // it would have to wait, or was withdrawn
  come,       // an item is kept for the one who waited: fetch it
  shut_down,  // QU-7
  too_many,   // task_done() was called more often than items were put
  lost,       // of join: a reader died with what it had not worked off; its obituary follows
  ended       // the queue, with its maker
};

class QueuedItem {
 public:
  QueuedItem() = default;
  // What stands in the call behind the first `skipped` bytes. Throws gone_error where not all of it comes.
  QueuedItem(wire::Message call, std::size_t skipped);
  // Its pages go with the answer; it lives until that was sent.
  void give(wire::Encoder& out);
  // It can be given again.
  [[nodiscard]] bool may_stay() const noexcept { return message_.pages.empty(); }

 private:
  wire::Message message_;
  std::size_t skipped_ = 0;
};

// A request of one process.
struct QueueTicket {
  static constexpr std::uint64_t at_once = 1ULL << 63;  // with it: it has a number, and does not wait
  Address who;
  std::uint64_t number = 0;  // 0: it has none, and does not wait
  [[nodiscard]] bool waits() const noexcept { return number != 0 && (number & at_once) == 0; }
  bool operator==(const QueueTicket&) const = default;
};

class KeptQueue : NoCopy {
 public:
  explicit KeptQueue(std::uint64_t bound) : bound_(bound) {}
  ~KeptQueue();  // calls that wait are answered

  void put(const QueueTicket& ticket, QueuedItem item, const Reply& reply);
  void get(const QueueTicket& ticket, const Reply& reply);
  void fetch(const QueueTicket& ticket, const Reply& reply);
  void join(const QueueTicket& ticket, const Reply& reply);
  // It waits no longer: it is answered not_now, unless it was answered before. `gives_back`: what was promised to it is the next one's.
  void withdraw(const QueueTicket& ticket, bool gives_back);
  // What the request got was read. Also while that is being sent.
  void confirm(const QueueTicket& ticket);
  // Got by a request whose caller does not want it any more: the next one's.
  void put_back(const QueueTicket& ticket, QueuedItem item);
  [[nodiscard]] queue_outcome task_done(const Address& who);
  void shutdown(bool immediate);
  [[nodiscard]] std::uint64_t size() const noexcept { return items_.size() + promised_.size(); }
  [[nodiscard]] std::uint64_t unfinished() const noexcept { return unfinished_; }
  [[nodiscard]] bool is_shut_down() const noexcept { return shut_down_; }

  // Whose deaths concern it.
  void add_users(std::set<Address>& users) const;
  void reap(const Address& who, const Obituary& obituary);

 private:
  struct Waiting {
    QueueTicket ticket;
    Reply reply;
  };
  struct WaitingPut {
    Waiting by;
    QueuedItem item;
  };
  struct Promised {
    QueueTicket to;
    QueuedItem item;
  };
  struct Given {
    QueueTicket to;
    QueuedItem item;
    bool sent = false, read = false;
  };
  [[nodiscard]] bool has_room() const noexcept { return bound_ == 0 || size() < bound_; }
  void add(QueuedItem item);
  void give(const QueueTicket& to, QueuedItem item, const Reply& reply);
  template <class List>
  std::uint64_t take_back(List& from, const std::function<bool(const QueueTicket&)>& whose);
  void finish_some(std::uint64_t tasks);
  void settle();
  void answer_all(queue_outcome outcome);

  const std::uint64_t bound_;  // 0: none
  bool shut_down_ = false;
  std::uint64_t unfinished_ = 0;
  std::deque<QueuedItem> items_;
  std::deque<Promised> promised_;
  std::list<Given> given_;  // and not known to be read
  std::list<Waiting> gets_, joins_;
  std::list<WaitingPut> puts_;
  std::map<Address, std::uint64_t> taken_;  // and not reported as done
  std::unique_ptr<Obituary> lost_;          // of the reader whose death the next join() is told
};

}  // namespace octavo::detail
