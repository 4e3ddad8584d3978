// SPDX-License-Identifier: Apache-2.0
// Blocks of random arrays (ST-10, BL-1) in random formats, shapes and chunks, against a direct computation.
#include <algorithm>
#include <random>

#include "conformance/data/blocks/kit.hpp"

namespace blocks_tests {
namespace {

constexpr std::int64_t beyond = 7;  // of boundary::value

struct Case {
  ov::Shape shape, chunk, block, halo;
  ov::boundary how = ov::boundary::nearest;
  std::string input, output;  // endings; "array": one that is there, on two disks
  std::size_t workers = 1;

  [[nodiscard]] std::string text() const {
    constexpr const char* names[] = {"nearest", "reflect", "periodic", "value", "none"};
    return shape.text() + " in " + chunk.text() + ", blocks " + block.text() + ", halo " + halo.text() + " " + names[static_cast<int>(how)] + ", " + input +
           " to " + output + ", " + std::to_string(workers) + " workers";
  }
};

class Random {
 public:
  explicit Random(unsigned seed) : random_(seed) {}
  std::int64_t from_to(std::int64_t lo, std::int64_t hi) { return lo + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(hi - lo + 1)); }
  ov::Shape shape(int axes, std::int64_t lo, std::int64_t hi) {
    ov::Shape made;
    for (int axis = 0; axis < axes; ++axis) made.push_back(from_to(lo, hi));
    return made;
  }
  std::string one_of(std::initializer_list<const char*> all) { return all.begin()[from_to(0, std::ssize(all) - 1)]; }

 private:
  std::mt19937 random_;
};

// A compressor that this build has not is left out.
std::string as_built(const std::string& ending) {
  const auto codecs = ov::native_codecs();
  return ending == "zstd.zarr" && std::ranges::find(codecs, "zstd") == codecs.end() ? ".zarr" : ending;
}

Case random_case(Random& random) {
  const int axes = static_cast<int>(random.from_to(1, 3));
  Case made;
  made.shape = random.shape(axes, 2, axes == 3 ? 11 : 30);
  made.chunk = random.shape(axes, 1, 9);
  if (random.from_to(0, 2) > 0) made.block = random.shape(axes, 1, 12);
  made.halo = random.shape(axes, 0, 2);
  made.how = static_cast<ov::boundary>(random.from_to(0, 4));
  made.input = as_built(random.one_of({".npy", ".zarr", "zstd.zarr", ".octavo", "array"}));
  made.output = as_built(random.one_of({".npy", ".raw", ".zarr", "zstd.zarr", ".octavo", "array"}));
  made.workers = static_cast<std::size_t>(random.from_to(1, 4));
  return made;
}

// The element that stands at `index`: its number in C order, or -1 where there is none.
std::int64_t standing_at(ov::Shape index, const Case& of) {
  for (int axis = 0; axis < index.size(); ++axis) {
    const auto extent = of.shape[axis];
    while (index[axis] < 0 || index[axis] >= extent) {
      const bool low = index[axis] < 0;
      if (of.how == ov::boundary::value || of.how == ov::boundary::none) return -1;
      if (of.how == ov::boundary::periodic) index[axis] += low ? extent : -extent;
      if (of.how == ov::boundary::nearest) index[axis] += low ? 1 : -1;
      if (of.how == ov::boundary::reflect) index[axis] = low ? -index[axis] - 1 : 2 * extent - index[axis] - 1;
    }
  }
  return flatten(index, of.shape);
}

// The offsets of an element's halo, numbered from 0 on.
template <class Visit>
void for_each_offset(const ov::Shape& halo, Visit visit) {
  ov::Shape grid = halo;
  for (int axis = 0; axis < halo.size(); ++axis) grid[axis] = 2 * halo[axis] + 1;
  std::int64_t number = 0;
  for_each_index(grid, [&](ov::Shape offset) {
    for (int axis = 0; axis < halo.size(); ++axis) offset[axis] -= halo[axis];
    visit(number++, offset);
  });
}

// Each element and its halo, with another weight for each offset.
template <class T>
std::vector<T> weighed(const std::vector<std::int16_t>& elements, const Case& of) {
  std::vector<T> sums;
  for_each_index(of.shape, [&](const ov::Shape& index) {
    std::int64_t sum = 0;
    for_each_offset(of.halo, [&](std::int64_t number, const ov::Shape& offset) {
      const auto at = standing_at(moved(index, offset), of);
      if (at >= 0) sum += (number + 1) * elements[static_cast<std::size_t>(at)];
      else if (of.how == ov::boundary::value) sum += (number + 1) * beyond;
    });
    sums.push_back(static_cast<T>(sum));
  });
  return sums;
}

template <class In, class Out>
auto weighing(const ov::Shape& halo) {
  return [halo](const ov::HaloBlock<In>& a, ov::OutBlock<Out>& out) {
    std::int64_t place = 0;
    for_each_index(out.shape(), [&](const ov::Shape& index) {
      Out sum = 0;
      for_each_offset(halo, [&](std::int64_t number, const ov::Shape& offset) {
        const ov::Shape at = moved(index, offset);
        const ov::Box one{at, moved(at, ov::Shape::filled(at.size(), 1))};
        if (!a.indices().contains(one)) return;
        std::int64_t from = 0;
        for (int axis = 0; axis < at.size(); ++axis) from += at[axis] * a.strides()[axis];
        sum += static_cast<Out>(number + 1) * static_cast<Out>(a.data()[from]);
      });
      out.data()[place++] = sum;
    });
  };
}

class RandomBlocks : public WithArrays, public testing::WithParamInterface<unsigned> {
 protected:
  template <class Stored, class In, class Out>
  void expect_as_computed(const Case& of, Random& random) {
    std::vector<std::int16_t> elements(static_cast<std::size_t>(of.shape.count()));
    for (auto& each : elements) each = static_cast<std::int16_t>(random.from_to(0, 9));
    const ov::Array u = filled<Stored>("u", of.input, of.shape, of.chunk, elements);
    auto blocks = of.input == "array" ? ov::blocks(u) : ov::blocks(path_of("u", of.input));
    blocks = of.how == ov::boundary::value ? blocks.halo(of.halo, beyond) : blocks.halo(of.halo, of.how);
    const auto mapped = (of.block.size() > 0 ? blocks.chunks(of.block) : blocks).workers(of.workers).map(weighing<In, Out>(of.halo));
    const auto expected = weighed<Out>(elements, of);
    if (of.output == "array") {
      const ov::Array w = made("w", of.output, of.shape, random.shape(of.shape.size(), 1, 9), ov::dtype_of<Out>());
      mapped.into(w);
      EXPECT_EQ(w.read<Out>(w.select({})), expected);
      return;
    }
    ov::NewArrayOptions options;
    if (of.output == "zstd.zarr") options.stored.compressor = "zstd";
    if (random.from_to(0, 1) == 1) options.chunk = random.shape(of.shape.size(), 1, 9);
    const auto path = path_of("w", of.output);
    mapped.into(path, options);
    ov::OpenOptions opened;
    if (of.output == ".raw") opened.raw = ov::RawLayout{of.shape, ov::dtype_of<Out>()};
    const ov::Array w = ov::open_array(path, opened);
    EXPECT_EQ(w.read<Out>(w.select({})), expected);
  }
};

TEST_P(RandomBlocks, ST10_BL1_AreAsADirectComputationWhateverTheShapesAndFormats) {
  Random random(GetParam());
  const Case of = random_case(random);
  SCOPED_TRACE(of.text());
  switch (GetParam() % 4) {
    case 0: return expect_as_computed<float, float, float>(of, random);
    case 1: return expect_as_computed<std::int16_t, double, float>(of, random);
    case 2: return expect_as_computed<double, float, double>(of, random);
    default: return expect_as_computed<std::int16_t, std::int16_t, std::int64_t>(of, random);
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomBlocks, testing::Range(0u, 24u));

}  // namespace
}  // namespace blocks_tests
