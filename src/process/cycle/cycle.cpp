// SPDX-License-Identifier: Apache-2.0
// C-3: a cycle of waits that cannot make progress is found and named. Each server that waits long sends a probe the way of what it waits
// for: calls, all or any of several, or a group message of a member of its group. A process that is to answer that, and itself waits, adds its name and passes
// the probe on; one that gets its own probe back is in a cycle.
// (Edge chasing: Chandy, Misra and Haas, "Distributed deadlock detection", ACM TOCS 1 (1983), section 3; `any` as in probe.hpp.)
//
// Nothing is reported that is not so. Say that a process *goes on* when the wait in which it passed a probe ends without an error; the first does
// when the wait ends for which it sent the probe. Of all that passed one of the probes which are back, let P be the one that goes on earliest,
// before the first has looked. What ended its wait is the answer of some Q, that was asked by P's probe afterwards (a wait for any ends by one of
// its parts, and probes of all are back). Q then waited too, and P's probe was passed only if Q cannot answer before its wait ends (see below):
// so Q went on after P's probe and before P. That is earlier: there is no such P. The first, which looks last, is still in the same wait.
// So a process in the cycle can go on only by an error: a death, a collective that fails, a cancelled call.
//
// Q cannot answer before its wait ends:
//  - a call, if it lies in Q's queue and is no callback: it begins when the method that waits there has returned, or later; or if its method is on
//    Q's stack, below the wait.
//  - a group message, if Q is in a collective of that group that it has to leave, or complete, first, and has sent no group message that is on its way. A
//  member
//    enters one collective of a group at a time, and in the thread of its methods (self.hpp, G-11).
//  - a group message of a collective that Q has not entered, if no callback can enter it while Q waits: Q's root began with the call that Q runs, no
//    answer that came to Q said that something of its root may still run elsewhere (`others_may_run`), and what Q waits for is all it
//    has asked for. The probe goes on along that (`alone`): it has not begun, or the same holds of the one where it runs, and so on.
//  - a call whose method has returned a future, before what that future needs is ready (`Unanswered`): there Q's wait is the future's, and the
//    coroutine's that makes it. It sends no probes: its process is free, so in each cycle another waits that is not.
//  - the same, if what the coroutine awaits is ready, and it lies among those to be resumed at Q, but the method that waits there has another root: it
//    is resumed when that wait has ended, or later (`is_held_back`).
// A wait in an event loop of the method's own (loop.cpp) may end otherwise; that is not looked at.
// Waits with a deadline end by themselves: they send no probes and pass none on.
//
// What is missed: a member that waits for a call, with others of its root about (one of these may yet enter the collective); a coroutine that was
// resumed and then waits by a call, not by co_await; more than `most_choices` when_any on one way, or more than `most_ways` calls in them.
#include <algorithm>

#include "octavo/process/errors.hpp"
#include "process/cycle/cycle_finder.hpp"

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

CycleFinder::CycleFinder(const Surroundings& around, Poller& poller, MadeCalls& calls, CallContext& context, const ServedCalls& served,
                         std::shared_ptr<Executor> executor)
    : around_(around), poller_(poller), calls_(calls), context_(context), served_(served), executor_(std::move(executor)) {}

// The ways of what is awaited here. False: it cannot be known, or it is about to end.
bool CycleFinder::collect_ways(const StateBase& state, std::uint64_t wait, const Choices& choices, std::vector<Way>& ways) {
  if (state.ready()) return false;
  if (state.call != 0) {
    ways.push_back({state.callee, state.call, choices, ""});
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
  Choice mine{around_.self.address, wait, static_cast<std::uint32_t>(before), 0, static_cast<std::uint32_t>(needs.of.size())};
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

std::vector<CycleFinder::Way> CycleFinder::ways_of_wait() {
  std::vector<Way> ways;
  if (awaited_.group_message != nullptr) ways.push_back({awaited_.group_message->from, 0, {}, ""});
  else if (awaited_.state != nullptr) collect_ways(*awaited_.state, awaited_.number, {}, ways);
  return ways;
}

road::Deadline CycleFinder::look(road::Deadline deadline) {
  if (!awaited_.known()) return deadline;
  if (is_due(awaited_.next_probe)) {
    if (!awaited_.search) awaited_.search = std::make_unique<CycleSearch>();
    send_probes(awaited_.number, ++awaited_.search->round, ways_of_wait());
  }
  return std::min(deadline, awaited_.next_probe);
}

// Whether the time of the next probe has come; that of the one behind it is set then.
bool CycleFinder::is_due(road::Deadline& next_probe) const {
  const auto now = around_.now();
  const bool is_first = next_probe == road::Deadline(), due = !is_first && now >= next_probe;
  if (is_first) next_probe = now + first_probe;
  else if (due) next_probe = now + next_probes;
  return due;
}

void CycleFinder::send_probes(std::uint64_t wait, std::uint64_t round, const std::vector<Way>& ways) {
  Probe probe;
  probe.first = around_.self.address;
  probe.wait = wait;
  probe.round = round;
  for (const auto& way : ways) {
    probe.part = way.call;
    pass_on(probe, way);
  }
}

void CycleFinder::pass_on(Probe probe, const Way& way) {
  probe.choices.insert(probe.choices.end(), way.choices.begin(), way.choices.end());
  if (!few_enough(probe.choices)) return;
  probe.for_group_message = way.call == 0;
  if (probe.for_group_message) probe.group_message = awaited_.group_message->what;
  probe.by_group_messages = probe.by_group_messages || probe.for_group_message;
  const auto where = machine_of(way.to);
  probe.members.push_back(text_of(around_.self, probe.for_group_message
                                                    ? "process " + std::to_string(way.to.who.object) + where + " in " + awaited_.group_message->what.during
                                                    : calls_.name_of(way.call).value_or("a call") + where + way.how));
  wire::Outgoing out;
  wire::Encoder encoder(out);
  encoder(probe);
  out.header.call = way.call;
  send_probe(way.to, out);
}

// Of one on another machine, in words: the numbers of processes are those of each machine.
std::string CycleFinder::machine_of(const Life& whom) {
  if (whom.who.agent == around_.self.address.agent) return "";
  try {
    return " on " + around_.links.link_to(whom).facts.machine;
  } catch (const error&) {  // it is gone: then there is no cycle
    return "";
  }
}

void CycleFinder::send_probe(const Life& to, wire::Outgoing& out) {
  out.header.kind = wire::frame_kind::probe;
  out.header.caller = around_.self.address.object;
  out.seal();
  try {
    around_.links.link_to(to).connection->send(out, road::keep_rest);
  } catch (const error&) {  // that process is gone: then there is no cycle, and whatever waits for it hears of that
  }
}

void CycleFinder::take(wire::Message& message, const PeerLink& from) {
  if (message.header.flags == verdict_flag) return take_verdict(message, from);
  Probe probe;
  wire::Decoder in(message);
  in(probe);
  if (!within_bounds(probe)) return;
  if (!context_.runs_methods()) return take_beside(probe, message.header.call, from);
  auto* unanswered = probe.for_group_message ? nullptr : unanswered_.find(from.facts.address, message.header.call);
  if (unanswered != nullptr) take_for_unanswered(probe, *unanswered, from);
  else take_for_other(probe, message.header.call, from);
}

void CycleFinder::take_for_unanswered(const Probe& probe, Unanswered::Call& call, const PeerLink& from) {
  if (!is_held_back(call)) pass_by(probe, call, from);
  else if (!probe.alone) pass_through(probe, from);
}

// A group message, or a call that is answered when its method returns.
void CycleFinder::take_for_other(Probe& probe, std::uint64_t call, const PeerLink& from) {
  if (awaited_.known() && (probe.for_group_message ? group_message_waits(probe, from) : call_waits(probe, call, from))) pass_through(probe, from);
}

// Along the wait of the method that runs here, for what the probe asks for comes only when that wait has ended.
void CycleFinder::pass_through(const Probe& probe, const PeerLink& from) {
  if (!awaited_.search) awaited_.search = std::make_unique<CycleSearch>();
  if (probe.first == around_.self.address) {
    if (probe.wait == awaited_.number) take_back(probe, from);
    return;
  }
  auto mine = [&](const Choice& each) { return each.at == around_.self.address; };  // back at a wait for any: no way to `first` this time
  if (std::any_of(probe.choices.begin(), probe.choices.end(), mine) || !awaited_.search->passed.add(probe, from.facts.address)) return;
  for (const auto& way : ways_of_wait()) pass_on(probe, way);
}

// Each time as another wait: which of its futures the coroutine awaits may have changed.
void CycleFinder::pass_by(const Probe& probe, Unanswered::Call& call, const PeerLink& from) {
  auto result = call.result.lock();
  if (!result || probe.alone || !call.passed.add(probe, from.facts.address)) return;
  std::vector<Way> ways;
  collect_ways(*result, ++waits_, {}, ways);
  for (const auto& way : ways) pass_on(probe, way);
}

// Whether the coroutine that answers this call could go on, but is not resumed before the wait here has ended: its call has another root (C-3).
bool CycleFinder::is_held_back(const Unanswered::Call& call) const {
  if (!awaited_.known()) return false;
  for (auto state = call.result.lock(); state && !state->ready() && state->call == 0;) {
    const auto needs = state->needs();
    if (needs.of.size() != 1) return false;
    state = needs.of.front().lock();
    if (state && state->ready()) return executor_->holds_back(*state, context_.root());
  }
  return false;
}

// Whether what is asked for comes only when the wait here has ended (see above).
bool CycleFinder::call_waits(Probe& probe, std::uint64_t call, const PeerLink& from) {
  if (auto depth = served_.depth_of_running(from.facts.address, call)) return *depth < awaited_.depth && (!probe.alone || nobody_else_may_run());
  probe.alone = false;
  return served_.waits_its_turn(from.facts.address, call);  // else it was answered, or begins now: a callback
}

bool CycleFinder::group_message_waits(Probe& probe, const PeerLink& from) {
  if (awaited_.depth != poller_.depth()) return false;  // what waits innermost here is something else, and nothing is known of it
  if (group_messages_ == nullptr) return false;
  const auto owes = group_messages_->owes(probe.group_message, from.facts.address);
  probe.alone = owes == OwedGroupMessages::owing::by_one_not_begun;
  return owes == OwedGroupMessages::owing::by_this_collective || (probe.alone && context_.root_began_here() && nobody_else_may_run());
}

bool CycleFinder::nobody_else_may_run() {
  bool one_call = awaited_.state != nullptr && awaited_.state->call != 0;
  return !context_.may_others_run() && awaited_.depth == poller_.depth() && executor_->alive() == 0 && calls_.waiting_of(context_.root()) == (one_call ? 1 : 0);
}

bool CycleFinder::others_may_run(std::uint64_t root, bool before) {
  return (context_.runs(root) ? context_.may_others_run() : before) || executor_->alive() != 0 || calls_.waiting_of(root) != 0;
}

}  // namespace octavo::detail
