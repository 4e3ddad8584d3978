// SPDX-License-Identifier: Apache-2.0
// Boxes that fill the pool, so that the pages that bring them to it, or take them away, find no room: the calls go on all the same, alone and together.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <numeric>

#include "kit/watchdog.hpp"
#include "octavo/data/array.hpp"
#include "octavo/process.hpp"

namespace octavo {

// Reads a box, keeps it, and writes what it read to another array.
class BoxClient {
 public:
  explicit BoxClient(const Array& from, const Array& to) : from_(from), to_(to) {}
  void read(const Box& box) {
    box_ = box;
    block_ = from_.read(box);
  }
  bool is_right() const {
    auto values = block_.values<double>();
    std::int64_t i = 0;
    bool right = true;
    for (std::int64_t row = box_.lo[0]; row < box_.hi[0]; ++row)
      for (std::int64_t column = box_.lo[1]; column < box_.hi[1]; ++column)
        right = right && values[static_cast<std::size_t>(i++)] == static_cast<double>(row * from_.shape()[1] + column);
    return right && i == static_cast<std::int64_t>(values.size());
  }
  void write() { to_.write(box_, block_); }

 private:
  Array from_, to_;
  Box box_;
  ArrayPage block_;
};
OCTAVO_REMOTE(BoxClient, read, is_right, write)

namespace {

namespace fs = std::filesystem;
constexpr std::int64_t rows = 1024, columns = 1024;  // 8 MiB of float64: the whole pool

class FullPoolAlone : public testing::Test {
 protected:
  kit::Watchdog watchdog{60};
  Runtime runtime{RuntimeOptions{.memory = 8 * MiB}};
  fs::path folder = fs::temp_directory_path() / ("octavo-full-pool-" + std::to_string(::getpid()));
  Array from = make("from"), to = make("to");
  FullPoolAlone() {
    std::vector<double> values(static_cast<std::size_t>(rows * columns));
    std::iota(values.begin(), values.end(), 0);
    from.write_from(Selection::of(Box::whole(from.shape())), reinterpret_cast<const std::byte*>(values.data()), {columns * 8, 8}, dtype::float64, MiB);
  }
  ~FullPoolAlone() override { fs::remove_all(folder); }
  [[nodiscard]] Array make(const std::string& name) const {
    fs::create_directories(folder);
    const Shape shape{rows, columns}, page{100, 400};
    auto device =
        runtime.machine().make<PageFile>((folder / name).string(), grid_of(shape, page).count(), page, dtype::float64, DeviceOptions{.staging_bytes = MiB});
    return Array(shape, page, dtype::float64, {device});
  }
};

class FullPool : public FullPoolAlone, public testing::WithParamInterface<int> {};

// All read at once and keep what they have, then all write: nobody gives anything back before.
TEST_P(FullPool, ClientsThatFillItTogetherAllGoOn) {
  const int clients = GetParam();
  std::vector<remote_ptr<BoxClient>> all;
  for (int i = 0; i < clients; ++i) all.push_back(process.make<BoxClient>(from, to));
  std::vector<future<void>> done;
  for (int i = 0; i < clients; ++i) done.push_back(start(all[i])->read(Box{{rows / clients * i, 0}, {rows / clients * (i + 1), columns}}));
  for (auto& each : done) each.get();
  for (const auto& each : all) EXPECT_TRUE(each->is_right());
  done.clear();
  for (const auto& each : all) done.push_back(start(each)->write());
  for (auto& each : done) each.get();
  for (const auto& each : all) destroy(each);
  std::vector<double> values(static_cast<std::size_t>(rows * columns));
  to.read_into(Selection::of(Box::whole(to.shape())), reinterpret_cast<std::byte*>(values.data()), {columns * 8, 8}, dtype::float64, MiB);
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], static_cast<double>(i));
}
INSTANTIATE_TEST_SUITE_P(Clients, FullPool, testing::Values(1, 2, 4));

// The caller's block is the whole pool, and in it.
TEST_F(FullPoolAlone, ABlockThatIsTheWholePoolIsWritten) {
  ArrayPage block(dtype::float64, {rows, columns});
  auto values = block.values<double>();
  std::iota(values.begin(), values.end(), 7);
  to.write(Box::whole(to.shape()), block);
  block = {};
  ArrayPage back = to.read(Box::whole(to.shape()), {1, 0});
  const auto turned = std::as_const(back).values<double>();
  for (std::int64_t i = 0; i < rows; i += 17)
    for (std::int64_t j = 0; j < columns; ++j) ASSERT_EQ(turned[static_cast<std::size_t>(j * rows + i)], static_cast<double>(i * columns + j + 7));
}

}  // namespace
}  // namespace octavo
