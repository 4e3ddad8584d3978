// SPDX-License-Identifier: Apache-2.0
// Random parts of random stored blocks, through every kind of queue and file system, compared element by element and byte by byte.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <random>

#include "data/io/convert.hpp"
#include "element.hpp"
#include "octavo/base/fd.hpp"
#include "scratch.hpp"

namespace octavo {
namespace {

using test::Scratch;

struct Setting {
  const char* name;
  bool threads, direct;
  std::int64_t buffer_bytes;
  const char* parent;  // null: the temporary directory
};

void PrintTo(const Setting& setting, std::ostream* out) { *out << setting.name; }

DiskOptions options_of(const Setting& setting) {
  DiskOptions options{.depth = 3, .buffer_bytes = setting.buffer_bytes, .direct = setting.direct};
  if (setting.threads) options.make_queue = [](int) { return make_thread_queue(3); };
  return options;
}

class Case {
 public:
  explicit Case(std::mt19937_64& random) : random_(random) {
    int dims = static_cast<int>(pick(1, 4));
    static constexpr std::int64_t most[] = {0, 40009, 211, 37, 13};
    block_.type = static_cast<dtype>(pick(0, dtype_count - 1));
    block_.order = pick(0, 1) ? byte_order::big : byte_order::little;
    block_.offset = pick(0, 2) == 0 ? 0 : pick(0, 9000);
    do memory_type_ = static_cast<dtype>(pick(0, dtype_count - 1));
    while (!test::convertible(block_.type, memory_type_));
    for (int axis = 0; axis < dims; ++axis) {
      std::int64_t extent = pick(1, most[dims]), lo = pick(0, extent - 1), hi = pick(lo + 1, extent);
      if (pick(0, 2) == 0) lo = 0, hi = extent;  // whole axes join to long runs
      block_.shape.push_back(extent);
      part_.lo.push_back(lo);
      part_.hi.push_back(hi);
      std::int64_t before = pick(0, 1) * pick(0, 3);
      at_.push_back(before);
      tile_.push_back(before + hi - lo + pick(0, 1) * pick(0, 3));
    }
  }

  std::int64_t pick(std::int64_t lo, std::int64_t hi) { return std::uniform_int_distribution<std::int64_t>(lo, hi)(random_); }

  [[nodiscard]] std::string random_bytes(std::int64_t count) {
    std::string result(static_cast<std::size_t>(count), '\0');
    for (auto& c : result) c = static_cast<char>(random_());
    return result;
  }

  // Calls visit(byte in the file, byte in the tile, number) for each element of the part.
  template <class Visit>
  void each(dtype memory_type, Visit&& visit) const {
    Shape extents = part_.extents();
    for_each_index(extents, [&](const Shape& index) {
      Shape in_block, in_tile;
      for (int axis = 0; axis < extents.size(); ++axis) {
        in_block.push_back(part_.lo[axis] + index[axis]);
        in_tile.push_back(at_[axis] + index[axis]);
      }
      visit(static_cast<std::size_t>(block_.offset + flatten(in_block, block_.shape) * size_of(block_.type)),
            static_cast<std::size_t>(flatten(in_tile, tile_) * size_of(memory_type)), flatten(index, extents));
    });
  }

  void check_read(Disk& disk, const std::string& path) {
    block_.file = path;
    std::string file = random_bytes(block_.offset + block_.bytes() + pick(0, 1) * pick(0, 5000));
    auto* bytes = reinterpret_cast<std::byte*>(file.data());
    each(memory_type_,
         [&](std::size_t at, std::size_t, std::int64_t i) { test::put_element(bytes + at, block_.type, block_.order, test::sample(i, block_.type)); });
    test::put_file(path, file);
    std::vector<std::byte> tile(static_cast<std::size_t>(tile_.count() * size_of(memory_type_)), std::byte{0x5a}), expected = tile;
    each(memory_type_,
         [&](std::size_t, std::size_t at, std::int64_t i) { test::put_element(&expected[at], memory_type_, native_order, test::sample(i, block_.type)); });
    test::read_now(disk, block_, part_, memory_type_, {tile.data(), tile_, at_});
    ASSERT_TRUE(tile == expected) << text();
  }

  void check_write(Disk& disk, const std::string& path) {
    block_.file = path;
    dtype from = memory_type_, to = block_.type;
    if (!test::convertible(from, to)) from = to;
    std::int64_t length = block_.offset + block_.bytes() + pick(0, 1) * pick(0, 5000);
    bool fresh = pick(0, 1);
    std::string expected = fresh ? std::string(static_cast<std::size_t>(length), '\0') : random_bytes(length);
    if (!fresh) test::put_file(path, expected);
    block_.file_bytes = length;
    std::vector<std::byte> tile(static_cast<std::size_t>(tile_.count() * size_of(from)), std::byte{0x5a});
    each(from, [&](std::size_t at_file, std::size_t at_tile, std::int64_t i) {
      auto value = test::sample(i, from);
      test::put_element(&tile[at_tile], from, native_order, value);
      test::put_element(reinterpret_cast<std::byte*>(expected.data()) + at_file, to, block_.order, value);
    });
    test::write_now(disk, block_, part_, from, {tile.data(), tile_, at_});
    ASSERT_TRUE(test::get_file(path) == expected) << text();
  }

 private:
  [[nodiscard]] std::string text() const {
    return "block " + block_.shape.text() + " " + std::string(name_of(block_.type)) + " at " + std::to_string(block_.offset) + ", part " + part_.text() +
           ", tile " + tile_.text() + " " + std::string(name_of(memory_type_)) + " at " + at_.text();
  }

  std::mt19937_64& random_;
  StoredBlock block_;
  Box part_;
  Shape tile_, at_;
  dtype memory_type_ = dtype::float64;
};

class DiskOracle : public testing::TestWithParam<Setting> {};

TEST_P(DiskOracle, RandomParts) {
  Scratch scratch(GetParam().parent ? std::filesystem::path(GetParam().parent) : std::filesystem::temp_directory_path());
  Disk disk(options_of(GetParam()));
  std::mt19937_64 random(20261121);
  for (int i = 0; i < 300 && !HasFatalFailure(); ++i) {
    SCOPED_TRACE("case " + std::to_string(i));
    Case(random).check_read(disk, scratch / ("r" + std::to_string(i % 40)));
    if (HasFatalFailure()) return;
    std::filesystem::remove(scratch / ("w" + std::to_string(i % 40)));
    Case(random).check_write(disk, scratch / ("w" + std::to_string(i % 40)));
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, DiskOracle,
                         testing::Values(Setting{"UringDirect", false, true, 64 * KiB, nullptr},
                                         Setting{"UringDirectTinyBuffers", false, true, 8 * KiB, nullptr},
                                         Setting{"UringBuffered", false, false, 12 * KiB, nullptr}, Setting{"UringLargeBuffers", false, true, 2 * MiB, nullptr},
                                         Setting{"ThreadsDirect", true, true, 64 * KiB, nullptr}, Setting{"ThreadsBuffered", true, false, 8 * KiB, nullptr},
                                         Setting{"UringTmpfs", false, true, 64 * KiB, "/dev/shm"}),
                         [](const auto& kind) { return std::string(kind.param.name); });

TEST(DiskRefusedDirect, GoesThroughThePageCache) {
  test::Mounted ramfs("ramfs", "");
  if (!ramfs.mounted()) GTEST_SKIP() << "a ramfs cannot be mounted here: " << ramfs.why();
  Fd probe(::open((ramfs / "probe").c_str(), O_RDWR | O_CREAT | O_DIRECT, 0600));
  if (probe) GTEST_SKIP() << "the ramfs of this kernel accepts O_DIRECT";
  Disk disk(options_of({"", false, true, 16 * KiB, nullptr}));
  std::mt19937_64 random(7);
  for (int i = 0; i < 40 && !HasFatalFailure(); ++i) {
    Case(random).check_read(disk, ramfs / ("r" + std::to_string(i)));
    if (!HasFatalFailure()) Case(random).check_write(disk, ramfs / ("w" + std::to_string(i)));
  }
}

}  // namespace
}  // namespace octavo
