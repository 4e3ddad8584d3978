// SPDX-License-Identifier: Apache-2.0
// States that cannot be read: such a one is not written if that can be known, and an object that has one can be destroyed.
#include <fstream>

#include "conformance/process/named/named_scene.hpp"

namespace process_tests {

// Its state cannot be read while the file `bad` is there.
class SometimesUnreadable {
 public:
  SometimesUnreadable() = default;
  explicit SometimesUnreadable(std::string bad) : bad_(std::move(bad)) {}
  [[nodiscard]] int pid() const { return ::getpid(); }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(bad_);
    if (Archive::is_loading::value && std::filesystem::exists(bad_)) throw too_much("it is bad");
  }

 private:
  std::string bad_;
};
OCTAVO_REMOTE(SometimesUnreadable, pid)

struct Nested {
  std::vector<Nested> within;
};
class Nest {
 public:
  void deepen(int levels) {
    for (; levels > 0; --levels) {
      Nested outer;
      outer.within.push_back(std::move(nested_));
      nested_ = std::move(outer);
    }
  }
  [[nodiscard]] int depth() const {
    int levels = 1;
    for (const auto* at = &nested_; !at->within.empty(); at = &at->within.front()) ++levels;
    return levels;
  }
  [[nodiscard]] Nested give() const { return nested_; }
  [[nodiscard]] int take(const Nested& given) const { return static_cast<int>(given.within.size()); }
  [[nodiscard]] int pid() const { return ::getpid(); }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(nested_);
  }

 private:
  Nested nested_;
};
OCTAVO_REMOTE(Nest, deepen, depth, give, take, pid)

namespace {

class UnreadableStates : public NamedObjects {
 protected:
  // Not before the agent knows: a call is not to reach this life.
  template <class T>
  static void kill(const ov::remote_ptr<T>& object) {
    const int pid = object->pid();
    ::kill(pid, SIGKILL);
    until([&] { return !alive(pid) && ov::names().front().pid == 0; });
  }
};

TEST_F(UnreadableStates, AreNotWrittenWhereTheyAreNestedTooDeep) {
  auto p = ov::named("nest").make<Nest>();
  p->deepen(100);
  ov::save(p);
  p->deepen(100);
  try {
    ov::save(p);
    FAIL();
  } catch (const ov::refused& e) {
    EXPECT_THAT(e.what(), HasSubstr("nested deeper than"));
  }
  EXPECT_THROW(static_cast<void>(p->give()), ov::refused);
  Nest mine;
  mine.deepen(200);
  EXPECT_THROW(static_cast<void>(p->take(mine.give())), ov::refused);
  EXPECT_EQ(p->depth(), 201) << "it lives on";
  kill(p);
  EXPECT_EQ(p->depth(), 101) << "what was saved";
  ov::destroy(p);
}

TEST_F(UnreadableStates, AreDestroyedAndTheNameIsFree) {
  std::filesystem::create_directories(home);
  const auto bad = home / "bad";
  auto p = ov::named("brittle").make<SometimesUnreadable>(bad.string());
  std::ofstream(bad).put('1');
  kill(p);
  EXPECT_ANY_THROW(static_cast<void>(p->pid()));
  EXPECT_EQ(ov::names().size(), 1u) << "only destroy() takes it away";
  ov::destroy(p);
  EXPECT_TRUE(ov::names().empty());
  EXPECT_THROW(ov::destroy(p), ov::gone_error);
  auto again = ov::named("brittle").make<SometimesUnreadable>(bad.string());
  EXPECT_GT(again->pid(), 0);
  ov::destroy(again);
}

TEST_F(UnreadableStates, AreDestroyedWithoutACallBefore) {
  std::filesystem::create_directories(home);
  const auto bad = home / "bad";
  auto p = ov::named("brittle").make<SometimesUnreadable>(bad.string());
  std::ofstream(bad).put('1');
  as_another_program();
  kill(ov::remote_ptr<SometimesUnreadable>(p.address()));
  ov::destroy(p);
  EXPECT_TRUE(ov::names().empty());
}

TEST_F(UnreadableStates, OneThatCanBeReadAgainIsDestroyedByItsProcess) {
  std::filesystem::create_directories(home);
  const auto bad = home / "bad";
  auto p = ov::named("brittle").make<SometimesUnreadable>(bad.string());
  std::ofstream(bad).put('1');
  kill(p);
  EXPECT_ANY_THROW(static_cast<void>(p->pid()));
  until([] { return ov::names().front().pid == 0; });  // the process that could not read it
  std::filesystem::remove(bad);
  EXPECT_GT(p->pid(), 0);
  ov::destroy(p);
  EXPECT_TRUE(ov::names().empty());
}

}  // namespace
}  // namespace process_tests
