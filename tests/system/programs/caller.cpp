// SPDX-License-Identifier: Apache-2.0
// A program of another build than the one that made the objects calls every method they have (C-8).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "kit/watchdog.hpp"
#include "system/programs/things.hpp"

namespace programs {
namespace {

using testing::ElementsAre;

class OtherProgram : public testing::Test {
 protected:
  OtherProgram() {
    std::filesystem::remove_all(home);  // of a process of the same number that was killed
    if (std::system((MAKER " " + home.string()).c_str()) != 0) throw std::runtime_error("the maker failed");
    runtime.emplace(ov::RuntimeOptions{.home = home.string()});
  }
  ~OtherProgram() override {
    if (!runtime) runtime.emplace(ov::RuntimeOptions{.home = home.string()});
    ov::end_lasting_agent();
    runtime.reset();
    std::filesystem::remove_all(home);
  }
  ov::kit::Watchdog watchdog{60};
  std::filesystem::path home = std::filesystem::temp_directory_path() / ("octavo-programs-" + std::to_string(::getpid()));
  std::optional<ov::Runtime> runtime;
};

TEST_F(OtherProgram, C8_CallsAllOfARemoteArray) {
  auto data = ov::open<double[]>("numbers");
  const double first = data[7];
  EXPECT_EQ(first, 0);
  data[7] = 3.5;
  EXPECT_EQ(data.size(), 8u);
  data[7] += 1;
  data[7] -= 0.5;
  data[7] *= 2;
  EXPECT_EQ(data.add(7, 1), 8);
  EXPECT_EQ(data.exchange(7, 2), 9);
  EXPECT_TRUE(data.replace_if_equal(7, 2, 4));
  data.write(0, std::vector<double>{1, 2, 3});
  EXPECT_THAT(data.slice(1, 2), ElementsAre(2, 3));
  std::vector<double> mine(3);
  data.read(0, mine);
  EXPECT_THAT(mine, ElementsAre(1, 2, 3));
  EXPECT_EQ(ov::start(data)->get(7).get(), 4);
  data.assign(6);
  EXPECT_EQ(data.items(), std::vector<double>(8, 6));
  EXPECT_THROW((void)data.get(8), std::out_of_range);
}

TEST_F(OtherProgram, C8_CallsTheOperatorsThatItsElementsHave) {
  auto counts = ov::open<int[]>("counts");
  counts[0] = 12;
  counts[0] &= 6;
  counts[0] |= 3;
  counts[0] ^= 1;
  EXPECT_EQ(counts[0], 6);
  auto texts = ov::open<std::string[]>("texts");
  texts[1] += "remote";
  EXPECT_TRUE(texts.replace_if_equal(1, "remote", "here"));
  EXPECT_THAT(texts.items(), ElementsAre("", "here"));
  auto points = ov::open<std::vector<Point>[]>("points");
  points[1] = std::vector<Point>{{1, 2}};
  EXPECT_EQ(points.get(1).at(0).y, 2);
  auto pointers = ov::open<ov::remote_ptr<int[]>[]>("pointers");
  EXPECT_TRUE(pointers.replace_if_equal(0, {}, counts));
  EXPECT_EQ(pointers[0][0], 6);
}

TEST_F(OtherProgram, C8_CallsAllOfASequence) {
  auto v = ov::open<std::vector<double>>("vector");
  v->push_back(3);
  v->set(0, 2);
  EXPECT_EQ(v->at(0) + v->front() + v->back(), 7);
  v->resize(4, 1);
  v->insert(0, 9);
  v->erase(1);
  v->append({5, 6});
  v->pop_back();
  EXPECT_EQ(v->take_back(), 5);
  EXPECT_EQ(v->size(), 4u);
  EXPECT_FALSE(v->empty());
  v->assign({1});
  v->clear();
  EXPECT_TRUE(v->items().empty());
  auto queue = ov::open<std::deque<int>>("deque");
  queue->push_front(1);
  queue->push_back(2);
  EXPECT_EQ(queue->take_front(), 1);
  queue->pop_front();
  EXPECT_EQ(queue->size(), 0u);
  auto text = ov::open<std::string>("string");
  EXPECT_EQ(text->substr(2), "mote");
  EXPECT_EQ(text->find("mo"), 2u);
  text->replace(0, 2, "de");
  EXPECT_EQ(text->items(), "demote");
}

TEST_F(OtherProgram, C8_CallsAllOfAMapAndASet) {
  auto ages = ov::open<Ages>("ages");
  EXPECT_TRUE(ages->insert_or_assign("Ada", 36));
  EXPECT_TRUE(ages->insert("Bob", 3));
  EXPECT_EQ(ages->at("Ada"), 36);
  EXPECT_EQ(ages->find("Eve"), std::nullopt);
  EXPECT_EQ(ages->extract("Bob"), 3);
  ages->merge({{"Eve", 5}});
  EXPECT_EQ(ages->count("Eve"), 1u);
  EXPECT_TRUE(ages->contains("Eve"));
  EXPECT_EQ(ages->erase("Eve"), 1u);
  EXPECT_EQ(ages->size(), 1u);
  auto names = ov::open<Names>("names");
  EXPECT_TRUE(names->insert("Ada"));
  EXPECT_EQ(names->find("Ada"), "Ada");
  EXPECT_EQ(names->erase("Ada"), 1u);
}

}  // namespace
}  // namespace programs
