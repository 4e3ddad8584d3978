// SPDX-License-Identifier: Apache-2.0
// Array over 1, 2 and 3 devices, with both maps, against the same array in memory.
#include "octavo/data/array.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <numeric>
#include <random>

#include "data/permute.hpp"
#include "kit/watchdog.hpp"
#include "octavo/base/error.hpp"

namespace octavo {
namespace {

namespace fs = std::filesystem;

class Arrays : public testing::TestWithParam<std::tuple<int, map_kind>> {
 protected:
  kit::Watchdog watchdog{100};
  Runtime runtime{RuntimeOptions{.memory = 8 * MiB}};
  fs::path folder = fs::temp_directory_path() / ("octavo-arrays-" + std::to_string(::getpid()));
  std::mt19937 random{7};
  int made = 0;
  Arrays() { fs::create_directories(folder); }
  ~Arrays() override { fs::remove_all(folder); }

  Array make(const Shape& shape, const Shape& page, dtype type) {
    auto [count, kind] = GetParam();
    PageMap map(kind, grid_of(shape, page), count, kind == map_kind::circulant ? 1 : 2);
    std::vector<remote_ptr<PageDevice>> devices;
    for (int i = 0; i < count; ++i)
      devices.emplace_back(runtime.machine().make<PageFile>((folder / std::to_string(made++)).string(), map.pages_per_device(), page, type,
                                                            DeviceOptions{.staging_bytes = MiB}));
    return Array(shape, page, type, devices, map);
  }
  std::int64_t upto(std::int64_t most) { return static_cast<std::int64_t>(random()) % (most + 1); }
  Box random_box(const Shape& shape) {
    Box box;
    for (int i = 0; i < shape.size(); ++i) {
      box.lo.push_back(upto(shape[i] - 1));
      box.hi.push_back(box.lo[i] + 1 + upto(shape[i] - 1 - box.lo[i]));
    }
    return box;
  }
  Shape random_order(int dims) {
    std::vector<std::int64_t> axes(static_cast<std::size_t>(dims));
    std::iota(axes.begin(), axes.end(), 0);
    std::shuffle(axes.begin(), axes.end(), random);
    return Shape(axes);
  }
  Selection random_selection(const Shape& shape) {
    Selection selection;
    for (int i = 0; i < shape.size(); ++i) {
      selection.lo.push_back(upto(shape[i] - 1));
      selection.step.push_back(1 + (upto(2) == 0 ? upto(shape[i]) : upto(2)));
      selection.count.push_back(1 + upto((shape[i] - 1 - selection.lo[i]) / selection.step[i]));
    }
    return selection;
  }
};

// The same array as doubles in memory, changed the same way.
struct Model {
  Shape shape;
  std::vector<double> values;
  explicit Model(const Shape& extents) : shape(extents), values(static_cast<std::size_t>(extents.count())) {}
  double& at(const Shape& index) { return values[static_cast<std::size_t>(flatten(index, shape))]; }
};

Shape element_of(const Selection& selection, const Shape& index) {
  Shape at = index;
  for (int i = 0; i < at.size(); ++i) at[i] = selection.lo[i] + index[i] * selection.step[i];
  return at;
}

// The caller's memory: axes in some order, some of them backwards.
template <class T>
struct Memory {
  std::vector<T> values;
  Shape strides;
  std::int64_t first = 0;

  Memory(const Shape& count, const Shape& order, unsigned backwards) : values(static_cast<std::size_t>(count.count())), strides(count) {
    Shape dense = dense_byte_strides(permuted(count, order), sizeof(T));
    for (int i = 0; i < count.size(); ++i) {
      auto axis = static_cast<int>(order[i]);
      strides[axis] = dense[i];
      if ((backwards >> axis & 1U) == 0) continue;
      first += (count[axis] - 1) * dense[i];
      strides[axis] = -dense[i];
    }
  }
  std::byte* start() { return reinterpret_cast<std::byte*>(values.data()) + first; }
  T& at(const Shape& index) {
    std::int64_t offset = first;
    for (int i = 0; i < index.size(); ++i) offset += index[i] * strides[i];
    return values[static_cast<std::size_t>(offset) / sizeof(T)];
  }
};

TEST_P(Arrays, BoxesInAnyOrderOfAxes) {
  Shape shape{13, 14, 9}, page{4, 5, 6};
  Array a = make(shape, page, dtype::int32);
  Model model(shape);
  for (int round = 0; round < 60; ++round) {
    Box box = random_box(shape);
    Shape order = upto(3) == 0 ? Shape() : random_order(3);
    ArrayPage block(dtype::int32, permuted(box.extents(), order));
    Shape back = order.size() == 0 ? Shape{0, 1, 2} : order;
    std::int64_t i = 0;
    for_each_index(block.shape(), [&](const Shape& index) {
      auto value = static_cast<std::int32_t>(random() % 100000);
      block.values<std::int32_t>()[static_cast<std::size_t>(i++)] = value;
      model.at(box.shifted(permuted(index, inverse(back)), 1).lo) = value;
    });
    a.write(box, block, order);
    box = random_box(shape);
    order = random_order(3);
    const ArrayPage read = a.read(box, order);
    ASSERT_EQ(read.shape(), permuted(box.extents(), order));
    i = 0;
    for_each_index(read.shape(), [&](const Shape& index) {
      ASSERT_EQ(read.values<std::int32_t>()[static_cast<std::size_t>(i++)], model.at(box.shifted(permuted(index, inverse(order))).lo)) << box.text();
    });
  }
  EXPECT_THROW((void)a.read(Box::whole(shape), {0, 1}), usage_error);
  EXPECT_THROW(a.write({{0, 0, 0}, {1, 2, 3}}, ArrayPage(dtype::int32, {1, 2, 3}), {2, 1, 0}), usage_error) << "the block has the shape of the order";
}

template <class T>
void write_and_read(const Array& a, Model& model, const Selection& write, const Selection& read, const Shape& order, unsigned backwards, std::int64_t window,
                    std::mt19937& random) {
  Memory<T> from(write.count, order, backwards);
  for_each_index(write.count, [&](const Shape& index) {
    auto value = static_cast<int>(random() % 100);
    from.at(index) = static_cast<T>(value);
    model.at(element_of(write, index)) = value;
  });
  a.write_from(write, from.start(), from.strides, dtype_of<T>(), window);
  Memory<std::complex<double>> to(read.count, order, backwards);
  a.read_into(read, to.start(), to.strides, dtype::complex128, window);
  for_each_index(read.count, [&](const Shape& index) {
    ASSERT_EQ(to.at(index), std::complex<double>(model.at(element_of(read, index)))) << read.text() << " after " << write.text() << ", window " << window;
  });
}

TEST_P(Arrays, SelectionsToAndFromAnyMemory) {
  Shape shape{17, 11, 13}, page{5, 4, 6};
  for (dtype stored : {dtype::float32, dtype::complex64, dtype::float64}) {
    Array a = make(shape, page, stored);
    Model model(shape);
    for (int round = 0; round < 25; ++round) {
      Selection write = random_selection(shape), read = random_selection(shape);
      Shape order = random_order(3);
      auto backwards = static_cast<unsigned>(upto(7));
      std::int64_t window = upto(2) == 0 ? 1 + upto(2000) : MiB;
      switch (upto(3)) {
        case 0: write_and_read<std::int16_t>(a, model, write, read, order, backwards, window, random); break;
        case 1: write_and_read<float>(a, model, write, read, order, backwards, window, random); break;
        case 2: write_and_read<std::uint64_t>(a, model, write, read, order, backwards, window, random); break;
        default: write_and_read<double>(a, model, write, read, order, backwards, window, random); break;
      }
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(Arrays, OneAxisAndFiveAxes) {
  for (const auto& [shape, page] : {std::pair{Shape{1000}, Shape{37}}, {Shape{3, 5, 2, 4, 3}, Shape{2, 2, 2, 3, 2}}}) {
    Array a = make(shape, page, dtype::float64);
    Model model(shape);
    for (int round = 0; round < 20; ++round) {
      write_and_read<double>(a, model, random_selection(shape), random_selection(shape), random_order(shape.size()), static_cast<unsigned>(upto(31)),
                             1 + upto(500), random);
      if (HasFatalFailure()) return;
    }
  }
}

// The array is 4 times the pool, its pages half of it.
TEST_P(Arrays, LargerThanTheMemoryInOneGo) {
  Shape shape{8, 1024, 512}, page{1, 1024, 512};
  Array a = make(shape, page, dtype::float64);
  std::vector<double> values(static_cast<std::size_t>(shape.count())), back(values.size(), -1);
  std::iota(values.begin(), values.end(), 0);
  Shape strides = dense_byte_strides(shape, 8);
  auto bytes = [](auto& list) { return reinterpret_cast<std::byte*>(list.data()); };
  for (std::int64_t window : {32 * KiB, 5 * MiB, 100 * MiB}) {  // less than a page, one page, more than the pool
    a.write_from(Selection::of(Box::whole(shape)), bytes(values), strides, dtype::float64, window);
    a.read_into(Selection::of(Box::whole(shape)), bytes(back), strides, dtype::float64, window);
    EXPECT_TRUE(values == back) << window;
    std::reverse(values.begin(), values.end());
  }
}

TEST_P(Arrays, OnlyTheHullsWithWhatIsLeftOfThePool) {
  Shape shape{64, 64, 64}, page{16, 16, 16};
  Array a = make(shape, page, dtype::float64);
  std::vector<double> to(static_cast<std::size_t>(shape.count()));
  auto* memory = reinterpret_cast<std::byte*>(to.data());
  Selection steps{{0, 0, 0}, {22, 22, 22}, {3, 3, 3}};
  // There is room for 4 pages, and the window is larger: the devices' requests wait for room that only we can make.
  std::int64_t window = MiB;
  ArrayPage rest(dtype::uint8, {job_pool().free_bytes() - 128 * KiB});
  a.read_into(Selection::of(Box::whole(shape)), memory, dense_byte_strides(shape, 8), dtype::float64, window);
  a.write_from(Selection::of(Box::whole(shape)), memory, dense_byte_strides(shape, 8), dtype::float64, window);
  a.write_from(steps, memory, dense_byte_strides(steps.count, 8), dtype::float64, window);
  auto before = a.devices()[0]->counters().bytes_read;
  a.read_into({{0, 0, 0}, {1, 4, 4}, {1, 16, 16}}, memory, {512, 64, 8}, dtype::float64, window);
  EXPECT_LT(a.devices()[0]->counters().bytes_read - before, 16 * 16 * KiB) << "one element of each page, not the page";
}

TEST_P(Arrays, WhatIsNotInItIsAnErrorBeforeAnythingIsMoved) {
  Shape shape{8, 8}, page{3, 3};
  Array a = make(shape, page, dtype::float32);
  std::vector<std::complex<double>> memory(64, 5);
  auto* at = reinterpret_cast<std::byte*>(memory.data());
  for (const Selection& wrong :
       {Selection{{0, 0}, {9, 1}, {1, 1}}, Selection{{0, 0}, {5, 1}, {2, 1}}, Selection{{-1, 0}, {1, 1}, {1, 1}}, Selection{{0, 0}, {1, 1}, {1, 0}},
        Selection{{0}, {1}, {1}}, Selection{{8, 0}, {1, 1}, {1, 1}}, Selection{{1, 0}, {3, 1}, {INT64_MAX / 2, 1}}})
    EXPECT_THROW(a.read_into(wrong, at, {128, 16}, dtype::complex128, MiB), usage_error);
  auto whole = Selection::of(Box::whole(shape));
  EXPECT_THROW(a.read_into(whole, at, {16}, dtype::complex128, MiB), usage_error);
  EXPECT_THROW(a.read_into(whole, at, {128, 16}, dtype::complex128, 0), usage_error);
  EXPECT_THROW(a.write_from(whole, at, {128, 16}, dtype::complex128, MiB), not_supported);
  EXPECT_THROW(a.read_into(whole, at, {128, 16}, dtype::int32, MiB), not_supported);
  a.read_into({{8, 0}, {0, 8}, {1, 1}}, at, {128, 16}, dtype::complex128, MiB);
  EXPECT_EQ(memory[0], 5.0) << "no elements, nothing read";
  a.read_into(whole, at, {128, 16}, dtype::complex128, MiB);
  EXPECT_EQ(memory, std::vector<std::complex<double>>(64, 0)) << "nothing was written";
}

INSTANTIATE_TEST_SUITE_P(Devices, Arrays, testing::Combine(testing::Values(1, 2, 3), testing::Values(map_kind::circulant, map_kind::block_cyclic)),
                         [](const auto& which) {
                           return std::string(std::get<1>(which.param) == map_kind::circulant ? "Circulant" : "BlockCyclic") +
                                  std::to_string(std::get<0>(which.param));
                         });

}  // namespace
}  // namespace octavo
