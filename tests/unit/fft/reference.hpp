// SPDX-License-Identifier: Apache-2.0
// Arrays in memory for the tests of fft: boxes cut out of them and put back, and a naive N-D transform.
#pragma once

#include <cmath>
#include <complex>
#include <random>
#include <vector>

#include "octavo/data/box.hpp"

namespace octavo::fft::reference {

template <class Real>
struct Dense {
  Shape shape;
  std::vector<std::complex<Real>> values;

  explicit Dense(const Shape& s) : shape(s), values(static_cast<std::size_t>(s.count())) {}
  static Dense random(const Shape& s, unsigned seed) {
    Dense result(s);
    std::mt19937 engine(seed);
    std::uniform_real_distribution<Real> value(-1, 1);
    for (auto& v : result.values) v = {value(engine), value(engine)};
    return result;
  }
  std::complex<Real>& at(const Shape& index) { return values[static_cast<std::size_t>(flatten(index, shape))]; }
  // Copies the box out into, or in from, a dense buffer of its own.
  void copy(const Box& box, std::complex<Real>* buffer, bool out) {
    for_each_index(box.extents(), [&](Shape index) {
      for (int i = 0; i < index.size(); ++i) index[i] += box.lo[i];
      if (out) *buffer++ = at(index);
      else at(index) = *buffer++;
    });
  }
  // Along one axis, by the definition, in long double.
  void transform(int axis, bool inverse, double scale) {
    std::int64_t n = shape[axis], inner = shape.count(axis + 1, shape.size()), rows = shape.count() / n;
    const long double turn = (inverse ? 2 : -2) * std::acos(-1.0L);
    std::vector<std::complex<long double>> point, x(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) point.push_back(std::polar(1.0L, turn * static_cast<long double>(i) / static_cast<long double>(n)));
    for (std::int64_t r = 0; r < rows; ++r) {
      auto* first = values.data() + r / inner * inner * n + r % inner;
      for (std::int64_t j = 0; j < n; ++j) x[static_cast<std::size_t>(j)] = {first[j * inner].real(), first[j * inner].imag()};
      for (std::int64_t k = 0; k < n; ++k) {
        std::complex<long double> sum = 0;
        for (std::int64_t j = 0; j < n; ++j) sum += x[static_cast<std::size_t>(j)] * point[static_cast<std::size_t>(j * k % n)];
        first[k * inner] = std::complex<Real>(sum * static_cast<long double>(scale));
      }
    }
  }
  [[nodiscard]] double distance(const Dense& other) const {
    double largest = 1e-300, error = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      largest = std::max(largest, static_cast<double>(std::abs(values[i])));
      error = std::max(error, static_cast<double>(std::abs(values[i] - other.values[i])));
    }
    return error / largest;
  }
};

}  // namespace octavo::fft::reference
