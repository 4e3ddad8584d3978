// SPDX-License-Identifier: Apache-2.0
// C-3: a cycle of waits that cannot make progress is found and named. Each server that waits long sends a probe the way of what it waits
// for: calls, all or any of several, or a letter of a member of its group. Who is to answer that, and itself waits, adds its name and passes
// the probe on; who gets its own probe back is in a cycle.
// (Edge chasing: Chandy, Misra and Haas, "Distributed deadlock detection", ACM TOCS 1 (1983), section 3; `any` as in probe.hpp.)
//
// Nothing is reported that is not so. Say that a process *goes on* when the wait in which it passed a probe ends without an error; the first does
// when the wait ends for which it sent the probe. Of all that passed one of the probes which are back, let P be the one that goes on earliest,
// before the first has looked. What ended its wait is the answer of some Q, that was asked by P's probe afterwards (a wait for any ends by one of
// its parts, and probes of all are back). Q then waited too, and P's probe was passed only if Q cannot answer before its wait ends (see below):
// so Q went on after P's probe and before P. That is earlier: there is no such P. The first, which looks last, is still in the same wait.
// So who is in it can go on only by an error: a death, a collective that fails, a cancelled call.
//
// Q cannot answer before its wait ends:
//  - a call, if it lies in Q's queue and is no callback: it begins when the method that waits there has returned, or later; or if its method is on
//    Q's stack, below the wait.
//  - a letter, if Q is in a collective of that group that it has to leave, or complete, first, and has sent no letter that is on its way. A member
//    enters one collective of a group at a time, and in the thread of its methods (self.hpp, G-11).
//  - a letter of a collective that Q has not entered, if no callback can enter it while Q waits: Q's root began with the call that Q runs, no
//    answer that came to Q said that something of its root may still run elsewhere (`others_may_run`), and what Q waits for is all it
//    has asked for. The probe goes on along that (`alone`): it has not begun, or the same holds of the one where it runs, and so on.
//  - a call whose method has returned a future, before what that future needs is ready (`Unanswered`): there Q's wait is the future's, and the
//    coroutine's that makes it. It sends no probes: its process is free, so in each cycle another waits that is not.
// Waits with a deadline end by themselves: they send no probes and pass none on.
//
// What is missed: a member that waits for a call, with others of its root about (one of these may yet enter the collective); a coroutine that was
// resumed and then waits by a call, not by co_await; more than `most_choices` when_any on one way, or more than `most_ways` calls in them.
#include <algorithm>

#include "octavo/base/error.hpp"
#include "octavo/process/errors.hpp"
#include "process/cycle/scopes.hpp"

namespace octavo::detail {

namespace {

constexpr std::size_t longest_cycle = 1000;  // members; more are not looked for
constexpr std::size_t most_choices = 3, most_ways = 1024;
constexpr auto first_probe = std::chrono::milliseconds(50), next_probes = std::chrono::milliseconds(500);

std::string text_of(const ProcessFacts& facts, const std::string& waits_for) {
  return facts.class_name + " (process " + std::to_string(facts.address.object) + ", pid " + std::to_string(facts.pid) + " on " + facts.machine +
         ") waits for " + waits_for;
}

bool few_enough(const Choices& choices) {
  std::size_t ways = 1;
  for (const auto& each : choices)
    if (each.count > most_ways || (ways *= each.count) > most_ways) return false;
  return choices.size() <= most_choices;
}

bool within_bounds(const Probe& probe) { return probe.members.size() < longest_cycle && few_enough(probe.choices); }

}  // namespace

Endpoint::AwaitScope::AwaitScope(Endpoint& here, const StateBase* state, const AwaitedLetter* letter) : here_(here), mine_(here.runs_methods()) {
  if (mine_) before_ = std::exchange(here.awaited_, {state, letter, ++here.waits_, here.depth_ + 1, {}, nullptr});
}
Endpoint::AwaitScope::~AwaitScope() {
  if (mine_) here_.awaited_ = std::move(before_);
}

bool Endpoint::wait_for(StateBase& state, road::Deadline deadline) {
  auto ready = [&] { return state.call == 0 ? wait_for_promise(state, deadline) : wait([&] { return state.ready(); }, deadline); };
  std::optional<OwnRow::Wait> shown;
  if (state.call != 0 && !state.ready() && (!serves() || runs_methods())) shown.emplace(peers_.row(), state.callee, deadline == road::never);
  if (!runs_methods() || root_ == 0) return ready();
  AwaitScope scope(*this, deadline == road::never ? &state : nullptr, nullptr);  // a callback that runs while we wait may wait itself
  return ready();
}

// Who keeps it may be a thread that knows nothing of this endpoint.
bool Endpoint::wait_for_promise(StateBase& state, road::Deadline deadline) {
  state.on_ready([home = executor_] { home->wake(); }, this);
  bool ready = wait([&] { return state.ready(); }, deadline);
  if (!ready) state.detach(this);
  return ready;
}

// The ways of what is awaited here. False: it cannot be known, or it is about to end.
bool Endpoint::collect_ways(const StateBase& state, std::uint64_t wait, const Choices& choices, std::vector<Way>& ways) {
  if (state.ready()) return false;
  if (state.call != 0) {
    ways.push_back({state.callee, state.call, choices});
    return true;
  }
  auto needs = state.needs();
  if (!needs.any) {
    bool known = false;
    for (const auto& part : needs.of)
      if (auto of = part.lock()) known = collect_ways(*of, wait, choices, ways) || known;
    return known;
  }
  auto before = ways.size();
  Choice mine{facts().address, wait, static_cast<std::uint32_t>(before), 0, static_cast<std::uint32_t>(needs.of.size())};
  for (const auto& part : needs.of) {
    auto more = choices;
    more.push_back(mine);
    auto of = part.lock();
    if (!of || !few_enough(more) || !collect_ways(*of, wait, more, ways)) {
      ways.resize(before);
      return false;
    }
    ++mine.index;
  }
  return true;
}

std::vector<Endpoint::Way> Endpoint::ways_of_wait() {
  std::vector<Way> ways;
  if (awaited_.letter != nullptr) ways.push_back({awaited_.letter->from, 0, {}});
  else if (awaited_.state != nullptr) collect_ways(*awaited_.state, awaited_.number, {}, ways);
  return ways;
}

// When to look again, at the latest: the time of the next probe, which is sent if it has come.
road::Deadline Endpoint::look_for_cycle(road::Deadline deadline) {
  if (!awaited_.known()) return deadline;
  auto now = road::Clock::now();
  if (awaited_.next_probe == road::Deadline()) {
    awaited_.next_probe = now + first_probe;
  } else if (now >= awaited_.next_probe) {
    awaited_.next_probe = now + next_probes;
    if (!awaited_.chase) awaited_.chase = std::make_unique<Chase>();
    Probe probe;
    probe.first = facts().address;
    probe.wait = awaited_.number;
    probe.round = ++awaited_.chase->round;
    for (const auto& way : ways_of_wait()) {
      probe.part = way.call;
      pass_on(probe, way);
    }
  }
  return std::min(deadline, awaited_.next_probe);
}

void Endpoint::pass_on(Probe probe, const Way& way) {
  probe.choices.insert(probe.choices.end(), way.choices.begin(), way.choices.end());
  if (!few_enough(probe.choices)) return;
  probe.for_letter = way.call == 0;
  if (probe.for_letter) probe.letter = awaited_.letter->what;
  probe.by_letters = probe.by_letters || probe.for_letter;
  probe.members.push_back(
      text_of(facts(), probe.for_letter ? "process " + std::to_string(way.to.object) + " in " + awaited_.letter->what.during : name_of_call(way.call)));
  wire::Outgoing out;
  wire::Encoder encoder(out);
  encoder(probe);
  out.header.call = way.call;
  send_probe(way.to, out);
}

void Endpoint::send_probe(const Address& to, wire::Outgoing& out) {
  out.header.kind = wire::frame_kind::probe;
  out.header.caller = facts().address.object;
  out.seal();
  try {
    peers_.links().link_to(to).connection->send(out, road::keep_rest);
  } catch (const error&) {  // it is gone: then there is no cycle, and who waits for it hears of that
  }
}

void Endpoint::take_probe(wire::Message& message, const PeerLink& from) {
  if (message.header.flags == verdict_flag) return take_verdict(message, from);
  Probe probe;
  wire::Decoder in(message);
  in(probe);
  if (!runs_methods() || !within_bounds(probe)) return;
  if (auto* waits = probe.for_letter ? nullptr : unanswered_.find(from.facts.address, message.header.call)) return pass_by(probe, *waits, from);
  if (!awaited_.known()) return;
  if (!(probe.for_letter ? letter_waits(probe, from) : call_waits(probe, message.header.call, from))) return;
  if (!awaited_.chase) awaited_.chase = std::make_unique<Chase>();
  if (probe.first == facts().address) {
    if (probe.wait == awaited_.number) take_back(probe, from);
    return;
  }
  auto mine = [&](const Choice& each) { return each.at == facts().address; };  // back at a wait for any: no way to `first` this time
  if (std::any_of(probe.choices.begin(), probe.choices.end(), mine) || !awaited_.chase->passed.add(probe, from.facts.address)) return;
  for (const auto& way : ways_of_wait()) pass_on(probe, way);
}

// Each time as another wait: which of its futures the coroutine awaits may have changed.
void Endpoint::pass_by(const Probe& probe, Unanswered::Call& call, const PeerLink& from) {
  auto result = call.result.lock();
  if (!result || probe.alone || !call.passed.add(probe, from.facts.address)) return;
  std::vector<Way> ways;
  collect_ways(*result, ++waits_, {}, ways);
  for (const auto& way : ways) pass_on(probe, way);
}

// Whether what is asked for comes only when the wait here has ended (see above).
bool Endpoint::call_waits(Probe& probe, std::uint64_t call, const PeerLink& from) {
  auto is_it = [&](const Running& each) { return each.call == call && each.caller == from.facts.address; };
  auto runs = std::find_if(running_.begin(), running_.end(), is_it);
  if (runs != running_.end()) return runs->depth < awaited_.depth && (!probe.alone || nobody_else_may_run());
  probe.alone = false;
  auto queued = find_queued(from, call);
  return queued != queue_.end() && !is_callback(*queued);  // else it was answered, or begins now: a callback
}

bool Endpoint::letter_waits(Probe& probe, const PeerLink& from) {
  if (awaited_.depth != depth_) return false;  // what waits innermost here is something else, and nothing is known of it
  auto owes = inbox_.owes(probe.letter, from.facts.address);
  probe.alone = owes == Inbox::owing::not_begun;
  return owes == Inbox::owing::inside || (probe.alone && root_begun_here_ && nobody_else_may_run());
}

bool Endpoint::nobody_else_may_run() {
  bool one_call = awaited_.state != nullptr && awaited_.state->call != 0;
  return !stray_ && awaited_.depth == depth_ && executor_->alive() == 0 && pending_of(root_) == (one_call ? 1 : 0);
}

bool Endpoint::others_may_run(std::uint64_t root, bool before) {
  bool running = runs_methods() && root == root_;
  return (running ? stray_ : before) || executor_->alive() != 0 || pending_of(root) != 0;
}

std::size_t Endpoint::pending_of(std::uint64_t root) {
  if (pending_count_.load(std::memory_order_relaxed) == 0) return 0;
  constexpr std::size_t many = 64;  // then it is not worth counting
  std::lock_guard lock(pending_mutex_);
  if (pending_.size() > many) return many;
  std::size_t count = 0;
  pending_.for_each([&](const PendingCall& each) { count += each.root == root ? 1 : 0; });
  return count;
}

std::string Endpoint::name_of_call(std::uint64_t call) {
  std::lock_guard lock(pending_mutex_);
  const auto* found = pending_.find(call);
  if (found == nullptr) return "a call";
  const Method* method = find_method(found->method);
  return (method != nullptr ? method->key : "a call") + " of process " + std::to_string(found->to.object);
}

}  // namespace octavo::detail
