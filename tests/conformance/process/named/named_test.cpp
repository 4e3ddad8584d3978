// SPDX-License-Identifier: Apache-2.0
// Objects with names (design section 6): they outlive programs, processes and agents, in the state that was saved last.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "conformance/process/named/named_scene.hpp"

namespace process_tests {

namespace {

TEST_F(NamedObjects, OutliveTheirProgram) {
  auto p = ov::named("books/first").make<Ledger>(7);
  p->add(8);
  int pid = p->pid();
  as_another_program();
  auto q = ov::open<Ledger>("ov://books/first");
  EXPECT_EQ(q->pid(), pid) << "it never ended";
  EXPECT_EQ(q->numbers(), (Numbers{7, 8})) << "also what was not saved is there: its process is";
}

TEST_F(NamedObjects, TwoProgramsShareOneProcess) {
  auto p = ov::named("books/first").make<Ledger>(1);
  ov::Runtime second({.reach = ov::runtime_reach::scope, .home = home.string()});
  {
    auto use = second.use();
    auto q = ov::open<Ledger>("books/first");
    EXPECT_EQ(q, p);
    EXPECT_EQ(q->add(2), 2u);
  }
  EXPECT_EQ(p->numbers(), (Numbers{1, 2}));
}

TEST_F(NamedObjects, AKilledOneComesBackInItsLastSavedState) {
  auto p = ov::named("books/first").make<Ledger>(1);
  p->add(2);
  ov::save(p);
  p->add(3);
  const int pid = p->pid();
  ::kill(pid, SIGKILL);
  until([&] { return !alive(pid); });
  Numbers found;
  for (bool there = false; !there;) {  // the call that was on its way fails; a later one reaches the next life
    try {
      found = p->numbers();
      there = true;
    } catch (const ov::process_died& e) {
      EXPECT_THAT(e.what(), HasSubstr("SIGKILL"));
    }
  }
  EXPECT_EQ(found, (Numbers{1, 2})) << "what was answered after the last save is lost";
}

TEST_F(NamedObjects, OneThatHasJustBeenKilledIsOpened) {
  auto p = ov::named("books/first").restart_when_called(100).make<Ledger>(1);
  for (int i = 0; i < 20; ++i) {
    ::kill(p->pid(), SIGKILL);
    auto q = ov::open<Ledger>("books/first");  // whether or not its agent has seen that
    for (Numbers found; found.empty();) try {
        found = q->numbers();
      } catch (const ov::process_died&) {}
    p = q;
  }
}

TEST_F(NamedObjects, OneThatWasNeverSavedBeginsAsItWasMade) {
  auto p = ov::named("books/first").make<Ledger>(5);
  p->add(6);
  auto waiting = ov::start(p)->sleep_until_killed();
  runtime->kill(p.address(), SIGKILL);
  EXPECT_THROW(waiting.get(), ov::process_died);
  EXPECT_EQ(p->numbers(), Numbers{5});
}

TEST_F(NamedObjects, EveryCallIsSavedIfAskedFor) {
  auto p = ov::named("books/careful").saving_every_call().make<Ledger>(1);
  for (int i = 2; i < 20; ++i) p->add(i);
  auto before = p->numbers();
  auto generation = [] { return ov::names("books/careful")[0].generation; };
  until([&] { return generation() >= 20; });  // the agent's book may be one behind the state
  EXPECT_EQ(generation(), 20u) << "when made, and once for each of 19 calls";
  ov::save(p);
  EXPECT_TRUE(ov::open<Ledger>("books/careful"));
  until([&] { return generation() >= 21; });
  EXPECT_EQ(generation(), 21u) << "saving saves once, and asking for the class changes nothing";
  auto waiting = ov::start(p)->sleep_until_killed();
  runtime->kill(p.address(), SIGKILL);
  EXPECT_THROW(waiting.get(), ov::process_died);
  EXPECT_EQ(p->numbers(), before);
}

TEST_F(NamedObjects, AKilledAgentLosesNothingThatWasSaved) {
  auto p = ov::named("books/first").make<Ledger>(1);
  p->add(2);
  ov::save(p);
  end_agent(SIGKILL);
  Numbers found;
  for (bool there = false; !there;) {
    try {
      found = p->numbers();
      there = true;
    } catch (const ov::error& e) {
      EXPECT_EQ(e.kind(), ov::error_kind::gone) << e.what();
    }
  }
  EXPECT_EQ(found, (Numbers{1, 2}));
  as_another_program();
  EXPECT_EQ(ov::open<Ledger>("books/first")->numbers(), (Numbers{1, 2}));
}

TEST_F(NamedObjects, AnAgentThatEndsInOrderSavesFirst) {
  auto p = ov::named("books/first").make<Ledger>(1);
  p->add(2);
  ov::end_lasting_agent();
  as_another_program();
  EXPECT_EQ(ov::open<Ledger>("books/first")->numbers(), (Numbers{1, 2}));
}

TEST_F(NamedObjects, AreDestroyedWithTheirNameAndState) {
  auto p = ov::named("books/first").make<Ledger>(1);
  ov::destroy(p);
  EXPECT_TRUE(ov::names().empty());
  EXPECT_THROW(p->numbers(), ov::error);
  EXPECT_THROW(ov::open<Ledger>("books/first"), ov::usage_error);
  EXPECT_TRUE(std::filesystem::is_empty(home / "state") || !std::filesystem::exists(home / "state" / "current"));
  auto again = ov::named("books/first").make<Ledger>(9);
  EXPECT_EQ(again->numbers(), Numbers{9});
  EXPECT_NE(again, p);
}

TEST_F(NamedObjects, AreListedByPrefix) {
  ov::named("books/b").make<Ledger>(1);
  ov::named("books/a").make<Journal>(1, "days");
  ov::named("bookshop").make<Ledger>(1);
  auto found = ov::names("books");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name, "books/a");
  EXPECT_THAT(found[0].class_name, HasSubstr("Journal"));
  EXPECT_GT(found[0].pid, 0);
  EXPECT_EQ(found[0].generation, 1u) << "saved when it was made";
  EXPECT_EQ(ov::names().size(), 3u);
  as_another_program();
  EXPECT_EQ(ov::names("ov://books").size(), 2u);
}

TEST_F(NamedObjects, OpenAsABaseAndNotAsAnotherClass) {
  ov::named("books/a").make<Journal>(4, "days");
  auto base = ov::open<Ledger>("books/a");
  EXPECT_EQ(base->add(5), 2u);
  EXPECT_EQ(ov::open<Journal>("books/a")->title(), "days");
  ov::named("books/b").make<Ledger>(1);
  EXPECT_THROW(ov::open<Journal>("books/b"), ov::usage_error);
}

TEST_F(NamedObjects, MistakesAreNamed) {
  ov::named("books/first").make<Ledger>(1);
  try {
    ov::named("books/first").make<Ledger>(2);
    FAIL();
  } catch (const ov::refused& e) {
    EXPECT_THAT(e.what(), HasSubstr("books/first"));
    EXPECT_THAT(e.what(), HasSubstr("Ledger"));
  }
  EXPECT_THROW(ov::named("books//x").make<Ledger>(2), ov::usage_error);
  EXPECT_THROW(ov::open<Ledger>("nobody"), ov::usage_error);
  EXPECT_THROW(ov::named("books/bad").make<Ledger>(-1), too_much);
  EXPECT_EQ(ov::names("books/bad").size(), 0u) << "what was never made has no name";
  auto unnamed = ov::process.make<Ledger>(1);
  EXPECT_THROW(ov::save(unnamed), ov::usage_error);
}

TEST_F(NamedObjects, ADamagedStateIsToldAndThePreviousOffered) {
  auto p = ov::named("books/first").make<Ledger>(1);
  p->add(2);
  ov::save(p);
  p->add(3);
  ov::save(p);
  end_agent(SIGKILL);
  runtime.reset();
  for (const auto& entry : std::filesystem::directory_iterator(home / "state"))
    if (entry.path().extension().empty() && entry.path().filename() != "lock") {
      std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(-1, std::ios::end);
      file.put('\x7f');
    }
  begin();
  try {
    ov::open<Ledger>("books/first");
    FAIL();
  } catch (const ov::io_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("books/first"));
    EXPECT_THAT(e.what(), HasSubstr("restor"));
  }
  EXPECT_EQ(ov::names().size(), 1u) << "the name and the earlier state are kept";
  ov::restore_previous("books/first");
  EXPECT_EQ(ov::open<Ledger>("books/first")->numbers(), (Numbers{1, 2}));
}

}  // namespace
}  // namespace process_tests
