// SPDX-License-Identifier: Apache-2.0
#include "octavo/road/relay.hpp"

#include <sys/epoll.h>

#include <cerrno>

#include "base/passed_descriptors.hpp"
#include "base/start_thread.hpp"
#include "octavo/base/error.hpp"
#include "road/net/core.hpp"
#include "road/net/watch.hpp"

namespace octavo::road {

namespace {

const RelayOptions& checked(const RelayOptions& options) {
  if (options.window < net::least_window || options.window > net::most_window)
    throw usage_error("a relay's window is from 4 KiB to 1 GiB, not " + std::to_string(options.window) + " bytes");
  if (options.heartbeat.count() <= 0 || options.silence <= options.heartbeat)
    throw usage_error("a relay's heartbeat of " + std::to_string(options.heartbeat.count()) + " ms does not fit a silence of " +
                          std::to_string(options.silence.count()) + " ms",
                      "Take several heartbeats for the silence");
  if (options.most_control_bytes > UINT32_MAX) throw usage_error("a relay's controls have at most 4 GiB, not " + std::to_string(options.most_control_bytes));
  return options;
}

}  // namespace

Relay::Core::Core(std::unique_ptr<Link> link, RelayEvents events, const RelayOptions& options)
    : events_(std::move(events)),
      options_(checked(options)),
      bell_(Doorbell::make_polled()),
      carries_descriptors_(link->carries_descriptors()),
      requests_(options_),
      poll_(::epoll_create1(EPOLL_CLOEXEC)),
      channels_(options_, poll_,
                [this](std::uint64_t channel) {
                  requests_.ended(channel);
                  if (events_.ended) events_.ended(channel);
                }),
      stream_(std::move(link), options_, channels_, events_.control, requests_.waiting_bytes()) {
  if (!poll_) throw io_error_from(errno, "making a relay");
  net::watch(poll_, EPOLL_CTL_ADD, bell_.event(), EPOLLIN);
  watched_ = stream_.events();
  net::watch(poll_, EPOLL_CTL_ADD, stream_.descriptor(), static_cast<std::uint32_t>(watched_), this);
}

Relay::Core::~Core() {
  stop_.store(true);
  bell_.ring();
  if (thread_.joinable()) thread_.join();
  for (const auto& request : requests_.take().requests)
    if (request.opening) channels_.give_back(*request.opening);
}

void Relay::Core::add(net::Requests::Request request) {
  requests_.add(std::move(request));
  bell_.ring();
}

void Relay::Core::send_control(ByteView bytes, std::span<const int> descriptors) {
  if (!descriptors.empty() && !carries_descriptors_) throw usage_error("a control with descriptors was to go over a link that carries none");
  if (descriptors.size() > PassedDescriptors::most)
    throw usage_error("a control with " + std::to_string(descriptors.size()) + " descriptors; a link takes four");
  requests_.add_control({{bytes.begin(), bytes.end()}, PassedDescriptors::keep(descriptors, "keeping a descriptor for another agent")});
  bell_.ring();
}

void Relay::Core::start() {
  if (thread_.joinable()) throw usage_error("a relay was started twice");
  thread_ = start_thread("for the link to another machine", [this] { run(); });
}

Relay::Relay(std::unique_ptr<Link> link, RelayEvents events, const RelayOptions& options)
    : core_(std::make_unique<Core>(std::move(link), std::move(events), options)) {}
Relay::~Relay() = default;
const Doorbell& Relay::bell() const { return core_->bell(); }
bool Relay::carries() const { return core_->carries(); }
void Relay::open(std::uint64_t channel, ShmEnd end, Doorbell process, unsigned slot) {
  if (end.lanes) throw usage_error("a relay was given a connection with lanes", "Make its ends without (make_shm_ends)");
  const wire::PageRoute route{slot, end.way_out()};
  const auto way_in = end.way_in();
  core_->add({net::Requests::kind::open, channel, net::Opening{std::make_unique<ShmRings>(std::move(end)), std::move(process), route, way_in}});
}
void Relay::close(std::uint64_t channel) { core_->add({net::Requests::kind::close, channel}); }
void Relay::refuse(std::uint64_t channel) { core_->add({net::Requests::kind::refuse, channel}); }
void Relay::send_control(ByteView bytes, std::span<const int> descriptors) { core_->send_control(bytes, descriptors); }
bool Relay::carries_descriptors() const { return core_->carries_descriptors(); }
void Relay::start() { core_->start(); }

}  // namespace octavo::road
