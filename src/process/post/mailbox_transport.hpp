// SPDX-License-Identifier: Apache-2.0
// The feature of mailboxes at an endpoint: what is posted to readers elsewhere leaves here, and what comes is given to the office of the layer of mailboxes
// (octavo/process/detail/post.hpp says what that layer asks of it).
// Threading: any; take() and what is beside it by the reader.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "octavo/process/detail/post.hpp"
#include "process/endpoint.hpp"
#include "process/feature.hpp"

namespace octavo::detail {

class MailboxTransport final : public Feature {
 public:
  explicit MailboxTransport(Endpoint& core);

  std::shared_ptr<PostOffice> office(const std::function<std::shared_ptr<PostOffice>()>& make);
  using WhenFound = std::function<void(const Address& owner, const std::exception_ptr& error)>;
  // `then` is told by the thread that listens to the agent. `lost`: a reader that was found before, and is gone.
  void find(const std::string& name, const std::string& type, const Address& lost, WhenFound then);

  // The reader of a mailbox waits at the lanes itself (take.cpp). False: it is to wait as for a call.
  bool take_posted(std::uint64_t mailbox, Posted& into, const Glance& here, road::Deadline deadline);
  [[nodiscard]] bool comes_here(const Glance& here) const;

  void take(wire::Message& message, const PeerLink& from);  // a frame of kind post or taken
  [[nodiscard]] bool lands(const wire::FrameHeader& header);
  void something_changed() override;

 private:
  enum class post_wait : std::uint8_t { at_the_last, at_all, not_at_first, briefly };
  [[nodiscard]] post_wait how_to_wait(const Glance& here, road::Deadline deadline) const;
  road::took_small take_next(std::uint64_t mailbox, Posted& into);
  road::took_small take_from(std::size_t at, std::uint64_t mailbox, Posted& into);
  bool take_whole(const PeerLink& from, std::uint64_t mailbox, Posted& into);
  bool take_receipt(road::Connection& from);
  std::shared_ptr<PostOffice> office();

  Endpoint& core_;
  const Surroundings around_;
  Poller& poller_;
  std::mutex office_mutex_;
  std::shared_ptr<PostOffice> office_;
  std::atomic<bool> has_office_{false};
  LinkView::Position last_poster_;  // from where a mailbox's last message came
};

}  // namespace octavo::detail
