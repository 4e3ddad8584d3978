// SPDX-License-Identifier: Apache-2.0
// With BufferedOptions::debug, sync() names what several must not do between two barriers (BA-9). Each member is a thread with an array of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <barrier>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "kit/watchdog.hpp"
#include "octavo/data/buffered/buffered_array.hpp"
#include "unit/data/scratch.hpp"

namespace {

namespace ov = octavo;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Grid = ov::BufferedArray<std::int32_t, 2>;
using Index = std::pair<std::int64_t, std::int64_t>;
constexpr std::int64_t rows = 12, columns = 10;
constexpr std::size_t members = 3;

// What members of a group have.
class Members {
 public:
  class Member {
   public:
    Member(Members& all, std::size_t index) : all_(all), index_(index) {}
    void barrier() const { all_.met_.arrive_and_wait(); }
    [[nodiscard]] std::vector<std::vector<std::int64_t>> all_gather(std::vector<std::int64_t> value) const {
      all_.values_[index_] = std::move(value);
      barrier();
      auto all = all_.values_;
      barrier();
      return all;
    }

   private:
    Members& all_;
    const std::size_t index_;
  };

 private:
  std::barrier<> met_{static_cast<std::ptrdiff_t>(members)};
  std::vector<std::vector<std::int64_t>> values_{members};
};

struct Touched {
  std::set<Index> read, written;
};

class BufferedConflicts : public testing::Test {
 protected:
  BufferedConflicts() { Grid made(path(), {rows, columns}, {.mode = "w", .memory = ov::MiB}); }
  [[nodiscard]] std::string path() const { return scratch / "u.npy"; }
  // Blocks of another shape in each.
  [[nodiscard]] Grid open(std::size_t member, std::int64_t threads = 1) const {
    const ov::Shape block = member == 0 ? ov::Shape{3, 4} : member == 1 ? ov::Shape{1, 10} : ov::Shape{5, 5};
    return Grid(path(), {.mode = "r+", .buffers = 4, .elements = 32, .threads = threads, .block = block, .debug = true});
  }
  // As each member has it, in a thread of its own: what sync() said, or "".
  template <class Work>
  static std::vector<std::string> sync_after(std::vector<Grid>& arrays, const Work& work) {
    Members group;
    std::vector<std::string> said(members);
    std::vector<std::jthread> all;
    for (std::size_t i = 0; i < members; ++i) {
      all.emplace_back([&, i] {
        work(i, arrays[i]);
        try {
          arrays[i].sync(Members::Member(group, i));
        } catch (const ov::usage_error& error) {
          said[i] = error.what();
        }
      });
    }
    all.clear();
    return said;
  }
  ov::kit::Watchdog watchdog{120};
  ov::test::Scratch scratch;
};

// One of the ways in which an element is read or written.
void touch(Grid& u, std::mt19937& random, Touched& touched) {
  const auto i = static_cast<std::int64_t>(random() % rows), j = static_cast<std::int64_t>(random() % columns);
  switch (random() % 5) {
    case 0:
      u[i][j] = 1;
      touched.written.insert({i, j});
      return;
    case 1: {
      const std::int32_t x = std::as_const(u)[i][j];
      EXPECT_GE(x, 0);
      touched.read.insert({i, j});
      return;
    }
    case 2:
      u.at(i, j) += 1;
      touched.read.insert({i, j});
      touched.written.insert({i, j});
      return;
    default: {
      const bool reads = random() % 4 > 0;
      const ov::Box box{{i, j}, {std::min(i + 2, rows), std::min(j + 3, columns)}};
      if (reads) std::as_const(u).for_each_block(box, [](const ov::Block<const std::int32_t, 2>&) {});
      else u.for_each_block(box, [](const ov::Block<std::int32_t, 2>&) {});
      for (std::int64_t k = box.lo[0]; k < box.hi[0]; ++k)
        for (std::int64_t l = box.lo[1]; l < box.hi[1]; ++l) (reads ? touched.read : touched.written).insert({k, l});
    }
  }
}

std::string expected(const std::vector<Touched>& of) {
  const auto both = [](const std::set<Index>& a, const std::set<Index>& b) {
    for (const auto& [i, j] : a)
      if (b.contains({i, j})) return "element (" + std::to_string(i) + ", " + std::to_string(j) + ")";
    return std::string();
  };
  for (std::size_t writer = 0; writer < members; ++writer) {
    for (std::size_t other = 0; other < members; ++other) {
      if (other == writer) continue;
      if (const auto at = both(of[writer].written, of[other].written); other > writer && !at.empty())
        return at + " of '@' was written by members " + std::to_string(writer) + " and " + std::to_string(other);
      if (const auto at = both(of[writer].written, of[other].read); !at.empty())
        return at + " of '@' was read by member " + std::to_string(other) + " while member " + std::to_string(writer);
    }
  }
  return "";
}

TEST_F(BufferedConflicts, BA9_WhatWasDoneIsNamedOrThereIsNothingToName) {
  std::map<bool, int> ends;
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::vector<Grid> arrays;
    for (std::size_t i = 0; i < members; ++i) arrays.push_back(open(i));
    std::vector<Touched> touched(members);
    const auto said = sync_after(arrays, [&](std::size_t i, Grid& u) {
      std::mt19937 random(seed * 10 + static_cast<unsigned>(i));
      const unsigned steps = seed % 3 == 0 ? 1 : seed % 12;
      for (unsigned step = 0; step < steps; ++step) touch(u, random, touched[i]);
    });
    std::string wanted = expected(touched);
    if (const auto at = wanted.find('@'); at != std::string::npos) wanted.replace(at, 1, path());
    ++ends[wanted.empty()];
    for (const auto& each : said) {
      if (wanted.empty()) EXPECT_EQ(each, "");
      else EXPECT_THAT(each, HasSubstr(wanted));
    }
  }
  EXPECT_GT(ends[true], 5);
  EXPECT_GT(ends[false], 5);
}

TEST_F(BufferedConflicts, BA9_AfterASyncNothingIsNotedAndSharesAreNotedToo) {
  std::vector<Grid> arrays;
  for (std::size_t i = 0; i < members; ++i) arrays.push_back(open(i, 2));
  for (std::size_t turn = 0; turn < members; ++turn) {  // each has the array for itself between two barriers
    const auto said = sync_after(arrays, [&](std::size_t i, Grid& u) {
      if (i == turn) {
        const auto mine = u.share();
        for (std::int64_t j = 0; j < columns; ++j) mine[3][j] = static_cast<std::int32_t>(i + 1);
      }
    });
    EXPECT_EQ(said, std::vector<std::string>(members));
    EXPECT_EQ(std::as_const(arrays[0])[3][9], static_cast<std::int32_t>(turn + 1));
    static_cast<void>(sync_after(arrays, [](std::size_t, Grid&) {}));
  }
  const auto said = sync_after(arrays, [&](std::size_t, Grid& u) {
    const auto mine = u.share();
    mine[3][4] = 1;
  });
  for (const auto& each : said) EXPECT_THAT(each, HasSubstr("element (3, 4) of '" + path() + "' was written by members 0 and 1 between two barriers"));
}

TEST_F(BufferedConflicts, BA9_WhoHasNoAllGatherIsTold) {
  struct Alone {
    void barrier() const {}
  };
  Grid u = open(0);
  EXPECT_THAT([&] { u.sync(Alone()); }, ThrowsMessage<ov::usage_error>(HasSubstr("no all_gather()")));
}

}  // namespace
