// SPDX-License-Identifier: Apache-2.0
// Agents of machines that get links with each other (SI-1 to SI-4), while links are cut, calls fail and agents are killed, on every schedule that a seed can
// choose: what they say waits until the seed delivers it. Their peers and siblings are the real ones.
//
// What is held: each request is answered in the end; of one that lives nobody is told as dead; where a conversation was lost with its link both ends are told,
// or its agent was killed.
#include "machine/agent/siblings/siblings.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "machine/obituary.hpp"
#include "schedule/home/wire.hpp"
#include "schedule/seeds.hpp"

namespace octavo::schedule {
namespace {

using agent::PeerAgent, agent::peer_kind, agent::SiblingWays;

// One end of a wire, until an agent has it.
class Held final : public road::Link {
 public:
  Held(std::shared_ptr<Wire> of, std::size_t end) : wire(std::move(of)), side(end) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() override {
    if (!taken) static_cast<void>(wire->end(side, {}));  // nobody wants it: it is closed
  }
  [[nodiscard]] std::size_t send(std::span<const ByteView> /*pieces*/) override { return 0; }
  [[nodiscard]] std::size_t receive(std::span<const ByteSpan> /*into*/) override { return 0; }
  [[nodiscard]] int descriptor() const override { return -1; }
  [[nodiscard]] short events(bool /*sending*/) const override { return 0; }
  [[nodiscard]] bool lost() const override { return false; }
  [[nodiscard]] std::string why() const override { return {}; }
  void close() override {}
  [[nodiscard]] std::string_view kind() const override { return "held"; }

  std::shared_ptr<Wire> wire;
  std::size_t side;
  bool taken = false;
};

struct Ways final : SiblingWays {
  struct Invited {
    Ready ready;
    Came came;
    bool told = false;
  };
  struct Called {
    Place place;
    Came came;
  };
  void invite(Ready ready, Came came) override { invited[++last] = {std::move(ready), std::move(came)}; }
  void call(const Place& place, Came came) override { called.push_back({place, std::move(came)}); }
  std::map<std::uint64_t, Invited> invited;  // by what its address says
  std::vector<Called> called;
  std::uint64_t last = 0;
};

struct Machine;

// A process that has asked for a connection with one of another machine. Each asks once.
class Asking final : public agent::Requester, public std::enable_shared_from_this<Asking> {
 public:
  Asking(Machine& at, const Address& who) : at_(at) { facts_.address = who; }
  [[nodiscard]] const ProcessFacts& facts() const override { return facts_; }
  [[nodiscard]] agent::Child* child() const override { return nullptr; }
  [[nodiscard]] PeerAgent* peer() const override { return nullptr; }
  void answer(control::Notice /*notice*/) override {}
  using agent::Requester::hand_to;
  void hand_to(PeerAgent& other, const control::Notice& request, Otherwise otherwise) override;
  int answered = 0;

 private:
  void introduce_to(agent::Child& /*there*/) override {}
  Machine& at_;
  ProcessFacts facts_;
};

struct Machine {
  Machine(std::uint64_t id, std::shared_ptr<Wire> to_hub, std::size_t side)
      : self{id, 1, "m" + std::to_string(id), false, 0}, hub(std::move(to_hub)), own_side(side) {
    if (hub == nullptr) return;
    peers.meet(std::make_unique<Held>(hub, own_side), "the hub", peer_kind::hub).id = 1;
  }
  agent::PeerAgents::Events events() {
    return {.requested =
                [this](PeerAgent& from, const talk::ForwardedRequest& request, const Fd&) {
                  talks(from, request.requester, control::get_if<control::Connect>(&request.notice)->to.object);
                  ProcessFacts ours;
                  ours.address = control::get_if<control::Connect>(&request.notice)->to;
                  from.tell(talk::ForwardedReply{request.request, control::Connected{0, ours, 0, 0, 0, road::road_kind::net, 0}});
                },
            .died = [this](const Obituary& of) { dead.push_back(of); },
            .lost =
                [this](const PeerAgent& lost) {
                  if (lost.kind == peer_kind::machine) siblings.tell_lost(lost);
                },
            .ask_again = [](const auto&, const auto&) { return false; },
            .siblings = [this](PeerAgent& from, const talk::Siblings& said) { siblings.hear(from, said); },
            .sibling_lost = [this](std::shared_ptr<PeerAgent> lost) { siblings.hear_lost(std::move(lost)); }};
  }
  void talks(PeerAgent& with, const ProcessFacts& theirs, std::uint64_t ours) {
    with.theirs.insert_or_assign(theirs.address, theirs);
    with.talks.emplace(theirs.address, ours);
  }
  void take(const agent::RequesterPtr& requester, const control::Notice& request) {
    if (!siblings.forward(requester, *control::get_if<control::Connect>(&request))) ++std::dynamic_pointer_cast<Asking>(requester)->answered;  // by the hub
  }

  const agent::Identity self;
  const std::shared_ptr<Wire> hub;
  const std::size_t own_side;
  agent::DeathRegister deaths{[](const agent::Listener&, const Obituary&) {}};
  std::vector<Obituary> dead;
  std::vector<std::pair<std::uint64_t, Address>> unreached;  // our object, and with whom it talked
  std::shared_ptr<Ways> ways = std::make_shared<Ways>();
  agent::PeerAgents peers{self, deaths, [](const std::function<void()>& work) { work(); },
                          [](std::unique_ptr<road::Link> link, road::RelayEvents told) {
                            auto& held = dynamic_cast<Held&>(*link);
                            held.taken = true;
                            return held.wire->end(held.side, std::move(told));
                          },
                          events()};
  agent::Siblings siblings{self,
                           peers,
                           own_side == 1 ? ways : nullptr,
                           [](const std::function<void()>& work) { work(); },
                           {.fulfil = [this](const agent::RequesterPtr& requester, const control::Notice& request) { take(requester, request); },
                            .unreached = [this](std::uint64_t object, const Obituary& of) { unreached.emplace_back(object, of.facts.address); },
                            .died = [this](const Obituary& of) { dead.push_back(of); }}};
};

void Asking::hand_to(PeerAgent& other, const control::Notice& request, Otherwise /*otherwise*/) {
  at_.peers.ask(other, shared_from_this(), request, [this](PeerAgent& by, const control::Notice& said, const PeerAgent::FarEnd&) {
    ++answered;
    if (const auto* made = control::get_if<control::Connected>(&said)) at_.talks(by, made->peer, facts_.address.object);
  });
}

struct Options {
  int acts = 30, kills = 0;
  bool cuts = false, walls = false;
};

class World {
 public:
  World(std::uint64_t seed, const Options& options) : random_(seed), options_(options) {
    for (const std::uint64_t id : {10, 20, 30}) {
      auto wire = std::make_shared<Wire>();
      hub_.peers.meet(std::make_unique<Held>(wire, 0), "m" + std::to_string(id), peer_kind::machine).id = id;
      machines_[id] = std::make_unique<Machine>(id, wire, 1);
      wires_.push_back(wire);
    }
  }
  void run() {
    for (int act = 0; act < options_.acts; ++act) {
      do_something();
      for (auto left = draw(6); left != 0 && step(); --left) {}
    }
    settle();
    asked_.clear();
    for (const auto& [from, machine] : machines_)
      for (const auto& [to, other] : machines_)
        if (from != to) ask(*machine, to);
    settle();
  }
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }
  [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }

 private:
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }
  void fail(const std::string& what) {
    if (failure_.empty()) failure_ = what;
  }
  Machine& any() { return *std::next(machines_.begin(), static_cast<std::ptrdiff_t>(draw(machines_.size())))->second; }

  void ask(Machine& from, std::uint64_t to) {
    auto asking = std::make_shared<Asking>(from, Address{from.self.id, 1, ++objects_});
    askers_.insert(objects_);
    asked_.emplace_back(from.self.id, asking);
    from.take(asking, control::Connect{0, {to, 1, ++objects_}});
  }
  void do_something() {
    Machine& one = any();
    const auto what = draw(8);
    if (what == 0 && killed_.size() < static_cast<std::size_t>(options_.kills)) {
      const auto id = one.self.id;
      killed_.push_back(id);
      std::erase_if(asked_, [id](const auto& each) { return each.first == id; });
      machines_.erase(id);
    } else if (what <= 2 && options_.cuts) {
      for (const std::uint64_t id : {10, 20, 30})
        if (auto* there = one.peers.sibling(id); there != nullptr && draw(2) == 0) one.peers.lose(*there, "a cable");
    } else {
      constexpr std::array<std::uint64_t, 3> ids{10, 20, 30};
      if (const auto to = ids.at(draw(ids.size())); to != one.self.id) ask(one, to);
    }
  }

  void connect(Machine& from, std::size_t which) {
    const auto called = std::move(from.ways->called.at(which));
    from.ways->called.erase(from.ways->called.begin() + static_cast<std::ptrdiff_t>(which));
    const auto colon = called.place.address.find(':');
    const auto there = machines_.find(std::stoull(called.place.address));
    if (there != machines_.end() && !(options_.walls && draw(3) == 0)) {
      auto its = there->second->ways->invited.extract(std::stoull(called.place.address.substr(colon + 1)));
      if (its) {
        auto wire = std::make_shared<Wire>();
        wires_.push_back(wire);
        called.came(std::make_unique<Held>(wire, 0), {});
        return its.mapped().came(std::make_unique<Held>(wire, 1), {});
      }
    }
    called.came(nullptr, "nobody answers");
  }
  [[nodiscard]] std::vector<std::function<void()>> all_events() {
    std::vector<std::function<void()>> all;
    for (const auto& wire : wires_)
      for (const std::size_t side : {0, 1})
        if (wire->waits_for(side)) all.emplace_back([wire, side] { wire->deliver(side); });
    for (const auto& [id, machine] : machines_) {
      for (auto& [number, invited] : machine->ways->invited)
        if (!invited.told)
          all.emplace_back([this, &invited, number = number, id = id] {
            invited.told = true;
            const bool walled = options_.walls && draw(4) == 0;
            invited.ready({std::to_string(id) + ":" + std::to_string(number), {}}, walled ? "it listens nowhere" : "");
          });
      for (std::size_t i = 0; i < machine->ways->called.size(); ++i) all.emplace_back([this, i, &from = *machine] { connect(from, i); });
    }
    return all;
  }
  bool step() {
    const auto all = all_events();
    if (all.empty()) return false;
    ++steps_;
    all[draw(all.size())]();
    std::erase_if(wires_, [](const auto& each) { return each.use_count() == 1; });
    return true;
  }

  void settle() {
    while (step()) {}
    for (const auto& [from, asking] : asked_)
      if (asking->answered != 1) fail("SI-2, SI-4: a request of agent " + std::to_string(from) + " has " + std::to_string(asking->answered) + " answers");
    for (const auto& [id, machine] : machines_) look_at(*machine);
  }
  void look_at(Machine& one) {
    for (const auto& of : one.dead)
      if (std::ranges::find(killed_, of.facts.address.agent) == killed_.end()) fail("SI-3: of one that lives it is told that it is dead");
    for (const auto& [object, peer] : one.unreached) {
      if (!askers_.contains(object)) continue;  // the other may not have heard of it, and has asked again
      const auto there = machines_.find(peer.agent);
      if (there == machines_.end()) continue;
      const auto mirrored = std::pair(peer.object, Address{one.self.id, 1, object});
      if (std::ranges::find(there->second->unreached, mirrored) == there->second->unreached.end())
        fail("SI-3: only one end of a conversation hears that it is lost");
    }
    for (const auto& [id, other] : machines_) {
      if ((one.peers.sibling(id) == nullptr) != (other->peers.sibling(one.self.id) == nullptr)) fail("only one of two has their link");
    }
    for (const auto killed : killed_)
      if (one.peers.sibling(killed) != nullptr) fail("a link with one that is gone");
  }

  std::mt19937_64 random_;
  const Options options_;
  Machine hub_{1, nullptr, 0};
  std::vector<std::shared_ptr<Wire>> wires_;
  std::map<std::uint64_t, std::unique_ptr<Machine>> machines_;
  std::vector<std::uint64_t> killed_;
  std::set<std::uint64_t> askers_;
  std::vector<std::pair<std::uint64_t, std::shared_ptr<Asking>>> asked_;
  std::uint64_t objects_ = 1, steps_ = 0;
  std::string failure_;
};

void run(const Options& options) {
  run_worlds([&](std::uint64_t seed) { return std::make_unique<World>(seed, options); });
}

TEST(ScheduleOfSiblings, SI2_EachRequestIsAnswered) { run({}); }
TEST(ScheduleOfSiblings, SI2_WhereSomeDoNotReachEachOther) { run({.walls = true}); }
TEST(ScheduleOfSiblings, SI3_LinksAreCut) { run({.cuts = true}); }
TEST(ScheduleOfSiblings, SI3_AgentsAreKilledAndLinksAreCut) { run({.kills = 2, .cuts = true, .walls = true}); }

}  // namespace
}  // namespace octavo::schedule
