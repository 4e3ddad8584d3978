// SPDX-License-Identifier: Apache-2.0
// What the tests of the ObjectServer share: an object that notes what it does, and a peer that asks. The peer's calls have the numbers 1, 2, 3 and so on.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "octavo/base/error.hpp"
#include "octavo/process/detail/invoke.hpp"
#include "process/errors/error_report.hpp"
#include "process/serve/object_server.hpp"
#include "unit/process/serve/serving.hpp"

namespace octavo::detail::object_serving {

class Counter {
 public:
  explicit Counter(int first) : sum_(first) {
    if (first < 0) throw usage_error("less than nothing");
    events.emplace_back("made");
  }
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;
  ~Counter() { events.emplace_back("destroyed"); }
  int add(int n) {
    events.emplace_back("add");
    return sum_ += n;
  }
  void fail() { throw refused("it counts no more"); }
  void work() {  // what the test has told
    events.emplace_back("work");
    auto next = std::move(works.front());
    works.erase(works.begin());
    next();
  }
  static inline std::vector<std::string> events;
  static inline std::vector<std::function<void()>> works;

 private:
  int sum_;
};

}  // namespace octavo::detail::object_serving

namespace octavo::detail {

class ServingObject final : public Serving {
 public:
  explicit ServingObject(kit::BareSurroundings& of) : Serving(of) {
    on_before_reply = [this] { server.before_reply(); };
  }
  void other(wire::Message& message, const PeerLink& from) override {
    if (message.header.kind == wire::frame_kind::cancel) server.take_cancel(message, from);
    else server.take_call(message, from);
  }
  [[nodiscard]] bool receives_in_place(const wire::FrameHeader& header) override {
    return header.kind == wire::frame_kind::call && server.receives_in_place(header);
  }
  ObjectServer server{around,
                      poller,
                      context,
                      served,
                      *executor,
                      replies,
                      {[this] {
                         if (on_idle_asked) on_idle_asked();
                         return is_idle;
                       },
                       [this] { destroyed = true; }}};
  bool is_idle = true, destroyed = false;
  std::function<void()> on_idle_asked;
};

class ObjectServing : public PartTest {
 protected:
  using Counter = object_serving::Counter;
  ObjectServing() {
    Counter::events.clear();
    Counter::works.clear();
  }
  wire::Outgoing frame(wire::frame_kind kind, const Method* method, std::uint64_t root = 0, std::uint8_t depth = 0) {
    const auto number = ++asked_;
    auto out = frame_of(kind, number, root != 0 ? root : root_of(peer.address(), number), depth);
    if (method != nullptr) out.header.method = method->hash;
    return out;
  }
  void ask(wire::frame_kind kind, const Method* method) { peer.say(frame(kind, method)); }
  void construct(int first) {
    auto out = frame(wire::frame_kind::construct, ConstructorOf<Counter, int>::entry);
    wire::Encoder encoder(out);
    encoder(first);
    peer.say(std::move(out));
  }
  void add(int n, std::uint64_t root = 0, std::uint8_t depth = 0) {
    auto out = frame(wire::frame_kind::call, MethodOf<&Counter::add>::entry, root, depth);
    out.body.append(&n, sizeof n);
    peer.say(std::move(out));
  }
  void work(std::function<void()> what, std::uint64_t root = 0, std::uint8_t depth = 0) {
    Counter::works.push_back(std::move(what));
    peer.say(frame(wire::frame_kind::call, MethodOf<&Counter::work>::entry, root, depth));
  }
  void cancel(std::uint64_t call) { peer.say(frame(wire::frame_kind::cancel, nullptr, call)); }
  void destroy() { ask(wire::frame_kind::destroy, nullptr); }
  // In their order: "reply 3: 11", "error 4: text".
  std::vector<std::string> answers() {
    std::vector<std::string> all;
    while (auto came = peer.hear()) {
      const auto number = std::to_string(came->header.call);
      if (came->header.kind == wire::frame_kind::error) all.push_back("error " + number + ": " + text_of(decode_error(*came)));
      else all.push_back("reply " + number + text_of_value(*came));
    }
    return all;
  }

  ServingObject parts{mine};
  ObjectServer& server = parts.server;
  Peer peer{machine, mine};

 private:
  static std::string text_of_value(const wire::Message& reply) {
    int value = 0;
    const auto bytes = reply.body.span();
    if (bytes.empty()) return "";
    if (bytes.size() == 1) return bytes[0] != std::byte{0} ? ": yes" : ": no";
    std::copy_n(bytes.begin(), std::min(bytes.size(), sizeof value), reinterpret_cast<std::byte*>(&value));
    return ": " + std::to_string(value);
  }
  std::uint64_t asked_ = 0;
};

}  // namespace octavo::detail
