// SPDX-License-Identifier: Apache-2.0
// What every plan keeps, on random requests; and that the passes, executed in memory, are the transform.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <new>
#include <numeric>
#include <random>
#include <set>

#include "fft/tile_transform.hpp"
#include "octavo/base/bytes.hpp"
#include "octavo/base/error.hpp"
#include "octavo/fft/plan.hpp"
#include "octavo/machine/pool.hpp"
#include "unit/fft/reference.hpp"

namespace octavo::fft {
namespace {

using reference::Dense;

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  std::int64_t upto(std::int64_t most) { return std::uniform_int_distribution<std::int64_t>(1, most)(engine_); }
  bool chance(int percent) { return upto(100) <= percent; }

  FftRequest request(int most_dims, std::int64_t most_extent) {
    FftRequest r;
    int dims = static_cast<int>(upto(most_dims));
    Shape chunk, target;
    std::vector<int> axes;
    for (int i = 0; i < dims; ++i) {
      r.shape.push_back(chance(10) ? 1 : upto(most_extent));
      chunk.push_back(upto(r.shape[i]));
      target.push_back(upto(r.shape[i] + 3));
      if (chance(50)) axes.push_back(chance(50) ? i : i - dims);
    }
    if (!axes.empty() || chance(50)) r.axes = axes;
    constexpr dtype types[] = {dtype::float32, dtype::complex64, dtype::complex128, dtype::int16, dtype::float64};
    r.type = types[upto(5) - 1];
    r.inverse = chance(50);
    r.norm = static_cast<norm_kind>(upto(3) - 1);
    r.source_chunk = chunk;
    r.source_flat = chance(30);
    r.target_flat = chance(30);
    if (chance(40)) r.target_chunk = target;
    r.cores = static_cast<int>(upto(4));
    r.allow_scratch = chance(70);
    return r;
  }

 private:
  std::mt19937 engine_;
};

std::int64_t pool_bytes(const std::vector<Box>& tiles, dtype type) {
  std::int64_t sum = 0;
  for (const auto& tile : tiles) sum += round_up(tile.count() * size_of(type), 4096);
  return sum;
}

void check_pass(const FftPlan& plan, const FftPass& pass) {
  std::int64_t covered = 0;
  std::map<std::vector<std::int64_t>, bool> corners;
  for (std::int64_t i = 0; i < pass.boxes; ++i) {
    Box box = plan.box_of(pass, i);
    ASSERT_TRUE(Box::whole(plan.shape).contains(box)) << box.text();
    ASSERT_FALSE(box.empty());
    for (int axis : pass.axes) ASSERT_EQ(box.extents()[axis], plan.shape[axis]);
    covered += box.count();
    ASSERT_TRUE(corners.emplace(std::vector(box.lo.begin(), box.lo.end()), true).second) << "box twice: " << box.text();
    auto read = tiles_of(box, pass.read_page), written = tiles_of(box, pass.write_page);
    if (!pass.regroup) {
      ASSERT_EQ(read, written) << box.text();
    }
    std::int64_t needs = pool_bytes(read, plan.out_type) + (pass.regroup ? pool_bytes(written, plan.out_type) : 0);
    ASSERT_LE(needs, pass.box_memory) << box.text() << " read by " << pass.read_page.text() << ", written by " << pass.write_page.text();
  }
  // Within, none twice, on a grid, and as many elements as the array: a partition, so that rewriting in place is safe.
  ASSERT_EQ(covered, plan.shape.count());
  ASSERT_LE(plan.transforms * plan.depth * pass.box_memory, plan.memory.pool);
}

// Boxes that share chunks along the first axis: each has a part of them, one behind the other, that is whole blocks of the disk.
bool share_no_disk_block(const FftPlan& plan, const FftPass& pass) {
  const Shape& chunk = pass.write_page;
  const std::int64_t parts = chunk[0] >= plan.shape[0] ? pass.box[0] : std::gcd(pass.box[0], chunk[0]);
  return parts * chunk.count(1, chunk.size()) * size_of(plan.out_type) % 4096 == 0 && chunk.count() * size_of(plan.out_type) <= 4 * MiB;
}

void check_stores(const FftPlan& plan, const FftRequest& request) {
  for (std::size_t i = 0; i < plan.passes.size(); ++i) {
    const auto& pass = plan.passes[i];
    EXPECT_EQ(pass.reads == store_kind::source, i == 0);
    if (i > 0) {
      EXPECT_EQ(pass.reads, plan.passes[i - 1].writes);
      EXPECT_TRUE(pass.reads != store_kind::scratch || pass.read_page == plan.scratch_chunk);
    }
    bool zarr_target = pass.writes == store_kind::target && !request.target_flat;
    EXPECT_TRUE(!zarr_target || pass.write_page == plan.target_chunk);
    bool chosen = zarr_target && !request.target_chunk;
    for (int a = 0; a < plan.shape.size(); ++a)
      EXPECT_TRUE(!chosen || pass.box[a] >= plan.shape[a] || pass.box[a] % pass.write_page[a] == 0 || (a == 0 && share_no_disk_block(plan, pass)))
          << "a chosen chunk is shared by two boxes";
  }
  EXPECT_EQ(plan.passes.back().writes, store_kind::target);
  EXPECT_TRUE(request.allow_scratch || !plan.uses_scratch);
}

// Another library moves its arrays by whole chunks only, and never reads back what it wrote.
void check_whole_chunks(const FftPlan& plan, const FftRequest& request) {
  auto whole = [&](const Shape& box, const Shape& chunk) {
    for (int a = 0; a < plan.shape.size(); ++a) EXPECT_TRUE(box[a] >= plan.shape[a] || box[a] % chunk[a] == 0) << box.text() << " by " << chunk.text();
  };
  if (request.source.whole_chunks) {
    whole(plan.passes.front().box, request.source_chunk);
    whole(plan.passes.front().read_page, request.source_chunk);
  }
  if (request.target.whole_chunks) {
    whole(plan.passes.back().box, plan.target_chunk);
    for (const auto& pass : plan.passes) EXPECT_NE(pass.reads, store_kind::target);
  }
}

void check_plan(const FftPlan& plan, const FftRequest& request) {
  std::multiset<int> done;
  for (const auto& pass : plan.passes) {
    done.insert(pass.axes.begin(), pass.axes.end());
    ASSERT_NO_FATAL_FAILURE(check_pass(plan, pass));
    std::int64_t work = 0;
    for (std::size_t i = 0; i < pass.axes.size(); ++i) {
      work += pass.work[i];
      EXPECT_GE(pass.work[i], least_work_bytes(default_kernel(), plan.out_type, plan.shape[pass.axes[i]]));
    }
    EXPECT_LE(work, plan.memory.work);
  }
  EXPECT_EQ(done, std::multiset<int>(plan.axes.begin(), plan.axes.end()));
  const auto& m = plan.memory;
  EXPECT_EQ(m.total, m.pool + plan.devices * m.staging + plan.transforms * m.work + m.rings + m.stores);
  EXPECT_EQ(m.stores, request.source.unit_bytes * request.source.devices + request.target.unit_bytes * request.target.devices);
  EXPECT_LE(m.total, request.memory);
  int others = (request.source.whole_chunks ? 1 : 0) + (request.target.whole_chunks ? 1 : 0);
  EXPECT_EQ(plan.devices + others, plan.uses_scratch ? 3 : 2);
  check_stores(plan, request);
  check_whole_chunks(plan, request);
}

// The fewest passes by trying every partition: of a flat file into a flat file a box is one tile, so what a pass takes is plain to see.
struct Group {
  std::int64_t elements = 1, work = 0;
};
std::size_t fewest_passes(const FftPlan& plan, std::size_t next, std::vector<Group>& groups, std::int64_t memory) {
  if (next == plan.axes.size()) {
    std::int64_t most_work = 0, most_box = 0;
    for (const auto& group : groups) {
      most_work = std::max(most_work, group.work);
      most_box = std::max(most_box, round_up(group.elements * size_of(plan.out_type), 4096));
    }
    std::int64_t least = 2 * staging_buffers * 16 * KiB + (2 + 1 + 2) * 64 * KiB + pool_table_bytes(memory, 4) + most_work;
    return round_down(memory - least, 4096) >= most_box ? groups.size() : 99;
  }
  std::int64_t n = plan.shape[plan.axes[next]], work = least_work_bytes(default_kernel(), plan.out_type, n);
  std::size_t fewest = 99;
  groups.emplace_back();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    Group before = groups[i];
    groups[i] = {before.elements * n, before.work + work};
    if (i + 1 < groups.size()) {
      auto last = groups.back();
      groups.pop_back();
      fewest = std::min(fewest, fewest_passes(plan, next + 1, groups, memory));
      groups.push_back(last);
    } else {
      fewest = std::min(fewest, fewest_passes(plan, next + 1, groups, memory));
    }
    groups[i] = before;
  }
  groups.pop_back();
  return fewest;
}

TEST(FftPlanProperties, HoldOnRandomRequests) {
  int planned = 0;
  for (unsigned seed = 1; seed <= 400; ++seed) {
    Random random(seed);
    FftRequest request = random.request(5, 24);
    if (!request.source_flat && random.chance(30))
      request.source = {.whole_chunks = true, .unit_bytes = random.upto(MiB), .devices = static_cast<int>(random.upto(3))};
    if (!request.target_flat && request.target_chunk && random.chance(30)) {
      request.target = {.whole_chunks = true, .unit_bytes = random.upto(MiB)};
      request.allow_scratch = true;  // without it there may be no way at all
    }
    request.copy = random.chance(15);
    std::int64_t least = least_memory(request);
    request.memory = least + (random.chance(30) ? 0 : random.upto(4 * least));
    SCOPED_TRACE("seed " + std::to_string(seed) + ", " + request.shape.text());
    FftPlan plan = plan_fft(request);
    ASSERT_NO_FATAL_FAILURE(check_plan(plan, request));
    if (HasFailure()) return;
    ++planned;
  }
  EXPECT_EQ(planned, 400);
}

TEST(FftPlanProperties, HaveAsFewPassesAsTheMemoryAllows) {
  std::map<std::size_t, int> seen;
  for (unsigned seed = 1; seed <= 150; ++seed) {
    Random random(seed);
    FftRequest request = random.request(4, 60);
    request.source_flat = request.target_flat = true;
    if (request.axes && request.axes->empty()) request.axes.reset();  // what counts is passes that transform
    std::int64_t least = least_memory(request);
    request.memory = least + (random.chance(30) ? 0 : random.upto(MiB));
    FftPlan plan = plan_fft(request);
    std::vector<Group> groups;
    EXPECT_EQ(plan.passes.size(), fewest_passes(plan, 0, groups, request.memory)) << "seed " << seed << ": " << plan.text();
    EXPECT_EQ(fewest_passes(plan, 0, groups, least - 4096), 99u) << "seed " << seed << ": less than the least would do";
    ++seen[plan.passes.size()];
  }
  EXPECT_GT(seen[1], 10);
  EXPECT_GT(seen[2], 10);
}

// Cuts a box of an array into tiles, or writes tiles back: what the devices will do.
template <class Real>
struct Held {
  struct Freed {
    void operator()(std::byte* p) const { ::operator delete (p, std::align_val_t{64}); }
  };
  std::vector<BoxTile> tiles;
  std::vector<std::unique_ptr<std::byte, Freed>> store;
  Held(Dense<Real>& array, const Box& box, const Shape& page) {
    for (const Box& tile : tiles_of(box, page)) {
      store.emplace_back(static_cast<std::byte*>(::operator new (static_cast<std::size_t>(tile.count()) * 2 * sizeof(Real), std::align_val_t{64})));
      tiles.push_back({tile, store.back().get()});
      array.copy(tile, reinterpret_cast<std::complex<Real>*>(tiles.back().data), true);
    }
  }
  void write(Dense<Real>& array) {
    for (auto& tile : tiles) array.copy(tile.box, reinterpret_cast<std::complex<Real>*>(tile.data), false);
  }
};

template <class Real>
double execute_and_compare(const FftPlan& plan, unsigned seed) {
  auto source = Dense<Real>::random(plan.shape, seed), want = source;
  Dense<Real> scratch(plan.shape), target(plan.shape);
  auto array = [&](store_kind store) -> Dense<Real>& { return store == store_kind::source ? source : store == store_kind::scratch ? scratch : target; };
  for (const auto& pass : plan.passes) {
    std::vector<AxisTransform> transforms;
    for (std::size_t i = 0; i < pass.axes.size(); ++i)
      transforms.emplace_back(default_kernel(), plan.out_type, plan.shape[pass.axes[i]], plan.inverse, i == 0 ? pass.scale : 1.0, pass.work[i]);
    for (std::int64_t b = pass.boxes; b-- > 0;) {
      Box box = plan.box_of(pass, b);
      Held<Real> held(array(pass.reads), box, pass.read_page);
      for (std::size_t i = pass.axes.size(); i-- > 0;) transforms[i].run(held.tiles, box, pass.axes[i]);
      held.write(array(pass.writes));
    }
  }
  double points = 1;
  for (int axis : plan.axes) points *= static_cast<double>(plan.shape[axis]);
  bool divides = (plan.norm == norm_kind::forward) != plan.inverse;
  double scale = plan.norm == norm_kind::ortho ? 1 / std::sqrt(points) : divides ? 1 / points : 1;
  for (std::size_t i = 0; i < plan.axes.size(); ++i) want.transform(plan.axes[i], plan.inverse, i == 0 ? scale : 1.0);
  return want.distance(target);
}

TEST(FftPlanExecution, PassByPassIsTheTransform) {
  std::map<std::size_t, int> by_passes;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    Random random(1000 + seed);
    FftRequest request = random.request(4, 40);
    if (request.shape.count() > 60000) continue;
    std::int64_t least = least_memory(request);
    request.memory = least + (random.chance(60) ? 0 : random.upto(least));
    FftPlan plan = plan_fft(request);
    ++by_passes[plan.passes.size()];
    double error = plan.out_type == dtype::complex64 ? execute_and_compare<float>(plan, seed) : execute_and_compare<double>(plan, seed);
    ASSERT_LT(error, plan.out_type == dtype::complex64 ? 1e-5 : 1e-13) << "seed " << seed << "\n" << plan.text();
  }
  EXPECT_GT(by_passes[1], 3);
  EXPECT_GT(by_passes[2], 3);
}

}  // namespace
}  // namespace octavo::fft
