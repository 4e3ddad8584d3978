// SPDX-License-Identifier: Apache-2.0
// Standard containers in processes of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "conformance/process/every_place.hpp"
#include "octavo/std.hpp"

namespace process_tests {

using Ages = std::map<std::string, int>;
// What the arrow does not have: near the data, without touching the class.
std::string longest(const Ages& ages) {
  std::string best;
  for (const auto& [name, age] : ages)
    if (name.size() > best.size()) best = name;
  return best;
}
int count_up(Ages& ages, const std::string& name) { return ++ages[name]; }

namespace {

using testing::ElementsAre;
using testing::Pair;
using testing::UnorderedElementsAre;

class Container : public EveryPlace {};

TEST_P(Container, Vector) {
  auto v = here.make<std::vector<double>>(3u, 1.5);
  v->push_back(2);
  v->set(0, 7);
  EXPECT_EQ(v->size(), 4u);
  EXPECT_EQ(v->at(0), 7);
  EXPECT_EQ(v->front() + v->back(), 9);
  v->insert(1, 5);
  v->erase(2);
  EXPECT_THAT(v->items(), ElementsAre(7, 5, 1.5, 2));
  v->append({8, 9});
  v->pop_back();
  EXPECT_EQ(v->take_back(), 8);
  v->resize(5);
  EXPECT_EQ(v->back(), 0);
  v->assign(std::vector<double>(20000, 0.5));
  EXPECT_EQ(v->items(), std::vector<double>(20000, 0.5));
  v->clear();
  EXPECT_TRUE(v->empty());
  EXPECT_EQ(v->take_back(), std::nullopt);
  auto flags = here.make<std::vector<bool>>();
  flags->push_back(true);
  flags->resize(2);
  EXPECT_EQ(flags->items(), (std::vector<bool>{true, false}));
}

TEST_P(Container, DequeIsAQueueOfWorkForMany) {
  auto queue = here.make<std::deque<int>>();
  for (int i = 0; i < 200; ++i) queue->push_back(i);
  std::mutex mutex;
  std::set<int> taken;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      while (auto next = queue->take_front()) {
        std::lock_guard lock(mutex);
        EXPECT_TRUE(taken.insert(*next).second) << "nobody else has it";
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(taken.size(), 200u);
  queue->push_front(1);
  queue->push_front(0);
  queue->pop_front();
  EXPECT_THAT(queue->items(), ElementsAre(1));
}

TEST_P(Container, Maps) {
  auto ages = here.make<Ages>();
  EXPECT_TRUE(ages->insert("Ada", 36));
  EXPECT_FALSE(ages->insert({"Ada", 37}));
  EXPECT_FALSE(ages->insert_or_assign("Ada", 38));
  EXPECT_EQ(ages->at("Ada"), 38);
  EXPECT_EQ(ages->find("Ada"), 38);
  EXPECT_EQ(ages->find("Bob"), std::nullopt);
  ages->merge({{"Ada", 1}, {"Grace", 85}});
  EXPECT_THAT(ages->items(), ElementsAre(Pair("Ada", 38), Pair("Grace", 85)));
  EXPECT_TRUE(ages->contains("Grace"));
  EXPECT_EQ(ages->count("Bob"), 0u);
  EXPECT_EQ(ages->extract("Grace"), 85);
  EXPECT_EQ(ages->extract("Grace"), std::nullopt);
  EXPECT_EQ(ages->erase("Ada"), 1u);
  EXPECT_TRUE(ov::start(ages)->empty().get());

  auto hashed = here.make<std::unordered_map<int, Reading>>();
  hashed->insert(7, {1.5, "kg"});
  EXPECT_EQ(hashed->at(7), (Reading{1.5, "kg"}));
  auto pointers = here.make<std::map<std::string, ov::remote_ptr<Counter>>>();
  pointers->insert("one", here.make<Counter>(1));
  EXPECT_EQ(pointers->at("one")->add(1), 2);
}

TEST_P(Container, SetsAndStrings) {
  auto primes = here.make<std::set<int>>(std::set<int>{2, 3});
  EXPECT_TRUE(primes->insert(5));
  EXPECT_FALSE(primes->insert(5));
  EXPECT_EQ(primes->find(3), 3);
  EXPECT_EQ(primes->find(4), std::nullopt);
  EXPECT_THAT(primes->items(), ElementsAre(2, 3, 5));
  auto words = here.make<std::unordered_set<std::string>>();
  words->merge({"a", "b"});
  EXPECT_EQ(words->erase("a"), 1u);
  EXPECT_THAT(words->items(), UnorderedElementsAre("b"));

  auto text = here.make<std::string>("remote");
  text->append(" data");
  text->push_back('!');
  EXPECT_EQ(text->items(), "remote data!");
  EXPECT_EQ(text->find("data"), 7u);
  EXPECT_EQ(text->find("none"), std::string::npos);
  text->replace(0, 6, "far");
  EXPECT_EQ(text->substr(0, 3), "far");
  EXPECT_EQ(text->at(1), 'a');
}

TEST_P(Container, ExtensionFunctionsFillTheGaps) {
  auto ages = here.make<Ages>(Ages{{"Ada", 36}, {"Grace", 85}});
  EXPECT_EQ(ov::call<&longest>(ages), "Grace");
  EXPECT_EQ(ov::start<&count_up>(ages, "Ada").get(), 37);
}

template <class Work>
std::string text_of(Work work) {
  try {
    work();
  } catch (const std::out_of_range& e) {
    return e.what();
  }
  return "nothing was thrown";
}

TEST_P(Container, WhatStdLeavesUndefinedIsAnError) {
  auto v = here.make<std::vector<int>>();
  EXPECT_THAT(text_of([&] { (void)v->front(); }), HasSubstr("front() of a container that is empty"));
  EXPECT_THAT(text_of([&] { v->pop_back(); }), HasSubstr("pop_back()"));
  v->push_back(1);
  EXPECT_THAT(text_of([&] { (void)v->at(7); }), HasSubstr("index 7 of a container of 1 element"));
  EXPECT_THAT(text_of([&] { v->insert(2, 1); }), HasSubstr("index 2"));
  EXPECT_THAT(text_of([&] { v->erase(1); }), HasSubstr("index 1"));
  EXPECT_THROW(v->resize(SIZE_MAX), std::length_error);
  auto ages = here.make<Ages>();
  EXPECT_THAT(text_of([&] { (void)ages->at("Bob"); }), HasSubstr("no key like 'Bob'"));
  EXPECT_EQ(v->size(), 1u) << "the process lives on";
}

INSTANTIATE_TEST_SUITE_P(, Container, every_place, name_of_place);

}  // namespace
}  // namespace process_tests
