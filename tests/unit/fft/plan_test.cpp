// SPDX-License-Identifier: Apache-2.0
// Plans by example, and the errors.
#include "octavo/fft/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cereal/archives/binary.hpp>
#include <cereal/types/array.hpp>
#include <cereal/types/vector.hpp>
#include <cmath>
#include <sstream>

#include "octavo/base/bytes.hpp"
#include "octavo/base/error.hpp"

namespace octavo::fft {
namespace {

using testing::HasSubstr;

FftRequest cube() { return {.shape = {512, 512, 1024}, .source_chunk = {128, 128, 128}, .memory = GiB}; }

template <class Error>
std::string refusal(const FftRequest& request) {
  try {
    (void)plan_fft(request);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(FftPlan, TheExampleOfTheDesign) {
  FftPlan plan = plan_fft(cube());
  ASSERT_EQ(plan.passes.size(), 2u);
  EXPECT_EQ(plan.passes[0].axes, (std::vector{1, 2}));
  EXPECT_EQ(plan.passes[1].axes, (std::vector{0}));
  EXPECT_GE(plan.passes[0].read_run, 4 * MiB);
  EXPECT_EQ(plan.target_chunk.count() * 16, 4 * MiB);
  EXPECT_EQ(plan.target_chunk[0], 16);
  EXPECT_GE(plan.transforms, 2);
  EXPECT_GE(plan.depth, 2);
  EXPECT_FALSE(plan.uses_scratch);
  EXPECT_FALSE(plan.passes[0].regroup) << "the box would lie in memory twice";
  EXPECT_LE(plan.memory.total, GiB);
  for (const auto& pass : plan.passes) EXPECT_GE(pass.boxes, 8);
}

TEST(FftPlan, KeepsTheUsersChunk) {
  auto request = cube();
  request.target_chunk = Shape{128, 128, 128};
  FftPlan plan = plan_fft(request);
  EXPECT_EQ(plan.passes.size(), 2u);
  EXPECT_EQ(plan.target_chunk, (Shape{128, 128, 128}));
}

TEST(FftPlan, GoesThroughScratchOnlyWhereAllowed) {
  auto request = cube();
  request.memory = 256 * MiB;
  request.target_chunk = Shape{1, 1, 1024};
  FftPlan plan = plan_fft(request);
  ASSERT_TRUE(plan.uses_scratch);
  EXPECT_EQ(plan.passes[0].writes, store_kind::scratch);
  EXPECT_EQ(plan.passes[1].reads, store_kind::scratch);
  EXPECT_EQ(plan.passes[1].writes, store_kind::target);
  EXPECT_EQ(plan.devices, 3);
  EXPECT_GE(plan.scratch_bytes, 4 * GiB);
  EXPECT_THAT(plan.text(), HasSubstr("scratch file of"));
  request.allow_scratch = false;
  plan = plan_fft(request);
  EXPECT_FALSE(plan.uses_scratch);
  EXPECT_EQ(plan.passes.size(), 2u);
}

// Each chunk is a file, and making one costs more than writing as much as this: 512 files, not 8192.
TEST(FftPlan, SmallPartsAreStackedInOneChunk) {
  FftPlan plan = plan_fft({.shape = {512, 512, 512}, .source_chunk = {128, 128, 128}, .memory = 256 * MiB});
  EXPECT_EQ(plan.passes.size(), 2u);
  EXPECT_EQ(plan.passes[0].box[0], 16);
  EXPECT_EQ(plan.target_chunk, (Shape{256, 128, 8}));
  EXPECT_EQ(plan.passes[0].write_run, 256 * KiB) << "a part is contiguous in it";
  EXPECT_EQ(plan.passes[1].read_run, 4 * MiB);
}

TEST(FftPlan, OnePassKeepsASensibleSourceChunk) {
  FftPlan plan = plan_fft({.shape = {300, 300, 300}, .source_chunk = {64, 64, 64}, .memory = 2 * GiB});
  ASSERT_EQ(plan.passes.size(), 1u);
  EXPECT_EQ(plan.target_chunk, (Shape{64, 64, 64}));
  EXPECT_EQ(plan.passes[0].writes, store_kind::target);
}

TEST(FftPlan, SmallBudgetsAndSmallArrays) {
  FftPlan plan = plan_fft({.shape = {128, 128, 80}, .source_chunk = {32, 32, 32}, .memory = 4 * MiB});
  EXPECT_EQ(plan.passes.size(), 2u);
  for (const Shape& shape : {Shape{1}, Shape{1, 1, 1}, Shape{2}, Shape{3, 1, 2}}) {
    plan = plan_fft({.shape = shape, .memory = MiB});
    EXPECT_EQ(plan.passes.size(), 1u) << shape.text();
    EXPECT_EQ(plan.passes[0].boxes, 1) << shape.text();
  }
}

TEST(FftPlan, ScalesBySciPysNorms) {
  auto product = [](norm_kind norm, bool inverse) {
    double scale = 1;
    for (const auto& pass : plan_fft({.shape = {64, 64, 32}, .inverse = inverse, .norm = norm, .memory = MiB}).passes) scale *= pass.scale;
    return scale;
  };
  const double points = 64 * 64 * 32;
  EXPECT_DOUBLE_EQ(product(norm_kind::backward, false), 1);
  EXPECT_DOUBLE_EQ(product(norm_kind::backward, true), 1 / points);
  EXPECT_DOUBLE_EQ(product(norm_kind::forward, false), 1 / points);
  EXPECT_DOUBLE_EQ(product(norm_kind::forward, true), 1);
  EXPECT_DOUBLE_EQ(product(norm_kind::ortho, false), 1 / std::sqrt(points));
  EXPECT_DOUBLE_EQ(product(norm_kind::ortho, true), 1 / std::sqrt(points));
}

TEST(FftPlan, NormalisesAxesAndRefusesWrongOnes) {
  auto request = cube();
  request.axes = std::vector{-1, 0};
  EXPECT_EQ(plan_fft(request).axes, (std::vector{0, 2}));
  request.axes = std::vector{3};
  EXPECT_THAT(refusal<usage_error>(request), HasSubstr("axis 3 does not exist in an array of 3 dimensions. Axes go from -3 to 2"));
  request.axes = std::vector{0, -3};
  EXPECT_THAT(refusal<usage_error>(request), HasSubstr("axis 0 is named twice"));
}

TEST(FftPlan, TransformsAllAxesIfNoneAreGivenAndNoneOfAnEmptyList) {
  auto request = cube();
  EXPECT_EQ(plan_fft(request).axes, (std::vector{0, 1, 2}));
  for (auto norm : {norm_kind::backward, norm_kind::ortho, norm_kind::forward})
    for (bool inverse : {false, true}) {
      request.axes.emplace(), request.norm = norm, request.inverse = inverse;
      request.type = dtype::float32;
      FftPlan plan = plan_fft(request);
      ASSERT_EQ(plan.passes.size(), 1u);
      EXPECT_TRUE(plan.axes.empty() && plan.passes[0].axes.empty());
      EXPECT_EQ(plan.passes[0].scale, 1);
      EXPECT_EQ(plan.out_type, dtype::complex64);
      EXPECT_THAT(plan.text(), HasSubstr("over no axes to complex64"));
    }
}

TEST(FftPlan, RefusesShapesThatMakeNoSense) {
  EXPECT_THAT(refusal<usage_error>({.shape = {}, .memory = GiB}), HasSubstr("without dimensions"));
  EXPECT_THAT(refusal<usage_error>({.shape = {4, 0, 3}, .memory = GiB}), HasSubstr("4 x 0 x 3 has no elements"));
  EXPECT_THAT(refusal<usage_error>({.shape = {1 << 30, 1 << 30}, .memory = GiB}), HasSubstr("larger than 256 TiB"));
  EXPECT_THAT(refusal<usage_error>({.shape = {4, 4}, .source_chunk = {4}, .memory = GiB}), HasSubstr("source's chunk 4 has 1 dimensions"));
  EXPECT_THAT(refusal<usage_error>({.shape = {4, 4}, .target_chunk = Shape{4, 0}, .memory = GiB}), HasSubstr("target's chunk 4 x 0 has an extent below 1"));
  EXPECT_THAT(refusal<usage_error>({.shape = {4}, .memory = GiB, .cores = 0}), HasSubstr("at least 1 core"));
}

TEST(FftPlan, TheLeastMemoryDoesAndLessDoesNot) {
  auto flat = FftRequest{.shape = {100, 90, 70}, .type = dtype::float32, .source_flat = true, .target_flat = true};
  auto odd = FftRequest{.shape = {37, 101, 64, 9}, .source_chunk = {10, 10, 10, 9}, .target_chunk = Shape{37, 8, 8, 8}};
  for (auto request : {cube(), flat, odd, FftRequest{.shape = {1 << 20}}, FftRequest{.shape = {7, 5}}}) {
    std::int64_t least = least_memory(request);
    request.memory = least;
    EXPECT_LE(plan_fft(request).memory.total, least);
    request.memory = least - 4096;
    EXPECT_THAT(refusal<refused>(request), HasSubstr("the least that would do is " + std::to_string(least) + " bytes")) << request.shape.text();
    try {
      plan_fft(request);
      FAIL();
    } catch (const refused& e) {
      EXPECT_EQ(e.least, least);
      EXPECT_TRUE(e.cure().ends_with(least_text(least))) << e.what();
    }
    request.memory = 0;
    EXPECT_THAT(refusal<refused>(request), HasSubstr(std::to_string(least)));
    request.memory = -1;
    EXPECT_THAT(refusal<refused>(request), HasSubstr(std::to_string(least)));
    for (std::int64_t more = 4096; more < GiB; more = more * 5 / 2) {
      request.memory = least + more;
      EXPECT_LE(plan_fft(request).memory.total, request.memory) << "more memory than the least must do too";
    }
  }
}

TEST(FftPlan, TellsWhatALineTakesWhereItIsTheReason) {
  auto message = refusal<refused>({.shape = {4, 1 << 26}, .axes = {{1}}, .memory = GiB});
  EXPECT_THAT(message,
              testing::MatchesRegex(".*a line along axis 1 lies in memory whole, which takes 1 GiB, and [0-9.]+ GiB to transform it in. Give it at least.*"));
  message = refusal<refused>({.shape = {100, 90, 70}, .memory = 400 * KiB});
  EXPECT_THAT(message, testing::Not(HasSubstr("a line along"))) << "lines are short: it is the sum of all that does not fit";
}

TEST(FftPlan, SaysWhatItWillDo) {
  std::string text = plan_fft(cube()).text();
  EXPECT_THAT(text, HasSubstr("forward transform of 512 x 512 x 1024 complex128 over axes 0, 1, 2"));
  EXPECT_THAT(text, HasSubstr("2 passes, 16 GiB moved; no scratch file"));
  EXPECT_THAT(text, HasSubstr("pass 2: axis 0, target -> target (in place)"));
  EXPECT_THAT(text, HasSubstr("32 boxes of 16 x 512 x 1024"));
  EXPECT_THAT(text, HasSubstr("in flight"));
}

TEST(FftPlan, TravelsWhole) {
  FftPlan plan = plan_fft(cube()), copy;
  std::stringstream bytes;
  cereal::BinaryOutputArchive{bytes}(plan);
  cereal::BinaryInputArchive{bytes}(copy);
  EXPECT_EQ(copy.text(), plan.text());
  EXPECT_EQ(copy.passes[1].work, plan.passes[1].work);
  EXPECT_EQ(copy.passes[1].read_page, plan.passes[1].read_page);
  EXPECT_EQ(copy.memory.total, plan.memory.total);
}

TEST(FftPlan, TilesCoverTheBox) {
  auto tiles = tiles_of({{5, 10}, {9, 31}}, {4, 10});
  ASSERT_EQ(tiles.size(), 6u);
  EXPECT_EQ(tiles.front(), (Box{{5, 10}, {8, 20}}));
  EXPECT_EQ(tiles.back(), (Box{{8, 30}, {9, 31}}));
}

}  // namespace
}  // namespace octavo::fft
