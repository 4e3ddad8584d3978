// SPDX-License-Identifier: Apache-2.0
// Groups from outside (include/octavo/group/group.hpp), clause by clause, on every place.
#include <filesystem>
#include <fstream>
#include <map>

#include "conformance/group/player.hpp"
#include "conformance/process/every_place.hpp"

namespace group_tests {

// Calls self where there is no group, and where the object is not whole.
class Lonely {
 public:
  explicit Lonely(std::string path) : path_(std::move(path)), born_(ov::self<Lonely>().pointer()) {}
  ~Lonely() { std::ofstream(path_) << ov::self<Lonely>().pointer().address().object; }
  [[nodiscard]] bool knows_itself(const ov::remote_ptr<Lonely>& p) const { return ov::self<Lonely>().pointer() == p && born_ == p; }
  [[nodiscard]] std::size_t index() const { return ov::self<Lonely>().index(); }
  [[nodiscard]] std::size_t first_of_group_with(const ov::remote_ptr<Lonely>& other) const;

 private:
  std::string path_;
  ov::remote_ptr<Lonely> born_;
};
OCTAVO_REMOTE(Lonely, knows_itself, index, first_of_group_with)
std::size_t Lonely::first_of_group_with(const ov::remote_ptr<Lonely>& other) const {
  return ov::group<Lonely>(ov::self<Lonely>().pointer(), other)->index()[0];
}

// Holds a group and works with it from outside.
class Conductor {
 public:
  void take(const ov::group<Player>& g) { g_ = g; }
  int total() { return sum(g_->number()); }
  int started() { return sum(ov::start(g_)->number().get()); }
  ov::group<Player> give() { return g_; }

 private:
  static int sum(const std::vector<int>& list) {
    int all = 0;
    for (int n : list) all += n;
    return all;
  }
  ov::group<Player> g_;
};
OCTAVO_REMOTE(Conductor, take, total, started, give)

namespace {

using testing::AllOf;
using testing::HasSubstr;

class Groups : public process_tests::EveryPlace {};

TEST_P(Groups, G1_EachMemberKnowsItsIndexTheSizeAndTheOthers) {
  auto a = here.make<Player>(1), b = here.make<Player>(2), c = here.make<Player>(3);
  ov::group<Player> g(a, b, c);
  EXPECT_EQ(g.size(), 3u);
  EXPECT_EQ(g[1], b);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(g[i]->place_in(), (std::vector<std::size_t>{i, 3}));
    EXPECT_EQ(g[i]->peers(), g.members());
    EXPECT_EQ(g[i]->pointer(), g[i]);
    EXPECT_EQ(g[i]->group_of_mine(), g);
  }
  ov::group<Player> other(std::vector<ov::remote_ptr<Player>>{c, a});
  EXPECT_NE(g, other);
  EXPECT_EQ(a->place_in(), (std::vector<std::size_t>{1, 2})) << "the group made last";
  EXPECT_EQ(a->place_in_group(g), (std::vector<std::size_t>{0, 3}));
  EXPECT_THROW(b->place_in_group(other), ov::usage_error);
  EXPECT_THROW(b->place_in_group(ov::group<Player>()), ov::usage_error);
  EXPECT_EQ(g.sub({2, 0})[0], c);
  EXPECT_EQ(c->place_in(), (std::vector<std::size_t>{0, 2}));
}

TEST_P(Groups, G1_AGroupTravels) {
  auto g = ov::make_group<Player>(here, 4, ov::each(std::vector<int>{1, 2, 3, 4}));
  auto conductor = here.make<Conductor>();
  conductor->take(g);
  EXPECT_EQ(conductor->total(), 10);
  EXPECT_EQ(conductor->started(), 10) << "within a method, too";
  EXPECT_EQ(conductor->give(), g);
  EXPECT_EQ(conductor->give().members(), g.members());
  std::map<ov::group<Player>, int> sorted{{g, 1}};
  EXPECT_EQ(sorted.count(conductor->give()), 1u);
}

TEST_P(Groups, G2_CallsOnAllGiveTheirResultsInOrder) {
  auto g = ov::make_group<Player>(here, 5, ov::each(std::vector<int>{10, 20, 30, 40, 50}));
  EXPECT_EQ(g->number(), (std::vector<int>{10, 20, 30, 40, 50}));
  EXPECT_EQ(g->add(2, ov::each(std::vector<int>{1, 2, 3, 4, 5})), (std::vector<int>{12, 24, 36, 48, 60}));
  EXPECT_EQ((ov::call<&Player::add>(g, 1, 1)), (std::vector<int>{11, 21, 31, 41, 51}));
  EXPECT_EQ((ov::start<&Player::add>(g, 1, 2).get()), (std::vector<int>{12, 22, 32, 42, 52}));
  auto opened = ov::start(g)->when_opened();
  EXPECT_FALSE(opened.ready());
  g->open();
  EXPECT_EQ(opened.get(), (std::vector<int>{10, 20, 30, 40, 50}));
  ov::start(g)->nothing().get();
  EXPECT_THROW(g->add(1, ov::each(std::vector<int>{1})), ov::usage_error);
  int sum = 0;
  for (const auto& p : g) sum += p->number();
  EXPECT_EQ(sum, 150);
  EXPECT_TRUE(ov::group<Player>()->number().empty());
}

TEST_P(Groups, G2_TheFirstErrorByIndexSaysWhichMemberItWas) {
  auto g = ov::make_group<Player>(here, 4, ov::each(std::vector<int>{0, 1, 2, 3}));
  auto check = [&](auto call) {
    try {
      call();
      FAIL();
    } catch (const std::out_of_range& e) {
      EXPECT_STREQ(e.what(), "number 2") << "as it was thrown";
      ASSERT_NE(ov::origin(e), nullptr);
      EXPECT_THAT(ov::origin(e)->trace.back(), HasSubstr("member 2 of 4 of a group of"));
    }
  };
  check([&] { g->fail_if(2, "std"); });
  check([&] { ov::start(g)->fail_if(2, "std").get(); });
  ov::destroy(g[1]);
  try {
    g->number();
    FAIL();
  } catch (const ov::process_died& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("member 1 of 4"), HasSubstr("was destroyed")));
    EXPECT_EQ(e.obituary().facts.address, g[1].address());
  }
}

TEST_P(Groups, G3_ABarrierFromOutsideWaitsAndRaisesWhatNobodyLookedAt) {
  auto g = ov::make_group<Player>(here, 3, ov::each(std::vector<int>{0, 1, 2}));
  for (int i = 0; i < 10; ++i)
    for (const auto& p : g) (void)ov::start(p)->nothing();
  g.barrier();
  { auto dropped = ov::start(g[2])->fail_if(2, "std"); }
  EXPECT_THROW(g.barrier(), std::out_of_range);
  g.barrier();
}

TEST_P(Groups, MistakesAreNamed) {
  auto p = here.make<Player>(1);
  EXPECT_THROW(ov::group<Player>(std::vector<ov::remote_ptr<Player>>{}), ov::usage_error);
  EXPECT_THROW((ov::group<Player>(p, p)), ov::usage_error);
  EXPECT_THROW((ov::group<Player>(p, ov::remote_ptr<Player>())), ov::usage_error);
  EXPECT_THROW(ov::self<Player>(), ov::usage_error) << "in the program";
  EXPECT_THAT(p->wrong_class(), HasSubstr("the object is no"));
  EXPECT_THROW(p->barrier(), ov::usage_error) << "in no group";
  std::size_t before = objects();
  EXPECT_THROW((ov::make_group<Player>(here, 3, ov::each(std::vector<int>{1, -1, 2}))), std::invalid_argument);
  process_tests::until([&] { return objects() == before; });
}

TEST_P(Groups, G4_AnObjectKnowsItselfFromItsConstructorToItsDestructor) {
  auto path = std::filesystem::temp_directory_path() / ("octavo-lonely-" + std::to_string(::getpid()));
  auto p = here.make<Lonely>(path.string());
  EXPECT_TRUE(p->knows_itself(p));
  try {
    p->index();
    FAIL();
  } catch (const ov::usage_error& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("Lonely"), HasSubstr("is in no group"), HasSubstr("octavo::group")));
  }
  auto q = here.make<Lonely>(path.string() + "2");
  EXPECT_EQ(p->first_of_group_with(q), 0u) << "a member makes a group of itself and another";
  ov::destroy(p);
  ov::destroy(q);
  std::uint64_t object = 0;
  std::ifstream(path) >> object;
  EXPECT_EQ(object, p.address().object);
  std::filesystem::remove(path);
  std::filesystem::remove(path.string() + "2");
}

INSTANTIATE_TEST_SUITE_P(, Groups, process_tests::every_place, process_tests::name_of_place);

}  // namespace
}  // namespace group_tests
