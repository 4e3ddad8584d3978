// SPDX-License-Identifier: Apache-2.0
// The callee's side: one object, one method at a time, in the order in which the calls arrived.
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "machine/spawn.hpp"
#include "octavo/base/error.hpp"
#include "process/cycle/scopes.hpp"
#include "process/endpoint.hpp"
#include "process/error_report.hpp"
#include "process/remote/unknown_method.hpp"
#include "process/shown.hpp"

namespace octavo::detail {

struct Reply::Impl {
  Endpoint& here;
  std::weak_ptr<road::Connection> way;
  std::optional<unsigned> slot;
  wire::FrameHeader call;
  const Method* method;                // null: none that this program knows
  std::atomic<bool> began_more{true};  // as far as is known: the method has not returned, or left something of its root running
  mutable bool sent = false;

  [[nodiscard]] std::string name() const { return method != nullptr ? method->key : "a call"; }
  void send(wire::frame_kind kind, wire::Outgoing& out) const {
    out.header = call;
    out.header.kind = kind;
    out.header.flags = here.others_may_run(call.root, began_more.load()) ? wire::flag_more_may_run : 0;
    if (!std::exchange(sent, true)) here.reply_is_sent();
    here.send_reply(way, slot, out);
  }
};

void Reply::value(const std::function<void(wire::Encoder&)>& encode) const {
  wire::Outgoing out;
  wire::Encoder encoder(out);
  encode(encoder);
  if (impl_->call.kind == wire::frame_kind::call) impl_->here.keep_state_of_reply();  // others change nothing, or have saved it
  impl_->send(wire::frame_kind::reply, out);
}

void Reply::fail(const std::exception_ptr& error) const noexcept {
  try {
    wire::Outgoing out;
    encode_error(out, error, impl_->here.facts(), impl_->name());
    impl_->send(wire::frame_kind::error, out);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "octavo: the error of %s could not be sent: %s\n", impl_->name().c_str(), e.what());
  }
}

void Endpoint::send_reply(const std::weak_ptr<road::Connection>& way, std::optional<unsigned> slot, wire::Outgoing& out) {
  pages_leave(out, slot);
  out.seal();
  auto connection = way.lock();
  try {
    if (connection) connection->send(out, road::keep_rest);
    if (connection) peers_.row().sent(frame_bytes(out));
  } catch (const gone_error&) {  // nobody to tell
  }
  pages_left(out, slot);
}

void Endpoint::serve() {
  serving_ = std::this_thread::get_id();
  reader_.store(serving_);
  bool resting = !restore_object();  // what could not be restored keeps its name and its states
  auto idle_until = idle_at();
  while (!ended_ && !peers_.orphaned()) {
    if (peers_.asked_to_rest() && (resting = object_ != nullptr)) break;
    pump();
    bool idle = queue_.empty();
    if (!idle) {
      auto next = std::move(queue_.front());
      queue_.pop_front();
      run_call(std::move(next));
    }
    // In turns: neither calls nor coroutines that wait to go on starve the other.
    if (executor_->run_one() || !idle) {
      idle_until = idle_at();
    } else if (!peers_.bell().wait([this] { return incoming() || executor_->has(); }, idle_until)) {
      if (is_idle()) peers_.say_idle();
      idle_until = idle_at();
    }
  }
  if (resting) rest();
  if (!peers_.orphaned()) say_goodbye(resting);
}

void Endpoint::run_callbacks() {
  auto next = std::find_if(queue_.begin(), queue_.end(), [this](const Arrived& each) { return is_callback(each); });
  if (next == queue_.end()) return;
  auto call = std::move(*next);
  queue_.erase(next);
  run_call(std::move(call));
  run_callbacks();
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

Reply Endpoint::reply_to(const Arrived& arrived, const Method* method) { return Reply(impl_of(arrived, method)); }

std::shared_ptr<Reply::Impl> Endpoint::impl_of(const Arrived& arrived, const Method* method) {
  open_replies_.fetch_add(1, std::memory_order_relaxed);
  return std::shared_ptr<Reply::Impl>(new Reply::Impl{*this, arrived.way, arrived.slot, arrived.message.header, method});
}

void Endpoint::run_call(Arrived arrived) {
  const auto& header = arrived.message.header;
  const Method* method = find_method(header.method);
  auto impl = impl_of(arrived, method);
  Reply reply(impl);
  RootScope scope(*this, header.root, header.flags);
  if (scope.outermost()) {
    stray_ = false;
    root_begun_here_ = header.root == root_of(arrived.caller, header.call);
  }
  ShownCall shown(peers_.row(), header.kind, method);
  running_.push_back({arrived.caller, header.call, depth_});
  try {
    run_frame(arrived.message, method, reply);
  } catch (...) {
    if (!object_) ended_ = true;                                                       // its constructor threw: there is nothing to serve
    if (!object_ && keeper_) peers_.say_unmade(usage_error("its constructor threw"));  // first: its name is free when the caller hears
    reply.fail(std::current_exception());
  }
  running_.pop_back();
  impl->began_more.store(others_may_run(header.root, true));
}

void Endpoint::run_frame(wire::Message& message, const Method* method, const Reply& reply) {
  const auto& header = message.header;
  if (header.incarnation != facts().address.incarnation || header.object != facts().address.object)
    throw gone_error("a call for process " + std::to_string(header.object) + " (incarnation " + std::to_string(header.incarnation) + ") came to another");
  if (header.kind == wire::frame_kind::destroy) {
    object_.reset();
    ended_ = true;
    if (keeper_) peers_.say_bye(false);  // first: its name is free when the caller hears
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
    peers_.refresh(links_, links_version_);
    bool left = true;
    for (const auto& link : links_) left = (link.connection->lost() || link.connection->flush()) && left;
    return left || peers_.orphaned();
  });
  peers_.say_bye(resting);
}

}  // namespace octavo::detail
