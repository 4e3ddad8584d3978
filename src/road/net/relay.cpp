// SPDX-License-Identifier: Apache-2.0
#include "octavo/road/relay.hpp"

#include <sys/epoll.h>

#include <cerrno>
#include <csignal>

#include "base/blocked_signals.hpp"
#include "base/start_thread.hpp"
#include "octavo/base/error.hpp"
#include "road/net/core.hpp"

namespace octavo::road {

namespace {

constexpr std::size_t staging_bytes = 64 << 10;

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
      link_(std::move(link)),
      poll_(::epoll_create1(EPOLL_CLOEXEC)),
      decoder_(static_cast<std::uint32_t>(options.most_control_bytes)),
      blocks_(options.window),
      staging_(staging_bytes) {
  if (!poll_) throw io_error_from(errno, "making a relay");
  watch(bell_.event(), EPOLLIN, nullptr, EPOLL_CTL_ADD);
  watched_ = link_->events(false);
  watch(link_->descriptor(), static_cast<std::uint32_t>(watched_), this, EPOLL_CTL_ADD);
}

Relay::Core::~Core() {
  stop_.store(true);
  bell_.ring();
  if (thread_.joinable()) thread_.join();
  // The sockets of the processes end with the channels; their bells tell those who do not poll them.
  for (auto& command : commands_)
    if (command.rings) give_back(command);
  for (auto* channel : order_) {
    channel->drop_pages(options_.pages);
    if (channel->process) {
      channel->rings.reset();
      channel->process->ring();
    }
  }
}

void Relay::Core::open(std::uint64_t number, ShmEnd end, Doorbell process, unsigned slot) {
  if (end.lanes) throw usage_error("a relay was given a connection with lanes", "Make its ends without (make_shm_ends)");
  const wire::PageRoute route{slot, end.way_out()};
  const auto way_in = end.way_in();
  command({want::open, number, std::make_unique<ShmRings>(std::move(end)), std::move(process), route, way_in});
}

void Relay::Core::command(Command command) {
  {
    std::lock_guard lock(mutex_);
    if (command.what == want::open && !numbers_.insert(command.number).second)
      throw usage_error("channel " + std::to_string(command.number) + " of a relay is open already", "Number channels by counting up");
    commands_.push_back(std::move(command));
    called_.store(true);
  }
  bell_.ring();
}

void Relay::Core::send_control(ByteView bytes) {
  if (bytes.size() > options_.most_control_bytes)
    throw usage_error("a control of " + std::to_string(bytes.size()) + " bytes; a link takes " + std::to_string(options_.most_control_bytes),
                      "Send it in parts");
  {
    std::lock_guard lock(mutex_);
    if (lost_) return;
    if (control_bytes_ + bytes.size() > options_.most_waiting_bytes)
      throw refused(std::to_string(control_bytes_) + " bytes of controls wait for a link already",
                    "The other agent does not take them: try later, or give it up");
    control_bytes_ += bytes.size();
    controls_.emplace_back(bytes.begin(), bytes.end());
    called_.store(true);
  }
  bell_.ring();
}

void Relay::Core::start() {
  if (thread_.joinable()) throw usage_error("a relay was started twice");
  const BlockedSignals blocked;
  thread_ = start_thread("for the link to another machine", [this] { run(); });
}

Relay::Relay(std::unique_ptr<Link> link, RelayEvents events, const RelayOptions& options)
    : core_(std::make_unique<Core>(std::move(link), std::move(events), options)) {}
Relay::~Relay() = default;
const Doorbell& Relay::bell() const { return core_->bell(); }
void Relay::open(std::uint64_t channel, ShmEnd end, Doorbell process, unsigned slot) { core_->open(channel, std::move(end), std::move(process), slot); }
void Relay::close(std::uint64_t channel) { core_->close(channel); }
void Relay::refuse(std::uint64_t channel) { core_->refuse(channel); }
void Relay::send_control(ByteView bytes) { core_->send_control(bytes); }
void Relay::start() { core_->start(); }

}  // namespace octavo::road
