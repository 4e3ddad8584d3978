// SPDX-License-Identifier: Apache-2.0
#include "schedule/world.hpp"

#include <stdexcept>
#include <utility>

#include "octavo/base/error.hpp"
#include "octavo/process/errors.hpp"
#include "schedule/line.hpp"
#include "schedule/stepped_connection.hpp"

namespace octavo::schedule {

namespace {
constexpr std::uint64_t deepest = 3;
}  // namespace

World::World(std::uint64_t seed, const WorldOptions& options)
    : options_(options),
      turns_(seed),
      full_(one_of({2, 4, 16, 100})),
      refreshed_(one_of({30, 500, 10'000})),
      machine_([this](const kit::BareSurroundings&, std::shared_ptr<road::Connection> end) {
        return std::make_shared<SteppedConnection>(turns_, full_, std::move(end));
      }) {
  turns_.on_step = [this] { at_each_step(); };
  turns_.on_stuck = [this] {
    fail("something waits, and nothing goes on: " + text_of_all());
    end_all();
  };
  for (unsigned i = 0; i <= options.players; ++i) {
    auto& part = parts_.emplace_back();
    part.around = &machine_.add();
    part.clock = std::make_unique<TurnsClock>(turns_);
    part.around->clock = part.clock.get();
    part.endpoint = std::make_unique<detail::Endpoint>(part.around->around(), runtime_reach::scope, detail::FeatureList{});
  }
}

World::~World() = default;

void World::fail(const std::string& what) {
  if (failure_.empty()) failure_ = what + " (step " + std::to_string(turns_.steps()) + ")";
}

void World::ran(std::uint64_t line, std::uint64_t number) {
  turns_.something_done();
  if (!ran_.insert({line, number}).second) fail("call " + std::to_string(number) + " of line " + std::to_string(line) + " ran twice");
}

void World::run() {
  std::vector<std::function<void()>> bodies;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    bodies.emplace_back([this, i] {
      auto& endpoint = *parts_[i].endpoint;
      const detail::Endpoint::Use mine(endpoint);
      try {
        if (i == 0) drive();
        else endpoint.serve();
      } catch (const std::exception& e) {
        fail(std::string("thread ") + std::to_string(i) + " ended by: " + e.what());
        end_all();
      }
    });
  }
  turns_.run(bodies);
  for (auto& each : parts_) {
    const detail::Endpoint::Use mine(*each.endpoint);
    each.endpoint->end();
  }
}

void World::at_each_step() {
  if (ending_) return;
  if (turns_.one_in(refreshed_)) parts_[turns_.draw(parts_.size())].around->links.something_changed();
  if (turns_.one_in(2000)) {
    auto& one = parts_[turns_.draw(parts_.size())];
    auto& two = parts_[turns_.draw(parts_.size())];
    if (&one != &two && !one.dead && !two.dead) machine_.connect(*one.around, *two.around);
  }
  if (killed_ < options_.kills && turns_.one_in(1500)) kill_one();
}

std::string World::text_of_all() const {
  std::string text;
  for (const auto& each : parts_) {
    auto& endpoint = *each.endpoint;
    text += "\n  endpoint " + std::to_string(each.around->self.address.object) + (each.dead ? " (dead)" : "") + ": waits for answers, owes " +
            std::to_string(endpoint.replies().owed()->size()) + (endpoint.served().none_queued() ? "" : ", has calls in its queue") +
            (endpoint.served().none() ? "" : ", runs a method") + (endpoint.poller().incoming() ? ", has something to read" : "");
    endpoint.calls().look([&](const detail::PendingCalls& pending) {
      pending.for_each([&](const detail::PendingCall& call) {
        const auto* method = detail::find_method(call.method);
        text += "\n    for " + (method != nullptr ? method->key : "a request") + " of " + std::to_string(call.to.object) + ", root " +
                std::to_string(call.root % 10'000);
      });
    });
  }
  return text;
}

void World::kill_one() {
  const auto at = 1 + turns_.draw(options_.players);
  if (std::exchange(parts_[at].dead, true)) return;
  ++killed_;
  machine_.kill(*parts_[at].around);
  turns_.park(at);
}

bool World::is_expected(const std::exception& problem) const {
  if (dynamic_cast<const call_cycle*>(&problem) != nullptr) return options_.cycles || ending_;
  const auto* ours = dynamic_cast<const error*>(&problem);
  return ours != nullptr && ours->kind() == error_kind::gone && (killed_ != 0 || ending_);
}

void World::drive() {
  auto& endpoint = *parts_[0].endpoint;
  endpoint.context().serve_here();
  (void)endpoint.poller().waiters().try_read();
  make_players();
  for (int i = 0; i < options_.root_actions && !ending_; ++i) act(0, 0);
  settle();
  if (!ending_) check_rest();
  end_all();
}

void World::make_players() {
  for (std::size_t i = 1; i < parts_.size(); ++i) {
    wire::Outgoing out;
    wire::Encoder encoder(out);
    encoder(reinterpret_cast<std::uint64_t>(this));
    auto state = std::make_shared<detail::State<void>>();
    try {
      parts_[0].endpoint->calls().begin(state, parts_[i].around->self.address, wire::frame_kind::construct,
                                        detail::ConstructorOf<Player, std::uint64_t>::entry->hash, out);
      detail::finish_call(*state);
    } catch (const std::exception& e) {
      if (!is_expected(e)) fail(std::string("making a player: ") + e.what());
    }
  }
}

// What was started and not waited for ends, too: time passes only when nobody has anything to do.
void World::settle() {
  const auto until = turns_.now() + std::chrono::seconds(5);
  parts_[0].endpoint->wait([] { return false; }, until);
}

void World::check_rest() {
  for (auto& each : parts_) {
    if (each.dead) continue;
    auto& endpoint = *each.endpoint;
    const auto who = "endpoint " + std::to_string(each.around->self.address.object);
    if (!endpoint.calls().none_waits()) fail(who + " has a call that was never answered" + text_of_all());
    if (!endpoint.served().none()) fail(who + " has a call that it never served");
    const auto kept = gates_[each.around->self.address.object - 1];  // whoever was to open them is dead
    if (endpoint.replies().owed()->size() != (killed_ != 0 ? kept : 0)) fail(who + " owes an answer");
    if (endpoint.executor()->alive() != 0) fail(who + " has a coroutine that never ended");
  }
}

void World::end_all() {
  ending_ = true;
  for (auto& each : parts_) each.around->links.lose_agent();
  turns_.release_all();
}

// --- what players do ---

void World::act(std::uint64_t depth, std::uint64_t above) {
  const auto me = turns_.mine();
  Line line(*this, me, depth, above);
  for (std::uint64_t n = 1 + turns_.draw(depth == 0 ? 4 : 3); n > 0 && !ending_; --n) {
    try {
      line.act();
    } catch (const std::exception& e) {
      if (!is_expected(e)) fail(std::string("a call threw: ") + e.what());
    }
  }
  line.end();
}

std::pair<future<std::uint64_t>, std::uint64_t> World::begin_one(std::uint64_t depth) {
  Line line(*this, turns_.mine(), depth, 0);
  return line.begin_one();
}

}  // namespace octavo::schedule
