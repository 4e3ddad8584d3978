// SPDX-License-Identifier: Apache-2.0
#include "schedule/home/town.hpp"

#include <algorithm>
#include <utility>

#include "message/channel/edges.hpp"
#include "octavo/base/error.hpp"
#include "octavo/process/errors.hpp"
#include "schedule/stepped_connection.hpp"

namespace octavo::schedule {

namespace {
constexpr std::uint64_t lasting_id = 17, first_program = 100;

template <class Choices>
std::uint64_t one_of(Turns& turns, const Choices& choices) {
  return choices[turns.draw(choices.size())];
}
}  // namespace

Town::Town(std::uint64_t seed, const TownOptions& options)
    : options_(options),
      turns_(seed),
      full_(one_of(turns_, std::array<std::uint64_t, 3>{3, 20, 1000})),
      lazy_(one_of(turns_, std::array<std::uint64_t, 4>{1, 3, 10, 40})),
      killing_(one_of(turns_, std::array<std::uint64_t, 3>{50, 200, 600})),
      machine_([this](const kit::BareSurroundings&,
                      std::shared_ptr<road::Connection> end) { return std::make_shared<SteppedConnection>(turns_, full_, std::move(end)); },
               [this](kit::BareSurroundings& asking, const Address& to) { return connect(asking, to); }),
      ledger_([this](const std::string& what) { fail(what); }) {
  turns_.on_step = [this] { at_each_step(); };
  turns_.on_stuck = [this] {
    fail("something waits, and nothing goes on");
    end_all();
  };
  for (unsigned i = 0; i < options_.programs; ++i) {
    programs_.emplace_back();
    add_process(i, false);
    if (turns_.one_in(2)) add_process(i, true);
  }
  for (unsigned i = 0; i < options_.programs; ++i)
    programs_[i].agent = std::make_unique<HomeAgent>(agent::Identity{first_program + i, 1, "here"}, machine_.rows(),
                                                     [this](const Address& who, const control::Notice& notice, std::span<const int>) {
                                                       if (auto& process = process_of(who); !process.dead) process.told.push_back(notice);
                                                     });
  for (auto& each : processes_) programs_[each.program].agent->add(each.around->self, static_cast<unsigned>(each.number + 1));
  readers_.is_alive = [this](std::uint64_t program) { return programs_.at(program - first_program).agent != nullptr; };
  begin_lasting();
}

void Town::begin_lasting() {
  const agent::Identity self{lasting_id, ++lasting_lives_, "here", true};
  lasting_ = std::make_unique<HomeAgent>(
      self, machine_.rows(), [](const Address&, const control::Notice&, std::span<const int>) {}, &readers_);
  lasting_->on_death = [this](const Obituary& of) { ledger_.is_known_to_be_over(process_of(of.facts.address).number); };
}

Town::~Town() = default;

void Town::add_process(std::size_t program, bool is_object) {
  auto& made = processes_.emplace_back();
  made.number = processes_.size() - 1;
  made.program = program;
  ledger_.begins(made.number, program);
  made.is_object = is_object;
  made.around = &machine_.add();
  made.around->self.address.agent = first_program + program;
  made.clock = std::make_unique<TurnsClock>(turns_);
  made.around->clock = made.clock.get();
  made.endpoint = std::make_unique<detail::Endpoint>(made.around->around(), runtime_reach::scope, detail::FeatureList{detail::feature_of<detail::Edges>()});
}

void Town::fail(const std::string& what) {
  if (failure_.empty()) failure_ = what + " (step " + std::to_string(turns_.steps()) + ")";
}

void Town::run() {
  std::vector<std::function<void()>> bodies;
  for (auto& each : processes_) bodies.emplace_back([this, &each] { live(each); });
  bodies.emplace_back([this] { deliver(); });
  turns_.run(bodies);
  if (failure_.empty()) check_forgotten();
  for (auto& each : processes_) each.endpoint->end();
}

// --- connections ---

const Obituary* Town::death_of(const Process& asking, const Address& who) const {
  if (const auto* known = programs_[asking.program].agent->death_of(who)) return known;
  return lasting_->death_of(who);
}

// The request went by the links, which the deaths that its answer tells of had gone by before.
bool Town::can_connect(const Process& me, const Process& other) const {
  const auto &mine = programs_[me.program], &its = programs_[other.program];
  if (over_ || me.dead) return true;
  if (me.program == other.program || death_of(me, other.around->self.address) != nullptr) return true;
  if (mine.agent->has_lasting() && (mine.wire->is_cut() || !lasting_->has_met(first_program + me.program))) return false;
  return !lasting_->has_met(first_program + other.program) || (its.agent != nullptr && !(other.reaped && its.wire->waits_for(1)));
}

// As the agents on the way do when a process asks for one. One that is dead is connected nevertheless as long as its agent has not seen it.
detail::PeerLink Town::connect(kit::BareSurroundings& asking, const Address& to) {
  auto& me = process_of(asking.self.address);
  auto& other = process_of(to);
  turns_.step();
  turns_.sleep([&] { return can_connect(me, other); }, road::never);
  if (over_ || me.dead) throw gone_error("the town ends");
  if (const auto* death = death_of(me, to)) throw process_died(*death);
  auto& here = *programs_[me.program].agent;
  const bool by_lasting = me.program != other.program;
  if (by_lasting && !(here.has_lasting() && lasting_->has_met(to.agent))) throw gone_error("there is no way to it");
  auto& there = *programs_[other.program].agent;
  if (const auto* death = there.death_of(to)) throw process_died(*death);
  auto link = machine_.connect(asking, *other.around).first;
  here.connected(asking.self, other.around->self);
  there.connected(other.around->self, asking.self);
  if (by_lasting) {
    lasting_->carried(asking.self, other.around->self);
    ledger_.are_connected(me.program, other.program);
  }
  if (other.dead) close(other);
  return link;
}

// --- ends ---

void Town::at_each_step() {
  if (over_ || round_ != 0 || !turns_.one_in(killing_)) return;
  if (static_cast<int>(lasting_lives_) <= options_.agents_killed && turns_.one_in(2)) kill_lasting();
  else if (killed_ < options_.kills) kill_one();
}

void Town::kill_one() {
  auto& one = processes_[turns_.draw(processes_.size())];
  if (one.program == 0 && !one.is_object) return;
  if (one.dead) return;
  ++killed_;
  kill(one);
}

// A program's agent and its objects die with it.
void Town::kill(Process& process) {
  for (auto& each : processes_)
    if (!each.dead && (&each == &process || (!process.is_object && each.program == process.program))) {
      each.dead = true;
      ledger_.is_over(each.number);
      close(each);
      turns_.park(each.number);
    }
  if (!process.is_object) programs_[process.program].agent.reset();
}

// The connections of different programs hold: the agents that tell of a loss are believed only when they end.
void Town::kill_lasting() {
  lasting_.reset();
  ledger_.lasting_agent_is_killed();
  begin_lasting();
}

void Town::close(Process& process) {
  machine_.crash(*process.around);
  for (auto& each : processes_)
    if (!each.dead && each.around->links.way_to(process.around->self.address) != nullptr) each.end_to_hear = true;
}

// As all programs end, the lasting agent hears of it.
void Town::check_forgotten() {
  for (auto& each : programs_) {
    each.agent.reset();
    while (each.wire != nullptr && each.wire->waits_for(1)) each.wire->deliver(1);
  }
  for (const auto* box : {boxes[0], boxes[1], unread})
    if (!lasting_->has_forgotten(box)) fail(std::string("MB-3: all have ended, and the lasting agent keeps something of ") + box);
}

void Town::end_all() {
  over_ = true;
  for (auto& each : processes_) {
    each.around->links.lose_agent();
    each.around->agent.close();
  }
  turns_.release_all();
}

}  // namespace octavo::schedule
