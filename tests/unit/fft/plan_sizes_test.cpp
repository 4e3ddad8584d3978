// SPDX-License-Identifier: Apache-2.0
// Boxes and chosen chunks are no smaller than they must be: an array much smaller than its budget is moved at once or nearly so, and its
// result is a few files.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "octavo/base/bytes.hpp"
#include "octavo/base/error.hpp"
#include "octavo/fft/plan.hpp"

namespace octavo::fft {
namespace {

constexpr std::int64_t few = 64, sensible_box = 128 * KiB, sensible_chunk = 64 * KiB;

// Requests over many magnitudes: a random array of at most `most` bytes, any chunks, any axes, copies too.
FftRequest random_request(std::mt19937_64& engine, double most) {
  auto upto = [&](std::int64_t n) { return std::uniform_int_distribution<std::int64_t>(1, n)(engine); };
  auto chance = [&](int percent) { return upto(100) <= percent; };
  constexpr dtype types[] = {dtype::float32, dtype::complex64, dtype::complex128, dtype::int16, dtype::float64};
  FftRequest request{.type = types[upto(5) - 1], .copy = chance(30)};
  int dims = static_cast<int>(upto(5));
  double side = std::pow(most / 16, 1.0 / dims) * 4;
  do {
    request.shape = request.source_chunk = {};
    for (int i = 0; i < dims; ++i) {
      request.shape.push_back(chance(10) ? 1 : static_cast<std::int64_t>(std::exp(std::uniform_real_distribution<double>(0, std::log(side))(engine))));
      request.source_chunk.push_back(chance(30) ? request.shape[i] : upto(request.shape[i]));
    }
  } while (static_cast<double>(request.shape.count()) * 16 > most);
  std::vector<int> axes;
  for (int i = 0; i < dims; ++i)
    if (chance(50)) axes.push_back(i);
  if (!axes.empty() || chance(50)) request.axes = axes;
  request.source_flat = chance(50);
  request.target_flat = chance(30);
  request.allow_scratch = chance(70);
  if (!request.source_flat && chance(30)) request.source = {.whole_chunks = true, .unit_bytes = upto(MiB)};
  return request;
}

// What the memory does not force. `room`: what the pool could have been.
void check_sizes(const FftPlan& plan, const FftRequest& request) {
  std::int64_t element = size_of(plan.out_type), room = request.memory - (plan.memory.total - plan.memory.pool);
  for (const auto& pass : plan.passes) {
    bool filled = plan.transforms * plan.depth * pass.box_memory >= room / 8;
    EXPECT_TRUE(pass.boxes <= few || pass.box.count() * element >= sensible_box || filled) << plan.text();
  }
  if (request.target_flat) return;
  // Between passes over different axes a chunk lies in a box of each.
  auto forced = static_cast<double>(element * plan.shape.count());
  for (const auto& pass : plan.passes) forced *= static_cast<double>(pass.box.count()) / static_cast<double>(plan.shape.count());
  auto chunk = static_cast<double>(plan.target_chunk.count() * element);
  EXPECT_TRUE(grid_of(plan.shape, plan.target_chunk).count() <= few || chunk >= sensible_chunk || (plan.passes.size() > 1 && chunk >= forced / 4))
      << plan.text();
}

TEST(FftPlanSizes, NoBoxAndNoChosenChunkIsNeedlesslySmall) {
  std::mt19937_64 engine(18);
  for (double most : {4.0 * KiB, 1.0 * MiB, 64.0 * MiB, 2.0 * GiB})
    for (int i = 0; i < 60; ++i) {
      FftRequest request = random_request(engine, most);
      std::int64_t least = least_memory(request);
      for (std::int64_t memory : {4 * least, 4 * least + static_cast<std::int64_t>(engine() % (64 * MiB)), std::max(4 * least, GiB)}) {
        request.memory = memory;
        FftPlan plan = plan_fft(request);
        EXPECT_LE(plan.memory.total, memory);
        check_sizes(plan, request);
        ASSERT_FALSE(HasFailure()) << "array " << i << " of up to " << most << " bytes, source " << request.source_chunk.text();
      }
    }
}

TEST(FftPlanSizes, ASmallArrayIsMovedInAFewBoxesWhateverTheMemory) {
  struct Case {
    Shape shape;
    std::vector<int> axes;
    bool copy;
  };
  for (const auto& [shape, axes, copy] : {Case{{131072}, {}, true}, Case{{131072, 1, 1}, {}, true}, Case{{8, 6, 5}, {0}, false}, Case{{8, 6, 5}, {1}, false},
                                          Case{{64, 64, 64}, {2}, false}, Case{{1, 1, 40}, {0, 1}, false}})
    for (std::int64_t memory = 4 * MiB; memory <= 16 * GiB; memory *= 2)
      for (bool flat : {false, true}) {
        FftRequest request{.shape = shape, .type = dtype::float64, .copy = copy, .axes = axes, .source_flat = flat, .memory = memory};
        FftPlan plan = plan_fft(request);
        EXPECT_EQ(plan.passes.size(), 1u);
        EXPECT_LE(plan.passes[0].boxes, 16) << plan.text();
        EXPECT_LE(grid_of(shape, plan.target_chunk).count(), 16) << plan.text();
      }
}

TEST(FftPlanSizes, ExtentsWithoutDivisorsDoNotMakeThinChunks) {
  for (std::int64_t prime : {6427, 65537, 1000003}) {
    FftPlan plan = plan_fft({.shape = {prime, 414}, .type = dtype::int16, .axes = {{0}}, .source_flat = true, .memory = GiB});
    EXPECT_GE(plan.target_chunk.count() * 16, MiB) << plan.text();
    plan = plan_fft({.shape = {prime, 414}, .type = dtype::int16, .axes = {{1}}, .source_flat = true, .memory = GiB});
    EXPECT_GE(plan.target_chunk.count() * 16, MiB) << plan.text();
  }
}

// A million tiles of 512 bytes: a block of the pool each. The blocks double where a pool grows beyond 4 GiB, and beyond each power of two above.
FftRequest many_tiles(std::int64_t rows) {
  FftRequest request{.shape = {rows, 65536}, .type = dtype::complex64, .copy = true, .source_chunk = {rows, 65536}, .target_chunk = Shape{1, 64}};
  request.source = {.whole_chunks = true, .unit_bytes = MiB};
  request.allow_scratch = false;
  return request;
}

TEST(FftPlanSizes, MoreMemoryDoesWhatLessDidAlsoWhereThePoolsBlocksDouble) {
  FftRequest request = many_tiles(860);
  std::int64_t least = least_memory(request);
  ASSERT_LT(least, 4 * GiB);
  for (std::int64_t memory : {least, 4 * GiB, 4 * GiB + 4096, 5 * GiB, 8 * GiB + 4096, 40 * GiB}) {
    request.memory = memory;
    EXPECT_LE(plan_fft(request).memory.total, memory);
  }
}

TEST(FftPlanSizes, WhatNoMemoryWouldDoForIsRefused) {
  FftRequest request = many_tiles(1100);
  request.memory = 16 * GiB;
  try {
    (void)plan_fft(request);
    ADD_FAILURE() << "no error";
  } catch (const refused& e) {
    EXPECT_NE(std::string(e.what()).find("larger chunks"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace octavo::fft
