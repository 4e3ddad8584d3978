// SPDX-License-Identifier: Apache-2.0
// What a worker that died had is done by another one: ST-9.
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "conformance/stream/stages.hpp"

namespace stream_tests {
namespace {

// Dies of an item the first time that anybody has it.
struct DiesOnce {
  std::string folder;
  std::vector<int> items;
  DiesOnce(std::string in, std::vector<int> of) : folder(std::move(in)), items(std::move(of)) {}
  void svc(int item, ov::emit<int>& out) const {
    out(item);
    const std::string mark = folder + "/" + std::to_string(item);
    if (std::find(items.begin(), items.end(), item) != items.end() && !std::filesystem::exists(mark)) {
      std::ofstream(mark) << "died";
      raise(SIGKILL);
    }
    out(-item);
  }
};
// Dies in svc_init and svc_end, the first times.
struct DiesAtItsEnds {
  std::string folder;
  explicit DiesAtItsEnds(std::string in) : folder(std::move(in)) {}
  void svc_init() const { die_once("init"); }
  void svc_end() const { die_once("end"); }
  int svc(int item) const { return item; }

 private:
  void die_once(const std::string& where) const {
    if (std::ofstream mark(folder + "/" + where, std::ios::app); mark.tellp() == 0) {
      mark << "died" << std::flush;
      raise(SIGKILL);
    }
  }
};
struct NeverBegins {
  void svc_init() const { raise(SIGKILL); }
  int svc(int item) const { return item; }
};
struct AlwaysDies {
  int svc(int item) const {
    if (item == 17) raise(SIGKILL);
    return item;
  }
};

class Redo : public testing::Test {
 protected:
  ov::kit::Watchdog watchdog_{120};
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() / ("octavo-redo-" + std::to_string(getpid()));
  ov::Runtime runtime_;
  void SetUp() override { std::filesystem::create_directory(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
};

TEST_F(Redo, ST9_EachItemsResultsAreGivenOnceAndInOrder) {
  const auto farm = ov::farm<DiesOnce>(folder_.string(), std::vector{0, 5, 40, 99}).workers(2).on(ov::process).stateless().on_death("redo");
  std::vector<int> expected;
  for (int i = 0; i < 100; ++i) expected.insert(expected.end(), {i, -i});
  EXPECT_EQ(all_of(ov::pipeline(numbers(100), farm)), expected);
}

TEST_F(Redo, ST9_AWorkerThatDiesBeforeItsFirstItemOrBehindItsLast) {
  const auto farm = ov::farm<DiesAtItsEnds>(folder_.string()).workers(2).on(ov::process).stateless().on_death("redo");
  EXPECT_EQ(all_of(ov::pipeline(numbers(100), farm)), numbers(100));
  EXPECT_THROW(all_of(ov::pipeline(numbers(9), ov::farm<NeverBegins>().workers(2).on(ov::process).stateless().on_death("redo"))), ov::process_died);
}

TEST_F(Redo, ST9_AnItemThatThreeWorkersDiedOfIsNamed) {
  std::vector<int> got;
  auto soon = ov::start(ov::pipeline(numbers(100), ov::farm<AlwaysDies>().named("deadly").workers(2).on(ov::process).stateless().on_death("redo"),
                                     [&](int x) { got.push_back(x); }));
  try {
    soon.get();
    ADD_FAILURE() << "it was to throw";
  } catch (const ov::process_died& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("item 17 of stage 'deadly'"));
  }
  EXPECT_EQ(got, numbers(17));
  EXPECT_EQ(soon.report().failed_item, 17);
}

TEST_F(Redo, ST9_AClassSaysThatItMayBeRedone) {
  EXPECT_THROW(all_of(ov::pipeline(numbers(3), ov::farm<AlwaysDies>().on(ov::process).on_death("redo"))), ov::usage_error);
  EXPECT_THROW(ov::farm<AlwaysDies>().on_death("again"), ov::usage_error);
  const auto f = [](int x) { return x + 1; };
  EXPECT_EQ(all_of(ov::pipeline(numbers(2), ov::farm(f).workers(2).on(ov::process).on_death("redo"))), (std::vector{1, 2}));
}

}  // namespace
}  // namespace stream_tests
