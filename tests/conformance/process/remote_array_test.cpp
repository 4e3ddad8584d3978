// SPDX-License-Identifier: Apache-2.0
// Remote arrays: used with [], atomic where it is one call, of whatever travels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numeric>
#include <thread>
#include <unordered_set>

#include "conformance/process/every_place.hpp"

namespace process_tests {

struct Sample {
  double value = 0;
  std::int64_t weight = 0;
  bool operator==(const Sample&) const = default;
};

// Adds to a remote array from a process of its own.
class Adder {
 public:
  void add(const octavo::remote_ptr<long[]>& to, std::size_t index, int times) {
    for (int i = 0; i < times; ++i) to[index] += 1;
  }
};
OCTAVO_REMOTE(Adder, add)

double norm(std::span<const double> data) { return std::sqrt(std::inner_product(data.begin(), data.end(), data.begin(), 0.0)); }
void scale(std::span<double> data, double by) noexcept {
  for (double& x : data) x *= by;
}

namespace {

using testing::ElementsAre;

class RemoteArray : public EveryPlace {};

TEST_P(RemoteArray, ThePapersDoubles) {
  ov::remote_ptr<double[]> data = here.make<double[]>(1024);
  data[7] = 3.1415;
  double x = data[2];
  EXPECT_EQ(x, 0.0) << "zeros at first";
  EXPECT_EQ(data[7], 3.1415);
  data[2] = data[7];
  EXPECT_TRUE(data[2] == data[7]);
  EXPECT_EQ(data.size(), 1024u);
  EXPECT_EQ(runtime.processes().back().class_name, "double[]");
}

TEST_P(RemoteArray, IsMadeOfASizeAValueOrElements) {
  auto filled = here.make<int[]>(3, 5);
  EXPECT_THAT(filled.items(), ElementsAre(5, 5, 5));
  std::vector<double> values{1, 2, 3};
  EXPECT_THAT(here.make<double[]>(values).items(), ElementsAre(1, 2, 3));
  EXPECT_THAT(here.make<double[]>(std::span<const double>(values).subspan(1)).items(), ElementsAre(2, 3));
  auto made = ov::start(here).make<float[]>(2u, 0.5f);
  EXPECT_THAT(made.get().items(), ElementsAre(0.5f, 0.5f));
  auto texts = here.make<std::string[]>(2, "empty");
  texts[1] = "full";
  texts[1] += "er";
  EXPECT_THAT(texts.items(), ElementsAre("empty", "fuller"));
  EXPECT_EQ(here.make<int[]>(0).size(), 0u);
}

TEST_P(RemoteArray, SlicesToAndFromSpans) {
  auto data = here.make<double[]>(100000);
  std::vector<double> mine(50000);
  std::iota(mine.begin(), mine.end(), 1.0);
  data.write(25000, mine);
  std::vector<double> back(50002, -1);
  data.read(24999, back);
  EXPECT_EQ(back.front(), 0);
  EXPECT_EQ(back.back(), 0);
  EXPECT_TRUE(std::equal(mine.begin(), mine.end(), back.begin() + 1));
  EXPECT_THAT(data.slice(25000, 3), ElementsAre(1, 2, 3));
  auto later = ov::start(data)->slice(74998, 2);
  ov::start(data)->write(74998, std::vector<double>{8, 9}).get();
  EXPECT_THAT(later.get(), ElementsAre(49999, 50000)) << "C-2";
  data.assign(4);
  EXPECT_EQ(data.items(), std::vector<double>(100000, 4.0));
}

TEST_P(RemoteArray, CarriesWhateverTravels) {
  auto flags = here.make<bool[]>(10000, false);
  flags[3] = true;
  bool some[3] = {true, true, true};
  flags.write(5, some);
  bool got[5];
  flags.read(3, got);
  EXPECT_THAT(got, ElementsAre(true, false, true, true, true));
  auto all = flags.items();
  EXPECT_EQ(std::count(all.begin(), all.end(), true), 4);

  std::vector<Sample> samples(1000, Sample{1.5, 2});
  auto remote = here.make<Sample[]>(samples);
  remote[999] = Sample{7, 8};
  samples[999] = {7, 8};
  EXPECT_EQ(remote.items(), samples);
  std::vector<Reading> readings(300, Reading{1, "kg"});
  auto table = here.make<Reading[]>(300);
  table.write(0, readings);
  std::vector<Reading> read(300);
  table.read(0, read);
  EXPECT_EQ(read, readings);
  auto waves = here.make<std::complex<double>[]>(1000);
  waves[1] *= {2, 0};
  waves[1] += {0, 1};
  EXPECT_EQ(waves[1].get(), std::complex<double>(0, 1));
}

TEST_P(RemoteArray, AddIsAtomicForThreadsAndProcesses) {
  auto data = here.make<long[]>(2);
  auto one = here.make<Adder>();
  auto other = here.make<Adder>();
  auto first = ov::start(one)->add(data, 1, 200);
  auto second = ov::start(other)->add(data, 1, 200);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        data[0] += 2;
        data.add(1, 1);
      }
    });
  for (auto& thread : threads) thread.join();
  first.get();
  second.get();
  EXPECT_THAT(data.items(), ElementsAre(800, 800));
  EXPECT_EQ(data.add(0, 5), 800) << "the value before";
  EXPECT_EQ(data.exchange(0, 1), 805);
  EXPECT_TRUE(data.replace_if_equal(0, 1, 6));
  EXPECT_FALSE(data.replace_if_equal(0, 1, 7));
  data[0] |= 9;
  data[0] &= 12;
  data[0] -= 2;
  EXPECT_EQ(data[0], 10);
}

TEST_P(RemoteArray, OfRemotePointers) {
  auto group = here.make<ov::remote_ptr<Counter>[]>(3);
  for (int i = 0; i < 3; ++i) group[static_cast<std::size_t>(i)] = here.make<Counter>(10 * i);
  EXPECT_EQ(group[2]->add(1), 21);
  EXPECT_EQ(ov::start(group[1])->add(5).get(), 15);
  EXPECT_EQ(ov::call<&Counter::value>(group[2].get()), 21);
  int sum = 0;
  for (const auto& member : group.items()) sum += member->value();  // the deep copy
  EXPECT_EQ(sum, 36);

  auto rows = here.make<ov::remote_ptr<double[]>[]>(2);
  rows[0] = here.make<double[]>(4, 1.0);
  rows[1] = here.make<double[]>(4, 2.0);
  rows[1][3] = 7;
  EXPECT_EQ(rows[1][3], 7);
  EXPECT_EQ(rows[1]->size(), 4u);
  EXPECT_THROW((void)rows[1][4].get(), std::out_of_range);
}

TEST_P(RemoteArray, RunsAFunctionOfItsElementsWhereTheyAre) {
  auto data = here.make<double[]>(std::vector<double>{3, 4});
  EXPECT_EQ(ov::call<&norm>(data), 5);
  ov::start<&scale>(data, 2).get();
  EXPECT_EQ(ov::call<&norm>(data), 10);
}

TEST_P(RemoteArray, IsARemotePointerAsOthersAre) {
  auto data = here.make<int[]>(2, 1);
  auto same = data;
  auto other = here.make<int[]>(2, 1);
  EXPECT_EQ(same, data);
  EXPECT_NE(other, data);
  EXPECT_EQ(std::unordered_set({data, same, other}).size(), 2u);
  EXPECT_FALSE(static_cast<bool>(ov::remote_ptr<int[]>()));
  {
    auto mine = ov::scoped(other);
    mine[1] = 6;
    EXPECT_EQ(mine->add(1, 1), 6);
    EXPECT_EQ(ov::start(mine)->get(1).get(), 7);
  }
  EXPECT_THROW((void)other.size(), ov::process_died);
  ov::destroy(data);
  EXPECT_THROW(data[0] = 1, ov::process_died);
  EXPECT_THROW((void)ov::remote_ptr<int[]>()[0].get(), ov::usage_error);
}

template <class Error>
std::string text_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

TEST_P(RemoteArray, ErrorsNameIndexAndSize) {
  auto data = here.make<double[]>(4);
  EXPECT_THAT(text_of<std::out_of_range>([&] { data[7] = 1; }), HasSubstr("index 7 of a remote array of 4 elements"));
  EXPECT_THAT(text_of<std::out_of_range>([&] { (void)data.slice(2, 3); }), HasSubstr("3 elements from index 2 of a remote array of 4 elements"));
  EXPECT_THAT(text_of<std::out_of_range>([&] { (void)data.slice(1, SIZE_MAX); }), HasSubstr("from index 1"));
  std::vector<double> five(5);
  EXPECT_THROW(data.read(0, five), std::out_of_range);
  EXPECT_THROW(data.write(0, five), std::out_of_range);
  EXPECT_THROW(data.write(5, std::span<const double>()), std::out_of_range);
  data.write(4, std::span<const double>());
  EXPECT_THAT(text_of<ov::usage_error>([&] { here.make<double[]>(-1); }), HasSubstr("a remote array of -1 elements"));
  EXPECT_THAT(text_of<ov::refused>([&] { here.make<double[]>(std::size_t{1} << 62); }), HasSubstr("no memory for a remote array of"));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // their operator new ends the process, it does not throw
  EXPECT_THAT(text_of<ov::refused>([&] { here.make<double[]>(std::size_t{1} << 55); }), HasSubstr("of 8 bytes"));
#endif
  data[0] = 1;
  EXPECT_EQ(data[0], 1) << "the process lives on";
}

INSTANTIATE_TEST_SUITE_P(, RemoteArray, every_place, name_of_place);

}  // namespace
}  // namespace process_tests
