// SPDX-License-Identifier: Apache-2.0
#include "buffered/elements.hpp"

#include <numeric>
#include <octavo/octavo.hpp>
#include <vector>

#include "kit/clock.hpp"

namespace bench {

namespace {

constexpr std::int64_t looks = 4'000'000;

// The result is seen by somebody, so that the loop is run.
void see(std::int64_t result) { asm volatile("" : : "r"(result) : "memory"); }

template <class Sum>
double timed(double elements, const Sum& sum) {
  const auto begin = Clock::now();
  see(sum());
  return seconds_since(begin) / elements;
}

class Random {
 public:
  explicit Random(int bits) : mask_((std::uint32_t{1} << bits) - 1) {}
  std::int64_t next() {
    state_ = state_ * 1664525U + 1013904223U;
    return (state_ >> 5U) & mask_;
  }

 private:
  std::uint32_t mask_, state_ = 1;
};

template <class Look>
std::int64_t sum_at_random(int bits, const Look& look) {
  Random random(bits);
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < looks; ++i) sum += look(random.next());
  return sum;
}

__attribute__((noinline, optimize("no-tree-vectorize"))) std::int64_t plain_sum(const std::int32_t* from, std::int64_t count) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += from[i];
  return sum;
}

__attribute__((noinline, optimize("no-tree-vectorize"))) void plain_fill(std::int32_t* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<std::int32_t>(i * 3);
}

__attribute__((noinline, optimize("tree-vectorize", "O3"))) std::int64_t vectorised_sum(const std::int32_t* from, std::int64_t count) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += from[i];
  return sum;
}

}  // namespace

struct Elements::Arrays {
  explicit Arrays(std::int64_t threads)
      : buffered(octavo::BufferedArray<std::int32_t, 1>::scratch({count}, {.memory = threads * 256 * octavo::MiB, .threads = threads})) {}
  octavo::BufferedArray<std::int32_t, 1> buffered;
  std::vector<std::int32_t> plain = std::vector<std::int32_t>(count, 1);
};

Elements::Elements(std::int64_t threads) : arrays_(std::make_unique<Arrays>(threads)) {
  for (std::int64_t i = 0; i < count; ++i) arrays_->buffered[i] = 1;
  see(arrays_->buffered.counters().evicted);
}
Elements::~Elements() { arrays_->buffered.invalidate(octavo::discard::yes); }

double Elements::read() const {
  return timed(count, [&, &u = std::as_const(arrays_->buffered)] {
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < count; ++i) sum += u[i];
    return sum;
  });
}

double Elements::write() {
  return timed(count, [&u = arrays_->buffered] {
    for (std::int64_t i = 0; i < count; ++i) u[i] = static_cast<std::int32_t>(i * 3);
    return count;
  });
}

double Elements::read_by_blocks() const {
  return timed(count, [&u = std::as_const(arrays_->buffered)] {
    std::int64_t sum = 0;
    u.for_each_block([&](const octavo::Block<const std::int32_t, 1>& block) {
      for (const auto row : block.rows()) sum += vectorised_sum(row.data(), static_cast<std::int64_t>(row.size()));
    });
    return sum;
  });
}

double Elements::read_by_a_share() const {
  const auto u = std::as_const(arrays_->buffered).share();
  return timed(count, [&] {
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < count; ++i) sum += u[i];
    return sum;
  });
}

double Elements::write_by_a_share() {
  const auto u = arrays_->buffered.share();
  return timed(count, [&] {
    for (std::int64_t i = 0; i < count; ++i) u[i] = static_cast<std::int32_t>(i * 3);
    return count;
  });
}

double Elements::read_at_random(int bits) const {
  return timed(looks, [&, &u = std::as_const(arrays_->buffered)] { return sum_at_random(bits, [&](std::int64_t i) { return u[i]; }); });
}

double Elements::plain_read() const {
  return timed(count, [&] { return plain_sum(arrays_->plain.data(), count); });
}

double Elements::plain_write() {
  return timed(count, [&] {
    plain_fill(arrays_->plain.data(), count);
    return count;
  });
}

double Elements::vectorised_read() const {
  return timed(count, [&] { return vectorised_sum(arrays_->plain.data(), count); });
}

double Elements::plain_read_at_random(int bits) const {
  return timed(looks, [&] { return sum_at_random(bits, [from = arrays_->plain.data()](std::int64_t i) { return from[i]; }); });
}

}  // namespace bench
