// SPDX-License-Identifier: Apache-2.0
// What the memories of tests/kit/model let threads see, by the usual small programs: each asks whether an outcome can come about.
#include <gtest/gtest.h>

#include "kit/model/steps.hpp"

namespace {

namespace model = octavo::kit::model;
using model::CppMemory, model::TsoMemory;
constexpr auto relaxed = std::memory_order_relaxed, acquire = std::memory_order_acquire, release = std::memory_order_release,
               seq_cst = std::memory_order_seq_cst;

template <class Memory>
struct Program {
  using Model = model::Model<Memory>;
  using Steps = model::ModelSteps<Memory, 0>;
  using Atomic = typename Steps::template Atomic<int>;
  Model model;
  Atomic x{0}, y{0}, count{0};
  static constexpr char outcome[] = "the outcome";

  bool can(const std::vector<model::Work>& threads) {
    const auto found = model.explore(threads);
    EXPECT_TRUE(found.complaint.empty() || found.complaint == outcome) << found.complaint << found.trace;
    return !found.complaint.empty();
  }
  // A piece of work that looks, and the outcome if each thread that looks has found what it looked for.
  template <class Look>
  model::Work found_by(int many, const Look& look) {
    return [this, many, look](int at) {
      if (at == 0) return look() ? 1 : model::end;
      if (count.fetch_add(1) == many - 1) Model::breaks(outcome);
      return model::end;
    };
  }
  template <class Do>
  model::Work does(const Do& act) {
    return [act](int) { return act(), model::end; };
  }

  // Each writes what the other reads, and neither sees it.
  bool neither_sees(std::memory_order writes, std::memory_order reads, bool barrier) {
    return can({found_by(2, [=, this] { return x.store(1, writes), y.load(reads) == 0; }), found_by(2, [=, this] {
                  y.store(1, writes);
                  if (barrier) Steps::barrier();
                  return x.load(reads) == 0;
                })});
  }
  // One sees what another wrote last, and not what that wrote before.
  bool late_is_seen_first(std::memory_order writes, std::memory_order reads) {
    return can({does([=, this] { x.store(1, relaxed), y.store(1, writes); }), found_by(1, [=, this] { return y.load(reads) == 1 && x.load(relaxed) == 0; })});
  }
  // The second passes on what it saw; the third sees that, and not what the first wrote.
  bool passed_on_without_cause(std::memory_order writes, std::memory_order reads) {
    return can({does([=, this] { x.store(1, writes); }), does([=, this] {
                  if (x.load(reads) == 1) y.store(1, writes);
                }),
                found_by(1, [=, this] { return y.load(reads) == 1 && x.load(relaxed) == 0; })});
  }
  bool goes_back() {
    return can({does([this] { x.store(1, relaxed), x.store(2, relaxed); }), found_by(1, [this] {
                  const int first = x.load(relaxed);
                  return x.load(relaxed) < first;
                })});
  }
  bool a_change_is_lost() {
    return can({found_by(2, [this] { return x.fetch_add(1) == 0; }), found_by(2, [this] { return x.fetch_add(1) == 0; })});
  }
};

TEST(ModelMemory, OfX86DelaysWritesAndKeepsTheirOrder) {
  EXPECT_TRUE(Program<TsoMemory>().neither_sees(release, acquire, false));
  EXPECT_FALSE(Program<TsoMemory>().neither_sees(seq_cst, seq_cst, false));
  EXPECT_FALSE(Program<TsoMemory>().neither_sees(relaxed, relaxed, true));
  EXPECT_FALSE(Program<TsoMemory>().late_is_seen_first(relaxed, relaxed));
  EXPECT_FALSE(Program<TsoMemory>().passed_on_without_cause(relaxed, relaxed));
  EXPECT_FALSE(Program<TsoMemory>().goes_back());
  EXPECT_FALSE(Program<TsoMemory>().a_change_is_lost());
}

TEST(ModelMemory, OfCppOrdersWhatIsReleasedAndAcquired) {
  EXPECT_TRUE(Program<CppMemory>().neither_sees(release, acquire, false));
  EXPECT_FALSE(Program<CppMemory>().neither_sees(seq_cst, seq_cst, false));
  EXPECT_FALSE(Program<CppMemory>().neither_sees(relaxed, relaxed, true));
  EXPECT_TRUE(Program<CppMemory>().late_is_seen_first(relaxed, acquire));
  EXPECT_TRUE(Program<CppMemory>().late_is_seen_first(release, relaxed));
  EXPECT_FALSE(Program<CppMemory>().late_is_seen_first(release, acquire));
  EXPECT_TRUE(Program<CppMemory>().passed_on_without_cause(relaxed, relaxed));
  EXPECT_FALSE(Program<CppMemory>().passed_on_without_cause(release, acquire));
  EXPECT_FALSE(Program<CppMemory>().goes_back());
  EXPECT_FALSE(Program<CppMemory>().a_change_is_lost());
}

}  // namespace
