// SPDX-License-Identifier: Apache-2.0
// The callee's side: one object, one method at a time, in the order in which the calls arrived.
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/delay_point.hpp"
#include "machine/spawn.hpp"
#include "octavo/base/error.hpp"
#include "process/cycle/scopes.hpp"
#include "process/endpoint.hpp"
#include "process/error_report.hpp"
#include "process/remote/unknown_method.hpp"
#include "process/serve/reply.hpp"
#include "process/shown.hpp"

namespace octavo::detail {

// What pump() has heard of after the loop of serve() looked: nobody rings again.
bool Endpoint::must_end() const { return peers_.links().orphaned() || (peers_.asked_to_rest() && object_ != nullptr); }

void Endpoint::serve() {
  serving_ = std::this_thread::get_id();
  stillness_.serves_here();
  (void)role_.try_take();            // for good: nobody else was here yet
  bool resting = !restore_object();  // what could not be restored keeps its name and its states
  auto idle_until = idle_at(false);
  while (!ended_ && !peers_.links().orphaned()) {
    if (peers_.asked_to_rest() && (resting = object_ != nullptr)) break;
    if (serve_small()) {
      await_small();
      continue;
    }
    delay_point("server: about to read");
    pump();
    bool idle = false;
    if (std::exchange(arrived_, false)) {
      run_call(arriving_);
      arriving_.message.clear();
    } else if (!queue_.empty()) {
      auto next = std::move(queue_.front());
      queue_.pop_front();
      run_call(next);
    } else {
      idle = true;
    }
    // In turns: neither calls nor coroutines that wait to go on starve the other.
    if (executor_->run_one() || !idle) {
      idle_until = idle_at();
    } else if (!peers_.bell().wait([this] { return incoming() || executor_->has() || must_end(); }, idle_until)) {
      if (is_idle()) peers_.agent().tell(control::Idle{});
      idle_until = idle_at();
    }
  }
  if (resting) rest();
  if (!peers_.links().orphaned()) say_goodbye(resting);
}

void Endpoint::run_callbacks() {
  auto find = [this] { return std::find_if(queue_.begin(), queue_.end(), [this](const Arrived& each) { return is_callback(each); }); };
  for (auto next = find(); next != queue_.end(); next = find()) {
    auto call = std::move(*next);
    queue_.erase(next);
    run_call(call);
  }
}

// C-3: what descends from the call that runs here may overtake those that wait. Its siblings, which the same method made after it, may not (C-2), nor
// may what ends the object under it.
bool Endpoint::is_callback(const Arrived& call) const {
  const auto& header = call.message.header;
  if (root_ == 0 || header.root != root_ || header.kind == wire::frame_kind::destroy) return false;
  return call_depth_ == 0 || header.flags == 0 || header.flags > call_depth_;
}

std::uint8_t Endpoint::depth_of_next_call() const noexcept {
  constexpr std::uint8_t deepest = 255;
  if (root() == 0) return 1;
  return call_depth_ == 0 || call_depth_ == deepest ? 0 : static_cast<std::uint8_t>(call_depth_ + 1);
}

void Endpoint::run_call(Arrived& arrived) {
  const auto& header = arrived.message.header;
  const Method* method = methods_.find(header.method);
  Reply::Impl call(*this, arrived, method);
  Reply reply(call);
  RootScope scope(*this, header.root, header.flags);
  if (scope.outermost()) {
    stray_ = false;
    root_begun_here_ = header.root == root_of(arrived.from.caller(), header.call);
  }
  ShownCall shown(peers_.row(), header.kind, method);
  running_.push_back({arrived.from.caller(), header.call, depth_});
  try {
    run_frame(arrived.message, method, reply);
  } catch (...) {
    if (!object_) ended_ = true;                                                // its constructor threw: there is nothing to serve
    if (!object_ && keeper_) say_unmade(usage_error("its constructor threw"));  // first: its name is free when the caller hears
    reply.fail(std::current_exception());
  }
  running_.pop_back();
  call.method_is_over();
}

void Endpoint::run_frame(wire::Message& message, const Method* method, const Reply& reply) {
  const auto& header = message.header;
  if (header.incarnation != facts().address.incarnation || header.object != facts().address.object)
    throw gone_error("a call for process " + std::to_string(header.object) + " (incarnation " + std::to_string(header.incarnation) + ") came to another");
  if (header.kind == wire::frame_kind::destroy) {
    object_.reset();
    ended_ = true;
    if (keeper_) peers_.agent().tell(control::Bye{false});  // first: its name is free when the caller hears
    return reply.value([](wire::Encoder&) {});
  }
  if (header.kind == wire::frame_kind::save) {
    save_object();
    return reply.value([](wire::Encoder&) {});
  }
  if (header.kind == wire::frame_kind::is_a) {
    std::string class_name;
    wire::Decoder in(message);
    in(class_name);
    check_is(*object_, class_name);
    return reply.value([](wire::Encoder&) {});
  }
  if (method == nullptr) throw UnknownMethod({header.method, {}, spawn::own_program(), build_id(), header.build});
  if (header.kind == wire::frame_kind::construct) {
    if (object_ || method->construct == nullptr) throw usage_error(method->key + " cannot construct here");
    adopt_pages(message);
    object_ = method->construct(message);
    if (keeper_) {
      try {
        save_object();
      } catch (...) {
        object_.reset();
        throw;
      }
    }
    return reply.value([](wire::Encoder&) {});
  }
  if (!object_ || method->run == nullptr) throw usage_error(method->key + " was called on a process that has no object");
  adopt_pages(message);
  method->run(*object_, message, reply);
}

void Endpoint::say_goodbye(bool resting) {
  std::fflush(nullptr);
  // What is still kept must leave first; a peer that is gone does not hold us.
  peers_.bell().wait([this] {
    refresh_links();
    bool left = true;
    for (const auto& link : links_) left = (link.connection->lost() || link.connection->flush()) && left;
    return left || peers_.links().orphaned();
  });
  peers_.agent().tell(control::Bye{resting});
}

}  // namespace octavo::detail
