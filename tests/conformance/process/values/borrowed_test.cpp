// SPDX-License-Identifier: Apache-2.0
// Values whose save() makes what it archives (kit/made.hpp), wherever values go: C-4 holds for them as for all others.
#include "conformance/process/named/named_scene.hpp"
#include "kit/made.hpp"
#include "octavo/group.hpp"
#include "octavo/message.hpp"

namespace process_tests {

using ov::kit::Made;

class Taker {
 public:
  Taker() = default;
  explicit Taker(Made first) : kept_(std::move(first)) {}
  [[nodiscard]] bool is_right() const { return kept_.right(); }
  bool take(const Made& one, Made other, const std::vector<Made>& more) {
    kept_ = std::move(other);
    return one.right() && kept_.right() && std::ranges::all_of(more, [](const auto& each) { return each.right(); });
  }
  Made give(const Made::What& what) { return Made(what); }
  const Made& give_kept() { return kept_; }
  std::map<std::string, Made> give_two(const Made::What& what) { return {{"a", Made(what)}, {"b", kept_}}; }
  void exchange(Made& with) { std::swap(kept_, with); }
  [[nodiscard]] int pid() const { return ::getpid(); }
  bool retrieve(const std::string& name) { return ov::Mailbox<Made>(name).retrieve().right(); }
  void post(const std::string& name, const Made::What& what) { ov::Mailbox<Made>(name).post(Made(what)); }
  bool gather(const Made::What& what) {
    auto me = ov::self<Taker>();
    const auto all = me.all_gather(Made(what));
    const auto one = me.broadcast(me.index() == 1 ? Made(what) : Made(), 1);
    return one.right() && std::ranges::all_of(all, [](const auto& each) { return each.right(); });
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(kept_);
  }

 private:
  Made kept_;
};
OCTAVO_REMOTE(Taker, is_right, take, give, give_kept, give_two, exchange, retrieve, post, gather, pid)

namespace {

class Borrowed : public EveryPlace {
 protected:
  std::mt19937 random{20261126};
  const int rounds = 40;
};

TEST_P(Borrowed, C4_ArgumentsAndResults) {
  auto p = here.make<Taker>(Made(Made::any(random)));
  EXPECT_TRUE(p->is_right());
  for (int i = 0; i < rounds; ++i) {
    const Made one(Made::any(random)), other(Made::any(random));
    const auto what = Made::any(random);
    const std::vector<Made> more{Made(Made::any(random)), Made(Made::any(random))};
    ASSERT_TRUE(p->take(one, other, more)) << one.what().how << " and " << other.what().how;
    ASSERT_TRUE(p->give_kept().right()) << other.what().how;
    ASSERT_TRUE(p->give(what).right()) << what.how;
    for (const auto& [key, value] : p->give_two(what)) ASSERT_TRUE(value.right()) << key;
    Made with(what);
    p->exchange(with);
    ASSERT_TRUE(with.right()) << other.what().how;
  }
}

TEST_P(Borrowed, C4_OfCallsThatAreStarted) {
  auto p = here.make<Taker>();
  std::vector<ov::future<bool>> taken;
  std::vector<ov::future<Made>> given;
  for (int i = 0; i < rounds; ++i) {
    taken.push_back(ov::start(p)->take(Made(Made::any(random)), Made(Made::any(random)), std::vector<Made>(2, Made(Made::any(random)))));
    given.push_back(ov::start(p)->give(Made::any(random)));
  }
  for (auto& each : taken) EXPECT_TRUE(each.get());
  for (auto& each : given) EXPECT_TRUE(each.get().right());
}

TEST_P(Borrowed, InMailboxes) {
  auto p = here.make<Taker>();
  ov::Mailbox<Made> back("back");
  for (int i = 0; i < rounds; ++i) {
    auto read = ov::start(p)->retrieve("there");
    const Made one(Made::any(random));
    ov::Mailbox<Made>("there").post(one);
    EXPECT_TRUE(read.get()) << one.what().how;
    const auto what = Made::any(random);
    p->post("back", what);
    EXPECT_TRUE(back.retrieve().right()) << what.how;
  }
}

TEST_P(Borrowed, InCollectives) {
  auto g = ov::make_group<Taker>(here, 4);
  for (int i = 0; i < rounds / 4; ++i)
    for (bool right : g->gather(Made::any(random))) EXPECT_TRUE(right);
}

INSTANTIATE_TEST_SUITE_P(Places, Borrowed, every_place, name_of_place);

TEST_F(NamedObjects, AStateThatSaveMakesOnTheSpotIsStored) {
  std::mt19937 random(7);
  for (int way = 0; way < Made::ways; ++way) {
    const Made::What what{static_cast<Made::way>(way), 5, static_cast<std::uint32_t>(513 + random() % 40000)};
    auto p = ov::named("books/" + std::to_string(way)).restart_when_called(100).make<Taker>(Made(what));
    ov::save(p);
    ::kill(p->pid(), SIGKILL);
    for (bool there = false; !there;) try {
        EXPECT_TRUE(p->give_kept().right()) << way;
        there = true;
      } catch (const ov::process_died&) {}
    ov::destroy(p);
  }
}

}  // namespace
}  // namespace process_tests
