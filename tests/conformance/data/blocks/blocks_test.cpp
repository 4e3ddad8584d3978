// SPDX-License-Identifier: Apache-2.0
// What blocks of arrays give, refuse and leave (ST-10, BL-1 to BL-3).
#include <atomic>
#include <numeric>

#include "conformance/data/blocks/kit.hpp"
#include "octavo/base/error.hpp"
#include "octavo/stream.hpp"

namespace blocks_tests {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;
using Blocks = WithArrays;

const ov::Shape square{20, 20}, eight{8, 8};

std::vector<std::int16_t> counted(const ov::Shape& shape) {
  std::vector<std::int16_t> elements(static_cast<std::size_t>(shape.count()));
  std::iota(elements.begin(), elements.end(), std::int16_t{0});
  return elements;
}

TEST_F(Blocks, ST10_SeveralInputsOfOneShapeGiveOneOutput) {
  const auto u = filled<float>("u", ".npy", square, {}, counted(square));
  const auto v = filled<double>("v", "zstd.zarr", square, eight, counted(square));
  std::atomic<std::int64_t> blocks = 0;
  ov::blocks(u, path_of("v", "zstd.zarr"), u)
      .halo({1, 0}, ov::boundary::periodic)
      .chunks(eight)
      .workers(3)
      .map([&blocks](const ov::HaloBlock<float, 2>& a, const ov::HaloBlock<double>& b, ov::HaloBlock<float> c, ov::OutBlock<double, 2>& out) {
        ++blocks;
        for (std::int64_t i = 0; i < out.shape()[0]; ++i)
          for (std::int64_t j = 0; j < out.shape()[1]; ++j) out(i, j) = a(i - 1, j) + 1000 * b(i + 1, j) + 1000000.0 * c.with_halo()(i + 1, j);
      })
      .into(scratch / "w.zarr");
  EXPECT_EQ(blocks, 9);
  const auto w = ov::open_array(scratch / "w.zarr");
  const auto found = w.read<double>(w.select({}));
  for (std::int64_t i = 0; i < 20; ++i)
    for (std::int64_t j = 0; j < 20; ++j) {
      const std::int64_t above = (i + 19) % 20 * 20 + j, below = (i + 1) % 20 * 20 + j;
      ASSERT_EQ(found[static_cast<std::size_t>(20 * i + j)], static_cast<double>(above + 1000 * below + 1000000 * (20 * i + j))) << i << ", " << j;
    }
}

TEST_F(Blocks, BL1_WhatTheFunctionLeavesIsZeroAndEachBlockIsGivenOnce) {
  const auto u = filled<float>("u", ".zarr", square, {4, 20}, counted(square));
  std::vector<std::atomic<int>> given(400);
  const auto w = filled<float>("w", ".zarr", square, {4, 20}, counted(square));
  ov::blocks(u)
      .chunks({3, 7})
      .workers(4)
      .map([&given](const ov::HaloBlock<float>& a, const ov::OutBlock<float>& out) {
        for_each_index(a.shape(), [&](const ov::Shape& index) { ++given[static_cast<std::size_t>(flatten(moved(index, a.box().lo), square))]; });
        out(0, 0) = 1;
      })
      .into(w);
  for (const auto& each : given) ASSERT_EQ(each, 1);
  const auto found = w.read<float>(w.select({}));
  for (std::int64_t i = 0; i < 20; ++i)
    for (std::int64_t j = 0; j < 20; ++j) ASSERT_EQ(found[static_cast<std::size_t>(20 * i + j)], i % 3 == 0 && j % 7 == 0 ? 1 : 0) << i << ", " << j;
}

// Of whatever kind, in blocks that are chunks and in blocks that are not.
TEST_F(Blocks, BL1_InPlaceWithoutAHaloAndNeverWithOne) {
  for (const auto* kind : {".npy", "zstd.zarr", ".octavo"}) {
    const auto u = filled<float>("u", kind, square, eight, counted(square));
    const auto twice = [](const ov::HaloBlock<float>& a, ov::OutBlock<float>& out) {
      for (std::int64_t i = 0; i < a.shape()[0]; ++i)
        for (std::int64_t j = 0; j < a.shape()[1]; ++j) out(i, j) = 2 * a(i, j);
    };
    const auto path = path_of("u", kind);
    ov::blocks(u).workers(4).map(twice).into(u);
    ov::blocks(path).chunks({5, 3}).workers(4).map(twice).into(u);
    const auto found = u.read<float>(u.select({}));
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], 4 * static_cast<float>(i)) << kind;
    EXPECT_THAT([&] { ov::blocks(path).halo(1).map(twice).into(u); }, ThrowsMessage<ov::usage_error>(HasSubstr("overwrite = true")));
    EXPECT_THAT([&] { ov::blocks(u).halo({0, 1}).map(twice).into(u); }, ThrowsMessage<ov::usage_error>(HasSubstr("halo into the array itself")));
    // What the cure says.
    ov::blocks(path)
        .halo(1)
        .workers(2)
        .map([](const ov::HaloBlock<float>& a, ov::OutBlock<float>& out) {
          for (std::int64_t i = 0; i < a.shape()[0]; ++i)
            for (std::int64_t j = 0; j < a.shape()[1]; ++j) out(i, j) = a(i - 1, j);
        })
        .into(path, {.overwrite = true});
    const auto again = ov::open_array(path);
    const auto shifted = again.read<float>(again.select({}));
    for (std::size_t i = 0; i < shifted.size(); ++i) ASSERT_EQ(shifted[i], 4 * static_cast<float>(i < 20 ? i : i - 20)) << kind;
    for (const auto& array : {u, again})
      for (const auto& each : array.devices()) destroy(each);
    ov::remove_storage(path);
  }
}

using Floats = const ov::HaloBlock<float>&;
const auto nothing = [](Floats, ov::OutBlock<float>&) {};

TEST_F(Blocks, BL2_WhatDoesNotFitIsRefusedBeforeAnythingIsReadOrMade) {
  const auto u = filled<float>("u", ".npy", square, {}, counted(square)), small = filled<float>("s", ".npy", {20, 19}, {}, counted({20, 19}));
  const auto z = made("z", ".zarr", square, eight, ov::dtype::complex64);
  const std::string w = scratch / "w.zarr";
  const auto expect = [&](const auto& work, const std::string& said) { EXPECT_THAT(work, ThrowsMessage<ov::usage_error>(HasSubstr(said))); };
  const auto of_two = [](Floats, Floats, ov::OutBlock<float>&) { FAIL(); };
  expect([&] { ov::blocks(u, small).map(of_two).into(w); }, "an array of 20 x 20 float32 of 20 x 20 and an array of 20 x 19 float32 of 20 x 19");
  expect([&] { ov::blocks(u).map(of_two).into(w); }, "blocks of 1 input for a function that takes 2");
  expect([&] { ov::blocks(z).map(nothing).into(w); }, "takes blocks of float32, and an array of 20 x 20 complex64 has elements of complex64");
  expect([&] { ov::blocks(u).map([](Floats, ov::OutBlock<std::complex<float>>&) {}).into(u); },
         "gives blocks of complex64, and they go into an array of 20 x 20 float32");
  expect([&] { ov::blocks(u).map(nothing).into(small); }, "into an array of 20 x 19");
  expect([&] { ov::blocks(u).map([](const ov::HaloBlock<float, 3>&, ov::OutBlock<float>&) {}).into(w); }, "blocks of 3 axes for an array of 2");
  expect([&] { ov::blocks(u).chunks({0, 4}).map(nothing).into(w); }, "chunks of 0 x 4");
  expect([&] { ov::blocks(u).chunks({4}).map(nothing).into(w); }, "chunks of 4 of");
  expect([&] { ov::blocks(u).halo({1}).map(nothing).into(w); }, "a halo of 1 around");
  expect([&] { ov::blocks(u).halo(-1).map(nothing).into(w); }, "a halo of -1 x -1 around");
  expect([&] { ov::blocks(u).halo(21, ov::boundary::reflect).map(nothing).into(w); }, "would lie beyond it again");
  expect([&] { ov::blocks(u).halo(1, 0.5).map([](const ov::HaloBlock<std::int32_t>&, ov::OutBlock<float>&) {}).into(w); }, "int32");
  expect([&] { (void)ov::blocks(u).workers(0); }, "0 workers");
  EXPECT_THAT([&] { ov::blocks(u).workers(2).memory(6 * 1600 - 1).chunks(square).map(nothing).into(w); },
              ThrowsMessage<ov::refused>(HasSubstr("need 9.38 KiB, as each of 2 workers has 4.69 KiB, and memory is 9.37 KiB")));
  EXPECT_THROW(ov::blocks(u).halo({std::int64_t{1} << 45, 0}).map(nothing).into(w), ov::refused);
  EXPECT_FALSE(fs::exists(w));
  const auto before = u.read<float>(u.select({}));
  expect([&] { ov::blocks(u).map(nothing).into(scratch / "u.npy"); }, "u.npy' exists");
  EXPECT_EQ(u.read<float>(u.select({})), before);
}

TEST_F(Blocks, BL2_AsManyWorkersAsTheMemoryHasRoomFor) {
  const auto u = filled<float>("u", ".npy", square, {}, counted(square));
  const std::string w = scratch / "w.npy";
  ov::blocks(u).chunks({1, 20}).memory(3 * 80).map(nothing).into(w);
  EXPECT_THROW(ov::blocks(u).chunks({1, 20}).memory(3 * 80 - 1).map(nothing).into(w, {.overwrite = true}), ov::refused);
}

TEST_F(Blocks, BL2_BlocksLargerThanThePoolGoThroughIt) {
  const ov::Shape large{3000, 1000};
  const auto u = made("u", ".zarr", large, {100, 1000}, ov::dtype::float64);
  u.write(u.select({}), std::vector<double>(3000000, 3));
  ov::blocks(u)
      .halo(1)
      .chunks(large)
      .workers(1)
      .memory(128 * ov::MiB)
      .map([](const ov::HaloBlock<double>& a, ov::OutBlock<double>& out) {
        for (const auto row : out.rows()) std::ranges::fill(row, a(-1, -1));
      })
      .into(scratch / "w.zarr");
  const auto w = ov::open_array(scratch / "w.zarr");
  EXPECT_EQ(w.read<double>(w.select({2999, 999})), std::vector<double>{3});
}

TEST_F(Blocks, BL1_InALoopAndAsTheSourceOfAStream) {
  const auto u = filled<float>("u", "zstd.zarr", square, eight, counted(square));
  const auto blocks = ov::blocks(path_of("u", "zstd.zarr")).halo(1, 0).chunks(eight).as<double>();
  for (int run = 0; run < 2; ++run) {
    std::vector<std::string> boxes;
    std::vector<ov::HaloBlock<double>> held;
    for (const auto& each : blocks) {
      boxes.push_back(each.box().text());
      held.push_back(each);
    }
    EXPECT_THAT(boxes, testing::ElementsAre("[0:8, 0:8]", "[0:8, 8:16]", "[0:8, 16:20]", "[8:16, 0:8]", "[8:16, 8:16]", "[8:16, 16:20]", "[16:20, 0:8]",
                                            "[16:20, 8:16]", "[16:20, 16:20]"));
    EXPECT_EQ(held[4](-1, 8), 7 * 20 + 16);
    EXPECT_EQ(held[8].with_halo()(5, 5), 0);
    EXPECT_EQ(held[8].bytes(), 36 * sizeof(double));
  }
  const auto sum_of = [](const ov::HaloBlock<double>& a) {
    double sum = 0;
    for (const auto row : a.rows()) sum = std::accumulate(row.begin(), row.end(), sum);
    return sum;
  };
  double sum = 0;
  ov::pipeline(blocks, ov::farm(sum_of).workers(3).unordered(), [&](double each) { sum += each; }).run();
  EXPECT_EQ(sum, 399 * 400 / 2);
  EXPECT_THAT([&] { (void)ov::blocks(u, u).as<float>().begin(); }, ThrowsMessage<ov::usage_error>(HasSubstr("a loop over the blocks of 2 arrays")));
  const auto of_three = ov::blocks(u).as<float, 3>();
  EXPECT_THAT([&] { (void)of_three.begin(); }, ThrowsMessage<ov::usage_error>(HasSubstr("blocks of 3 axes")));
}

struct Stopped {
  ov::Box at;
};

TEST_F(Blocks, BL3_WhatTheFunctionThrowsIsThrownAndNothingIsLeft) {
  const auto u = filled<float>("u", ".zarr", square, eight, counted(square));
  const auto fails = [](const ov::HaloBlock<float>& a, ov::OutBlock<float>& /*out*/) {
    if (a.box().lo == ov::Shape{8, 8}) throw Stopped{a.box()};
  };
  for (const auto* kind : {".zarr", ".npy", ".octavo"}) {
    const std::string path = path_of("w", kind);
    try {
      ov::blocks(u).chunks(eight).workers(3).map(fails).into(path);
      ADD_FAILURE() << "no error";
    } catch (const Stopped& stopped) {
      EXPECT_EQ(stopped.at.text(), "[8:16, 8:16]");
    }
    std::vector<std::string> left;
    for (const auto& each : fs::directory_iterator(scratch.path())) left.push_back(each.path().filename());
    EXPECT_THAT(left, testing::ElementsAre("u.zarr"));
    // The next run is as if nothing had been.
    ov::blocks(u).chunks(eight).workers(3).map(nothing).into(path);
    ov::remove_storage(path);
  }
}

TEST_F(Blocks, BL3_WhatADeviceThrowsIsThrownAndNothingIsLeft) {
  const auto u = filled<float>("u", "zstd.zarr", square, eight, counted(square));
  ov::test::put_file(path_of("u", "zstd.zarr") + "/c/1/2", "damaged");
  EXPECT_THAT([&] { ov::blocks(path_of("u", "zstd.zarr")).chunks(eight).workers(2).map(nothing).into(scratch / "w.npy"); },
              ThrowsMessage<ov::io_error>(HasSubstr("u.zarr/c/1/2' is damaged")));
  EXPECT_FALSE(fs::exists(scratch / "w.npy"));
}

TEST_F(Blocks, BL3_TheDeathOfADeviceIsToldAndNothingIsLeft) {
  const auto u = filled<float>("u", ".npy", square, {}, counted(square));
  const auto kills = [&](Floats, ov::OutBlock<float>&) { ov::kill(u.devices()[0]); };
  EXPECT_THROW(ov::blocks(u).chunks(eight).workers(2).map(kills).into(scratch / "w.npy"), ov::process_died);
  EXPECT_FALSE(fs::exists(scratch / "w.npy"));
}

}  // namespace
}  // namespace blocks_tests
