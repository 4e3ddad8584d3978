// SPDX-License-Identifier: Apache-2.0
// C-3: a cycle of calls that cannot make progress is found and named. Each server that waits long for a call sends a probe the way of
// that call; who has the call in its queue, and itself waits for another, adds its name and passes the probe on; who gets its own
// probe back is in a cycle. (Edge chasing: Chandy, Misra and Haas, "Distributed deadlock detection", ACM TOCS 1 (1983), section 3.)
//
// Nothing is reported that is not so: each member, when it passed the probe, was waiting and had not begun the call before it; it can go on
// only when the next does, and so all around; the first, which looks last, still waits and still has not begun the last one's call.
#include <algorithm>

#include "octavo/base/error.hpp"
#include "octavo/process/errors.hpp"
#include "process/endpoint.hpp"

namespace octavo::detail {

namespace {

constexpr std::size_t longest_cycle = 1000;  // members; more are not looked for
constexpr auto first_probe = std::chrono::milliseconds(50), next_probes = std::chrono::milliseconds(500);

std::string text_of(const ProcessFacts& facts, const std::string& waits_for) {
  return facts.class_name + " (process " + std::to_string(facts.address.object) + ", pid " + std::to_string(facts.pid) + " on " + facts.machine +
         ") waits for " + waits_for;
}

}  // namespace

struct Endpoint::Probe {
  Address first;
  std::uint64_t wait = 0;  // which of its waits
  std::vector<std::string> members;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(first, wait, members);
  }
};

bool Endpoint::wait_for(StateBase& state, road::Deadline deadline) {
  if (state.call == 0) return wait_for_promise(state, deadline);
  std::optional<OwnRow::Wait> shown;
  if (!state.ready() && (!serves() || runs_methods())) shown.emplace(peers_.row(), state.callee);
  if (!runs_methods() || root_ == 0) return wait([&] { return state.ready(); }, deadline);
  struct Scope {  // a callback that runs while we wait may wait itself
    Endpoint& here;
    Awaited before;
    ~Scope() { here.awaited_ = before; }
  } scope{*this, std::exchange(awaited_, {&state, ++waits_, {}})};
  return wait([&] { return state.ready(); }, deadline);
}

// Who keeps it may be a thread that knows nothing of this endpoint.
bool Endpoint::wait_for_promise(StateBase& state, road::Deadline deadline) {
  state.on_ready([home = executor_] { home->wake(); }, this);
  bool ready = wait([&] { return state.ready(); }, deadline);
  if (!ready) state.detach(this);
  return ready;
}

// When to look again, at the latest: the time of the next probe, which is sent if it has come.
road::Deadline Endpoint::look_for_cycle(road::Deadline deadline) {
  if (awaited_.state == nullptr) return deadline;
  auto now = road::Clock::now();
  if (awaited_.next_probe == road::Deadline()) {
    awaited_.next_probe = now + first_probe;
  } else if (now >= awaited_.next_probe) {
    awaited_.next_probe = now + next_probes;
    pass_on({facts().address, awaited_.number, {}});
  }
  return std::min(deadline, awaited_.next_probe);
}

void Endpoint::pass_on(Probe probe) {
  probe.members.push_back(text_of(facts(), name_of_call(awaited_.state->call)));
  wire::Outgoing out;
  wire::Encoder encoder(out);
  encoder(probe);
  out.header.kind = wire::frame_kind::probe;
  out.header.caller = facts().address.object;
  out.header.call = awaited_.state->call;
  out.seal();
  try {
    peers_.link_to(awaited_.state->callee).connection->send(out, road::keep_rest);
  } catch (const error&) {  // it is gone: then there is no cycle, and the call hears of it
  }
}

void Endpoint::take_probe(wire::Message& message, const Peers::Link& from) {
  Probe probe;
  wire::Decoder in(message);
  in(probe);
  auto queued = find_queued(from, message.header.call);
  if (!runs_methods() || awaited_.state == nullptr || queued == queue_.end()) return;         // it will be served
  if (queued->message.header.root == root_ || probe.members.size() >= longest_cycle) return;  // a callback: it is served at once
  bool mine = probe.first == facts().address;
  if (!mine) return pass_on(std::move(probe));
  if (probe.wait != awaited_.number) return;
  std::string text;
  for (const auto& member : probe.members) text += (text.empty() ? "" : ", ") + member;
  auto answer = std::make_shared<State<bool>>();  // nobody waits for it
  auto call = awaited_.state->call;
  send_cancel(answer, *awaited_.state);
  if (auto state = forget(call))
    state->fail(std::make_exception_ptr(
        call_cycle("these wait for each other: " + text, "Let one of them start() its call, or call back only from within the call that came in")));
}

std::string Endpoint::name_of_call(std::uint64_t call) {
  std::lock_guard lock(pending_mutex_);
  auto found = pending_.find(call);
  if (found == pending_.end()) return "a call";
  const Method* method = find_method(found->second.method);
  return (method != nullptr ? method->key : "a call") + " of process " + std::to_string(found->second.to.object);
}

std::deque<Endpoint::Arrived>::iterator Endpoint::find_queued(const Peers::Link& from, std::uint64_t call) {
  return std::find_if(queue_.begin(), queue_.end(), [&](const Arrived& each) { return each.message.header.call == call && each.caller == from.facts.address; });
}

// --- cancelling ---

bool Endpoint::cancel(StateBase& state) {
  if (state.call == 0 || state.ready()) return false;
  auto answer = std::make_shared<State<bool>>();
  send_cancel(answer, state);
  wait([&] { return answer->ready(); }, road::never);
  return answer->take();
}

void Endpoint::send_cancel(const std::shared_ptr<StateBase>& answer, const StateBase& state) {
  wire::Outgoing out;
  out.header.root = state.call;
  call(answer, state.callee, wire::frame_kind::cancel, 0, out);
}

void Endpoint::take_cancel(wire::Message& message, const Peers::Link& from) {
  auto queued = find_queued(from, message.header.root);
  bool found = queued != queue_.end();
  if (found) {
    Arrived dropped = std::move(*queued);
    queue_.erase(queued);
    peers_.row().call_begins();
    peers_.row().call_ends();
    reply_to(dropped, find_method(dropped.message.header.method)).fail(std::make_exception_ptr(cancelled("the call was cancelled before it began")));
  }
  reply_to({std::move(message), from.connection, from.slot, from.facts.address}, nullptr).value([found](wire::Encoder& out) { out(found); });
}

}  // namespace octavo::detail
