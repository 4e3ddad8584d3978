// SPDX-License-Identifier: Apache-2.0
#include "buffered/inner_product.hpp"

#include <octavo/octavo.hpp>

#include "buffered/mapped.hpp"

namespace bench {

namespace {

namespace ov = octavo;
using Vector = ov::BufferedArray<std::int32_t, 1>;

__attribute__((optimize("O3"))) std::int64_t dot(const std::int32_t* x, const std::int32_t* y, std::int64_t count) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += std::int64_t{x[i]} * y[i];
  return sum;
}

Vector opened(const Vectors& of, const char* name) { return Vector(of.folder + "/" + name, {of.count()}, {.memory = of.memory / 2}); }

}  // namespace

std::int64_t inner_by_elements(const Vectors& of) {
  const Vector x(of.folder + "/x.raw", {of.count()}, {.memory = of.memory / 2}), y(of.folder + "/y.raw", {of.count()}, {.memory = of.memory / 2});
  std::int64_t sum = 0;
  for (std::int64_t i = 0, n = of.count(); i < n; ++i) sum += std::int64_t{x[i]} * y[i];
  return sum;
}

std::int64_t inner_by_blocks(const Vectors& of) {
  const Vector x = opened(of, "x.raw"), y = opened(of, "y.raw");
  std::int64_t sum = 0;
  x.for_each_block([&](const ov::Block<const std::int32_t, 1>& of_x) {
    y.for_each_block(of_x.box(), [&](const ov::Block<const std::int32_t, 1>& of_y) {
      const auto from = of_x.row({0}), by = of_y.row({0});
      sum += dot(from.data(), by.data(), static_cast<std::int64_t>(from.size()));
    });
  });
  return sum;
}

std::int64_t inner_by_mmap(const Vectors& of) {
  const Mapped<std::int32_t> x(of.folder + "/x.raw", of.bytes), y(of.folder + "/y.raw", of.bytes);
  return dot(x.begin(), y.begin(), of.count());
}

std::int64_t inner_by_hand(const Vectors& of) {
  Ahead x(of.folder + "/x.raw", 0, of.bytes), y(of.folder + "/y.raw", 0, of.bytes);
  std::int64_t sum = 0;
  for (auto from = x.next(), by = y.next(); !from.empty(); from = x.next(), by = y.next())
    sum +=
        dot(reinterpret_cast<const std::int32_t*>(from.data()), reinterpret_cast<const std::int32_t*>(by.data()), static_cast<std::int64_t>(from.size()) / 4);
  return sum;
}

}  // namespace bench
