// SPDX-License-Identifier: Apache-2.0
#include "schedule/connections/programs.hpp"

#include <array>
#include <utility>

#include "kit/left_behind.hpp"

namespace octavo::schedule {

namespace {

constexpr std::uint64_t lasting_id = 17, first_program = 100;
constexpr std::size_t of_lasting = ~std::size_t{0};
constexpr std::array<std::size_t, 2> sides{0, 1};  // of a wire: the program's, and the lasting agent's

}  // namespace

Programs::Programs(std::uint64_t seed, const ProgramsOptions& options)
    : options_(options), random_(seed), lazy_(1 + draw(20)), before_(kit::open_descriptors()), rows_(StatusBoard::make(agent_kind::program, {})) {
  for (std::uint64_t i = 0, n = 2 + draw(3); i < n; ++i) {
    auto& made = programs_.emplace_back();
    made.agent = make_agent({first_program + i, 1, "here"});
    made.shares_memory = !options_.far || draw(2) == 0;
    for (std::uint64_t object = 1, objects = 1 + draw(3); object <= objects; ++object) add_process(*made.agent, i, {first_program + i, 1, object});
  }
  begin_lasting();
}

std::unique_ptr<HomeAgent> Programs::make_agent(const agent::Identity& self) {
  auto tell = [this](const Address& who, const control::Notice& notice, std::span<const int> descriptors) {
    for (auto& each : processes_)
      if (each.facts.address == who) each.is_told(notice, descriptors);
  };
  return std::make_unique<HomeAgent>(self, rows_, std::move(tell), self.daemon ? &readers_ : nullptr);
}

void Programs::begin_lasting() {
  lasting_ = make_agent({lasting_id, ++lasting_lives_, "here", true});
  add_process(*lasting_, of_lasting, {lasting_id, lasting_lives_, 1});
}

void Programs::add_process(HomeAgent& agent, std::size_t program, const Address& who) {
  const auto pid = static_cast<std::int64_t>(1000 + processes_.size());
  const ProcessFacts facts{who, "Process", "here", pid, 0};
  const auto& child = agent.add(facts, static_cast<unsigned>(who.object));
  processes_.emplace_back(facts, identity_of(child.bell.descriptor()), [this](const std::string& what) { fail(what); }).program = program;
}

void Programs::fail(const std::string& what) {
  if (failure_.empty()) failure_ = what + " (step " + std::to_string(steps_) + ")";
}

// Null: its program has ended, or that life of the lasting agent.
HomeAgent* Programs::agent_of(const Process& process) {
  if (process.program != of_lasting) return programs_[process.program].agent.get();
  return process.facts.address.incarnation == lasting_lives_ ? lasting_.get() : nullptr;
}

void Programs::run() {
  for (auto& each : programs_) join(each);
  settle();
  scarce_ = options_.scarce;
  live();
  settle();
  check_rest();
  scarce_ = false;
  if (failure_.empty()) connect_all();
  for (auto& each : processes_) each.die();
  for (auto& each : programs_) each = {};
  lasting_.reset();
  rows_.reset();
  if (const auto after = kit::open_descriptors(); after != before_)
    fail(std::to_string(after.size()) + " descriptors are open, and were " + std::to_string(before_.size()));
}

void Programs::live() {
  for (int acts = 0; failure_.empty() && acts < options_.acts;) {
    if (draw(lazy_) != 0) {
      step();
    } else {
      act();
      ++acts;
    }
  }
}

void Programs::settle() {
  for (int left = 20'000; failure_.empty() && step(); --left)
    if (left == 0) fail("agents tell each other something without end");
}

bool Programs::step() {
  ++steps_;
  auto events = all_events();
  if (events.empty()) return false;
  events[draw(events.size())]();
  return true;
}

// --- what comes ---

std::vector<Programs::Event> Programs::all_events() {
  std::vector<Event> events;
  for (auto& each : processes_) add_events_of(each, events);
  for (auto& each : programs_) add_events_of(each, events);
  return events;
}

void Programs::add_events_of(Process& process, std::vector<Event>& events) {
  auto* agent = agent_of(process);
  if (process.dead && !process.reaped && agent != nullptr)
    events.emplace_back([&process, agent] {
      process.reaped = true;
      agent->reap(process.facts.address, false);
    });
  if (process.has_news()) events.emplace_back([this, &process] { process.hear(processes_, lasting_lives_ == 1); });
}

void Programs::add_events_of(Program& program, std::vector<Event>& events) {
  if (program.agent != nullptr && program.agent->wants_lasting()) events.emplace_back([this, &program] { join(program); });
  if (program.wire == nullptr) return;
  for (const auto side : sides)
    if (program.wire->waits_for(side)) events.emplace_back([&program, side] { program.wire->deliver(side); });
}

void Programs::join(Program& program) {
  program.wire = program.agent->join(*lasting_, program.shares_memory);
  program.wire->finds_no_room = [this] { return scarce_ && draw(4) == 0; };
}

// --- what they do ---

void Programs::act() {
  const auto what = draw(12);
  if (what == 0 && killed_ < options_.kills) return kill_one();
  if (what == 1 && static_cast<int>(lasting_lives_) <= options_.agents_killed) return kill_lasting();
  auto &one = processes_[draw(processes_.size())], &other = processes_[draw(processes_.size())];
  if (!one.dead && &one != &other) ask(one, other);
}

void Programs::ask(Process& by, const Process& to) { agent_of(by)->take(by.facts.address, by.ask(to.facts.address)); }

void Programs::kill_one() {
  auto& one = processes_[draw(processes_.size())];
  if (one.dead) return;
  ++killed_;
  kill(one);
}

// The first process of an agent of a program is that program, and takes all with it.
void Programs::kill(Process& process) {
  process.die();
  if (process.program == of_lasting || process.facts.address.object != 1) return;
  for (auto& each : processes_)
    if (each.program == process.program) each.die();
  programs_[process.program].agent.reset();
}

void Programs::kill_lasting() {
  for (auto& each : processes_)
    if (each.program == of_lasting) each.die();
  lasting_.reset();
  begin_lasting();
}

// --- what is held ---

void Programs::check_rest() {
  const bool news_is_whole = lasting_lives_ == 1 && !options_.scarce;
  for (const auto& each : processes_) {
    if (!each.dead) each.check_rest(processes_, news_is_whole);
    for (const auto& other : processes_)
      if (news_is_whole && !each.dead && !other.dead && each.was_refused(other.facts.address)) fail("refused, though both live");
  }
  check_channels();
}

// What one side of a link carries, the other does, or has refused.
void Programs::check_channels() {
  for (const auto& each : programs_)
    for (const auto side : sides) {
      if (each.agent == nullptr || each.wire == nullptr || each.wire->is_cut()) continue;
      const auto &opened = each.wire->opened(1 - side), &refused = each.wire->refused(1 - side);
      for (const auto channel : each.wire->opened(side))
        if (!opened.contains(channel) && !refused.contains(channel)) fail("channel " + std::to_string(channel) + " has one end");
    }
}

// All that live and have reached the lasting agent reach each other, whatever was before.
void Programs::connect_all() {
  for (auto& each : programs_)
    if (each.agent != nullptr && !each.agent->has_lasting()) join(each);
  settle();
  for (auto& one : processes_)
    for (const auto& other : processes_)
      if (!one.dead && !other.dead && &one != &other) ask(one, other);
  settle();
  for (const auto& one : processes_)
    for (const auto& other : processes_)
      if (!one.dead && !other.dead && &one != &other && (one.waits() || !one.reaches(other.facts.address)))
        fail("process " + std::to_string(one.facts.pid) + " does not reach " + std::to_string(other.facts.pid));
}

}  // namespace octavo::schedule
