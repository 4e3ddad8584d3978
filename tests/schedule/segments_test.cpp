// SPDX-License-Identifier: Apache-2.0
// Segments with names (SEG-2, SEG-3), opened and let go of by processes that are killed at times, on every schedule that a seed can choose: a real pool, the
// agent's real names, and steps between what the agent says and what a process does about it.
#include "machine/agent/services/segments.hpp"

#include <cstring>
#include <map>

#include "message/open_segment.hpp"
#include "octavo/base/error.hpp"
#include "schedule/seeds.hpp"
#include "schedule/turns.hpp"
#include "unit/machine/agent/fakes.hpp"

namespace octavo::schedule {
namespace {

using PageKey = std::pair<std::uint64_t, std::uint64_t>;
PageKey key_of(const wire::PageRef& page) { return {page.offset, page.generation}; }

class SegmentWorld {
 public:
  SegmentWorld(std::uint64_t seed, unsigned processes, int kills) : turns_(seed), kills_(kills) {
    for (unsigned i = 0; i < processes; ++i) users_.emplace_back(i + 1, Fd(::dup(memory_.get())), processes_.add({1, 1, i + 1}, i + 1));
    turns_.on_step = [this] { at_each_step(); };
  }

  void run() {
    std::vector<std::function<void()>> bodies;
    for (std::size_t i = 0; i < users_.size(); ++i) bodies.emplace_back([this, i] { use(users_[i]); });
    turns_.run(bodies);
    for (auto& each : users_)
      if (each.dead) agent_.reclaim(each.slot);
    if (agent_.free_bytes() != all_free_) fail("a page is left that nobody has");
  }
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }
  [[nodiscard]] std::uint64_t steps() const noexcept { return turns_.steps(); }

 private:
  static constexpr std::size_t bytes = 4096;
  struct User {
    User(unsigned number, Fd memory, agent::Child& process) : slot(number), pool(std::make_shared<Pool>(std::move(memory), number)), child(process) {}
    const unsigned slot;
    std::shared_ptr<Pool> pool;
    agent::Child& child;
    std::vector<std::pair<std::string, wire::PageRef>> held;
    bool dead = false, reclaimed = false;
  };
  struct Killed {};

  void fail(const std::string& what) {
    if (failure_.empty()) failure_ = what + " (step " + std::to_string(turns_.steps()) + ")";
  }
  void step(const User& user) {
    turns_.step();
    if (user.dead) throw Killed();
  }
  // A process is dead for some time before its agent has seen it.
  void at_each_step() {
    for (auto& each : users_)
      if (each.dead && !each.reclaimed && turns_.one_in(3)) each.reclaimed = agent_.reclaim(each.slot);
    if (killed_ >= kills_ || !turns_.one_in(100)) return;
    const auto at = turns_.draw(users_.size());
    if (at == turns_.mine() || std::exchange(users_[at].dead, true)) return;
    ++killed_;
    turns_.park(at);
  }

  void use(User& user) {
    try {
      for (int i = 0; i < 40; ++i) {
        if (user.held.size() < 3 && (user.held.empty() || turns_.one_in(2))) open(user);
        else let_go(user, turns_.draw(user.held.size()));
        step(user);
      }
      while (!user.held.empty()) let_go(user, 0), step(user);
    } catch (const Killed&) {
    } catch (const std::exception& e) {
      fail(std::string("it threw: ") + e.what());
    }
    if (++ended_ == users_.size() - static_cast<std::size_t>(killed_)) turns_.release_all();
  }

  void open(User& user) {
    const std::string name = turns_.one_in(3) ? "b" : "a";
    const auto make = [&] {
      const auto page = user.pool->try_allocate(bytes).value();
      std::memset(user.pool->at(page), 0, bytes);
      written_[key_of(page)] = 0;
      return page;
    };
    const auto ask = [&](const control::OpenSegment& request) {
      step(user);
      auto requester = std::make_shared<agent::fake::Requester>(user.child.facts.address, &user.child);
      segments_.take(requester, request);
      const auto page = requester->last<control::SegmentAt>()->page;
      step(user);
      return page;
    };
    const auto page = detail::open_segment(*user.pool, {0, name, "float64", bytes / 8, bytes, {}}, make, ask);
    turns_.something_done();
    auto* count = reinterpret_cast<std::uint64_t*>(user.pool->at(page));
    if (*count != written_.at(key_of(page))) fail("segment '" + name + "' has lost what was written to it");
    for (const auto& other : users_)
      for (const auto& [its_name, its_page] : other.held)
        if (!other.reclaimed && its_name == name && key_of(its_page) != key_of(page)) fail("two have different segments '" + name + "'");
    written_[key_of(page)] = ++*count;
    user.held.emplace_back(name, page);
  }

  void let_go(User& user, std::size_t at) {
    const auto page = user.held[at].second;
    user.held.erase(user.held.begin() + static_cast<std::ptrdiff_t>(at));
    user.pool->release(page);
  }

  Turns turns_;
  const Fd memory_ = Pool::make(1 << 20);
  Pool agent_{Fd(::dup(memory_.get())), Pool::agent_slot};
  const std::int64_t all_free_ = agent_.free_bytes();
  agent::fake::Processes processes_;
  agent::Segments segments_{[this](const wire::PageRef& page) { return agent_.has(page); }};
  std::deque<User> users_;
  std::map<PageKey, std::uint64_t> written_;  // to each page
  const int kills_;
  int killed_ = 0;
  std::size_t ended_ = 0;
  std::string failure_;
};

void run(int kills) {
  run_worlds([&](std::uint64_t seed) { return std::make_unique<SegmentWorld>(seed, 2 + static_cast<unsigned>(seed % 3), kills); });
}

TEST(ScheduleOfSegments, SEG2_SEG3_ANameIsOneSegmentForAllThatHaveIt) { run(0); }
TEST(ScheduleOfSegments, SEG3_ProcessesThatDie) { run(1); }

}  // namespace
}  // namespace octavo::schedule
