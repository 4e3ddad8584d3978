// SPDX-License-Identifier: Apache-2.0
#include "machine/registry/registry.hpp"

#include <sys/stat.h>

#include <limits>
#include <map>
#include <set>
#include <thread>

#include "kit/watchdog.hpp"
#include "octavo/base/clock.hpp"
#include "unit/machine/registry/folder.hpp"

namespace octavo {
namespace {

using namespace std::string_literals;
using registry_test::error_text, registry_test::expect_parts, registry_test::Folder;

NamedEntry entry_named(const std::string& name) {
  NamedEntry entry{
      .name = name, .class_name = "PageDevice<double>", .state_version = 3, .command = {"/bin/\xff odd", "-I", "", "/lib/program.py"}, .build = 0xFFFFFFFF};
  entry.construction = {std::byte{0}, std::byte{255}, std::byte{'\''}};
  entry.environment = {"A=1", "", "B=\n'"};
  entry.directory = "/tmp";
  entry.policy = {true, 1.5, restart_policy::always, 7, 0.25};
  entry.generation = std::numeric_limits<std::uint64_t>::max();
  return entry;
}

std::vector<std::string> names(const std::vector<NamedEntry>& entries) {
  std::vector<std::string> result;
  for (const auto& each : entries) result.push_back(each.name);
  return result;
}

TEST(Registry, N1_KeepsAllOfAnEntry) {
  Folder folder;
  double before = now_seconds();
  NamedEntry whole, bare;
  {
    Registry registry(folder / "a/b");
    whole = registry.add(entry_named("data/set/PageDevice/34"));
    bare = registry.add({.name = "bare", .class_name = "T", .command = {}});
  }
  Registry registry(folder / "a/b/");
  EXPECT_EQ(registry.directory(), folder / "a/b");
  NamedEntry expected = entry_named("data/set/PageDevice/34");
  expected.object = whole.object;
  expected.made = whole.made;
  EXPECT_EQ(registry.find("data/set/PageDevice/34"), expected);
  EXPECT_GE(whole.made, before);
  EXPECT_EQ(registry.find(bare.object), bare);
  EXPECT_FALSE(registry.find("data/set/PageDevice/3").has_value());
  EXPECT_FALSE(registry.find("data/set/pagedevice/34").has_value()) << "case counts";
  EXPECT_FALSE(registry.find(std::uint64_t{17}).has_value());
  registry.check();
}

TEST(Registry, N3_ObjectIdsAreTheirOwnAndNeverComeAgain) {
  Folder folder;
  std::set<std::uint64_t> ids;
  for (const char* directory : {"a", "b"}) {
    Registry registry(folder / directory);
    for (int i = 0; i < 20; ++i) {
      auto entry = registry.add({.name = "same", .class_name = "T", .command = {"x"}});
      EXPECT_NE(entry.object & named_object_bit, 0U);
      EXPECT_TRUE(ids.insert(entry.object).second);
      EXPECT_TRUE(registry.remove(entry.object));
      EXPECT_FALSE(registry.remove(entry.object));
    }
  }
}

TEST(Registry, AgentAndIncarnations) {
  Folder folder;
  std::uint64_t agent = 0;
  for (std::uint32_t life = 1; life <= 5; ++life) {
    Registry registry(folder / "a");
    if (life == 1) agent = registry.agent_id();
    EXPECT_NE(registry.agent_id(), 0U);
    EXPECT_EQ(registry.agent_id(), agent);
    EXPECT_EQ(registry.next_incarnation(), life);
  }
  EXPECT_NE(Registry(folder / "b").agent_id(), agent);
}

TEST(Registry, C11_ATakenNameSaysByWhat) {
  Folder folder;
  Registry registry(folder.path());
  NamedEntry first{.name = "data/x", .class_name = "Tally", .command = {"x"}};
  first.made = 1795275232;
  first = registry.add(first);
  expect_parts(error_text<refused>([&] { registry.add(entry_named("data/x")); }),
               {"'data/x' is taken: by a Tally, made 2026-11-21 15:33:52 UTC", "destroy it first, or choose another name"});
  EXPECT_EQ(registry.list(), std::vector{first});
}

TEST(Registry, C11_RefusesWhatCannotBeKept) {
  Folder folder;
  Registry registry(folder.path());
  auto refuse = [&](const char* part, auto change) {
    auto entry = entry_named("a");
    change(entry);
    try {
      registry.add(entry);
      ADD_FAILURE() << part;
    } catch (const error& e) {
      expect_parts(e.what(), {part});
    }
  };
  refuse("a part of it is '..'", [](auto& e) { e.name = "a/.."; });
  refuse("kept without ov://", [](auto& e) { e.name = "ov://a"; });
  refuse("name of its class has 0 bytes", [](auto& e) { e.class_name = ""; });
  refuse("control character", [](auto& e) { e.class_name = "A\n"; });
  refuse("a path with a zero byte", [](auto& e) { e.command = {"a\0b"s}; });
  refuse("environment variable with a zero byte", [](auto& e) { e.environment.push_back("A=\0"s); });
  refuse("no number of seconds", [](auto& e) { e.policy.idle_seconds = std::numeric_limits<double>::quiet_NaN(); });
  refuse("no number of seconds", [](auto& e) { e.made = -1; });
  refuse("more than 16 MiB", [](auto& e) { e.construction.resize(16 << 20); });
  EXPECT_TRUE(registry.list().empty());
  auto large = entry_named("a");
  large.construction.assign(15 << 20, std::byte{7});
  large = registry.add(large);
  EXPECT_EQ(registry.find("a"), large);
}

TEST(Registry, ListsByPartsOfThePath) {
  Folder folder;
  Registry registry(folder.path());
  for (const char* name :
       {"data/set/y", "data/settle", "data/set", "data/set/x/1", "data/set.old", "data/set0", "data/set-1/x", "dat", "data/\U0001F4D6", "Data/set"})
    registry.add({.name = name, .class_name = "T", .command = {"x"}});
  EXPECT_EQ(names(registry.list("data/set")), (std::vector<std::string>{"data/set", "data/set/x/1", "data/set/y"}));
  EXPECT_EQ(names(registry.list("ov://data/set/")), names(registry.list("data/set")));
  EXPECT_EQ(names(registry.list("data/set/x")), std::vector<std::string>{"data/set/x/1"});
  EXPECT_TRUE(registry.list("data/se").empty());
  auto all = names(registry.list());
  EXPECT_EQ(all.size(), 10U);
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
  EXPECT_EQ(registry.list("ov://").size(), 10U);
  EXPECT_THROW((void)registry.list("data//"), usage_error);
}

TEST(Registry, UpdateChangesWhatIsGiven) {
  Folder folder;
  Registry registry(folder.path());
  auto entry = registry.add(entry_named("a")), other = registry.add(entry_named("b"));
  registry.update(entry.object, {});
  EXPECT_EQ(registry.find("a"), entry);
  registry.update(entry.object, {.generation = 0});
  entry.generation = 0;
  EXPECT_EQ(registry.find("a"), entry);
  registry.update(entry.object, {.command = {{"/bin/python", "program.py"}}, .build = 5, .state_version = 6, .generation = 7});
  entry.command = {"/bin/python", "program.py"};
  entry.build = 5;
  entry.state_version = 6;
  entry.generation = 7;
  EXPECT_EQ(registry.find("a"), entry);
  EXPECT_EQ(registry.find("b"), other);
  registry.remove(entry.object);
  expect_parts(error_text<gone_error>([&] { registry.update(entry.object, {.generation = 8}); }), {object_text(entry.object).c_str(), "has been destroyed"});
}

// Against a map, with the database closed and opened now and then, and used by two connections.
TEST(Registry, RandomUseAgreesWithAModel) {
  kit::Watchdog watchdog(100);
  Folder folder;
  std::mt19937_64 random(20261121);
  auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  std::map<std::string, NamedEntry> model;
  std::array<std::optional<Registry>, 2> open;
  for (int step = 0; step < 600; ++step) {
    auto& one = open[below(2)];
    if (below(20) == 0) one.reset();
    if (!one) one.emplace(folder.path());
    static constexpr std::array parts{"a", "b", "a b", "a.b", "0"};
    std::string name = parts[below(5)];
    for (std::size_t depth = below(3); depth > 0; --depth) name += std::string("/") + parts[below(5)];
    auto known = model.find(name);
    switch (below(4)) {
      case 0:
        if (known == model.end()) model[name] = one->add(entry_named(name));
        else EXPECT_THROW(one->add(entry_named(name)), refused);
        break;
      case 1:
        if (known == model.end()) break;
        EXPECT_TRUE(one->remove(known->second.object));
        model.erase(known);
        break;
      case 2:
        if (known == model.end()) break;
        known->second.generation = random();
        one->update(known->second.object, {.generation = known->second.generation});
        break;
      default: {
        std::vector<NamedEntry> expected;
        for (const auto& [each, entry] : model)
          if (each == name || each.starts_with(name + "/")) expected.push_back(entry);
        ASSERT_EQ(one->list(name), expected) << name << " at step " << step;
      }
    }
    ASSERT_EQ(one->find(name), model.contains(name) ? std::optional(model[name]) : std::nullopt) << name << " at step " << step;
  }
  EXPECT_GT(model.size(), 10U);
}

// Several programs open a new directory at once, and want the same names.
TEST(Registry, N2_OneOfManyGetsTheName) {
  kit::Watchdog watchdog(100);
  Folder folder;
  constexpr int programs = 6, wanted = 20;
  {
    std::vector<std::unique_ptr<registry_test::Child>> children;
    for (int program = 0; program < programs; ++program)
      children.push_back(std::make_unique<registry_test::Child>([&] {
        Registry registry(folder / "new");
        registry.next_incarnation();
        for (int i = 0; i < wanted; ++i) try {
            registry.add({.name = "n/" + std::to_string(i), .class_name = "T" + std::to_string(program), .command = {"x"}});
          } catch (const refused&) {}
      }));
    for (auto& child : children) EXPECT_EQ(child->wait(), 0);
  }
  Registry registry(folder / "new");
  EXPECT_EQ(registry.list("n").size(), static_cast<std::size_t>(wanted));
  EXPECT_EQ(registry.next_incarnation(), static_cast<std::uint32_t>(programs + 1));
  registry.check();
}

}  // namespace
}  // namespace octavo
