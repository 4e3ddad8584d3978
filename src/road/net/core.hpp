// SPDX-License-Identifier: Apache-2.0
// The relay's thread: when it sleeps, what wakes it, and what it does in a turn. What it works on are parts that know nothing of it: the requests of other
// threads, the channels, and the stream of records over the link.
#pragma once

#include <sys/epoll.h>

#include <atomic>
#include <thread>

#include "octavo/base/poll_budget.hpp"
#include "octavo/road/relay.hpp"
#include "road/net/channels.hpp"
#include "road/net/record_stream.hpp"
#include "road/net/requests.hpp"

namespace octavo::road {

class Relay::Core {
 public:
  Core(std::unique_ptr<Link> link, RelayEvents events, const RelayOptions& options);
  ~Core();

  [[nodiscard]] const Doorbell& bell() const { return bell_; }
  [[nodiscard]] bool carries() { return requests_.is_open_after_loss(); }
  void add(net::Requests::Request request);
  void send_control(ByteView bytes, std::span<const int> descriptors);
  [[nodiscard]] bool carries_descriptors() const { return carries_descriptors_; }
  void start();

 private:
  void run();
  void turn();
  void serve_requests();
  void sleep();
  bool spin(std::span<epoll_event> events, int& n);
  [[nodiscard]] bool has_work() const;
  void lose(const std::string& why);

  const RelayEvents events_;
  const RelayOptions options_;
  const Doorbell bell_;
  const bool carries_descriptors_;  // the link
  net::Requests requests_;
  Fd poll_;
  net::Channels channels_;
  net::RecordStream stream_;
  short watched_ = 0;  // of the link's descriptor
  Deadline looked_;    // when it was last looked whether something had come
  PollBudget spin_{PollBudget::relay};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace octavo::road
