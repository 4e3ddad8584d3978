// SPDX-License-Identifier: Apache-2.0
#include "road/net/requests.hpp"

#include "octavo/base/error.hpp"

namespace octavo::road::net {

void Requests::add(Request request) {
  std::lock_guard lock(mutex_);
  if (request.what == kind::open && !open_.insert(request.channel).second)
    throw usage_error("channel " + std::to_string(request.channel) + " of a relay is open already", "Number channels by counting up");
  waiting_.requests.push_back(std::move(request));
  are_there_.store(true);
}

void Requests::add_control(Control control) {
  const auto& bytes = control.bytes;
  if (bytes.size() > options_.most_control_bytes)
    throw usage_error("a control of " + std::to_string(bytes.size()) + " bytes; a link takes " + std::to_string(options_.most_control_bytes),
                      "Send it in parts");
  std::lock_guard lock(mutex_);
  if (lost_) return;
  if (waiting_bytes_ + bytes.size() > options_.most_waiting_bytes)
    throw refused(std::to_string(waiting_bytes_) + " bytes of controls wait for a link already",
                  "The other agent does not take them: try later, or give it up");
  waiting_bytes_ += bytes.size();
  waiting_.controls.push_back(std::move(control));
  are_there_.store(true);
}

Requests::Taken Requests::take() {
  if (!are_there_.exchange(false)) return {};
  std::lock_guard lock(mutex_);
  return std::exchange(waiting_, {});
}

void Requests::ended(std::uint64_t channel) {
  std::lock_guard lock(mutex_);
  open_.erase(channel);
}

bool Requests::is_open_after_loss() {
  std::lock_guard lock(mutex_);
  return lost_ && !open_.empty();
}

void Requests::link_lost() {
  std::lock_guard lock(mutex_);
  lost_ = true;
  waiting_.controls.clear();
}

}  // namespace octavo::road::net
