// SPDX-License-Identifier: Apache-2.0
// What the layer of mailboxes needs of the endpoint it runs in: frames that are posted to another process, which are no calls, and who reads which
// mailbox. Implemented by src/process/post.
//
//   auto& office = post_office([] { return std::make_shared<Office>(); });   // one for each endpoint
//   own_mailbox("results", "Result");
//   post(owner, frame);                       // at its other end: office.take(frame, from)
//
// Threading: any thread that has an endpoint; PostOffice is called by the one that reads.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "octavo/machine/address.hpp"
#include "octavo/wire/frame.hpp"

namespace octavo::road {
class Connection;
}

namespace octavo::detail {

// What one who waits looks at, again and again.
struct Glance {
  bool (*look)(const void* at);
  const void* at;
  bool operator()() const { return look(at); }
};

// A message for a mailbox, as it came.
struct Posted {
  wire::SmallFrame small;
  std::optional<wire::Message> whole;  // instead, if it is no small one
  Address from;
};

class PostOffice {
 public:
  PostOffice() = default;
  PostOffice(const PostOffice&) = delete;
  PostOffice& operator=(const PostOffice&) = delete;
  virtual ~PostOffice() = default;
  // This thread waits at that mailbox, and nothing lies there: what comes may be given to take() before its bulk has come.
  [[nodiscard]] virtual bool lands(std::uint64_t mailbox) = 0;
  // A post, or that some were taken. Must not wait, but for the bulk of what lands.
  virtual void take(wire::Message message, const Address& from) = 0;
  // The reader of that mailbox has taken some of what was posted here.
  virtual void were_taken(std::uint64_t mailbox, std::uint64_t messages, std::uint64_t bytes) = 0;
  // Owners were found, or processes have died. May send.
  virtual void look_around() = 0;
};

// This thread's endpoint's; made when it is asked for first. Throws usage_error without a Runtime.
std::shared_ptr<PostOffice> post_office(const std::function<std::shared_ptr<PostOffice>()>& make);

// Throws refused (another process does), usage_error (another type), gone_error.
void own_mailbox(const std::string& name, const std::string& type);
// `then` is told by another thread, at once or when somebody reads it; it must only remember, and is followed by PostOffice::look_around.
// `lost`: an owner that is dead.
void find_mailbox(const std::string& name, const std::string& type, const Address& lost,
                  std::function<void(const Address& owner, const std::exception_ptr& error)> then);

// Posts wait for room when the road is full. They throw process_died, gone_error.
void post(const Address& to, const wire::SmallFrame& frame);
void post(const Address& to, wire::Outgoing& frame);
// The same by who must not wait.
void post_soon(const Address& to, const wire::SmallFrame& frame);
void post_soon(const Address& to, wire::Outgoing& frame);

// Whoever waits at this endpoint looks again. Throws usage_error without a Runtime.
void wake_waiters();
// Waits, and reads if nobody else does: takes the next message that was posted to this mailbox, if that is what comes and it came the short way. False
// when something else comes, or `here` says that something is there already.
bool take_posted(std::uint64_t mailbox, Posted& into, const Glance& here, std::chrono::steady_clock::time_point deadline);
// Looks there for a moment, and reads nothing.
bool comes_here(const Glance& here);
// What has come is looked at, if nobody else reads.
void read_now();
// Before a message's pages are taken out.
void adopt_posted(wire::Message& message);
[[nodiscard]] bool agent_is_gone() noexcept;
// Throws process_died if it is known to be dead, gone_error if the agent of this program is gone.
void check_alive(const Address& who);
// Whether a connection with a peer is lost, though the peer itself may live: what he has still to say does not come. Of one who waits for it, and looks
// again and again.
class CutOff {
 public:
  explicit CutOff(const Address& from) : from_(from) {}
  bool look();
  [[noreturn]] void raise() const;  // process_died, if his agent tells of it within some seconds; else gone_error

 private:
  Address from_;
  std::shared_ptr<road::Connection> way_;  // the one that is lost, if any is
  std::uint64_t seen_ = 0;
};

}  // namespace octavo::detail
