// SPDX-License-Identifier: Apache-2.0
#include "buffered/jacobi.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <octavo/octavo.hpp>
#include <vector>

#include "buffered/jacobi_blocks.hpp"
#include "buffered/mapped.hpp"

namespace bench {

namespace {
namespace ov = octavo;
}  // namespace

__attribute__((optimize("O3"))) void relax(const double* above, const double* here, const double* below, double* to, std::int64_t n) {
  to[0] = here[0];
  for (std::int64_t j = 1; j < n - 1; ++j) to[j] = 0.25 * (above[j] + below[j] + here[j - 1] + here[j + 1]);
  to[n - 1] = here[n - 1];
}

void jacobi_by_elements(const Field& of) {
  const Plane u(of.u(), {of.n, of.n}, {.memory = of.memory / 2});
  Plane w(of.w(), {of.n, of.n}, {.mode = "r+", .memory = of.memory / 2});
  for (std::int64_t i = of.lo; i < of.hi; ++i)
    for (std::int64_t j = 1; j < of.n - 1; ++j) w[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
  w.flush();
}

void jacobi_by_blocks(const Field& of) {
  const Plane u = opened(of, of.u(), "r");
  Plane w = opened(of, of.w(), "r+");
  relax_blocks(of, u, w);
  w.flush();
}

Plane opened(const Field& of, const std::string& path, const char* mode) { return Plane(path, {of.n, of.n}, {.mode = mode, .memory = of.memory / 2}); }

// The blocks of u that the three rows lie in stay where they are.
void relax_blocks(const Field& of, const Plane& u, Plane& w) {
  std::deque<ov::Block<const double, 2>> held;
  auto row = [&](std::int64_t i) {
    if (held.empty() || i >= held.back().box().hi[0]) {
      if (held.size() == 3) held.pop_front();
      held.push_back(u.block({i, 0}));
    }
    return std::ranges::find_if(held, [i](const auto& block) { return i < block.box().hi[0]; })->row({i, 0}).data();
  };
  w.overwrite_blocks({{of.lo, 0}, {of.hi, of.n}}, [&](const ov::Block<double, 2>& block) {
    for (std::int64_t i = block.box().lo[0]; i < block.box().hi[0]; ++i) {
      const double *above = row(i - 1), *here = row(i), *below = row(i + 1);
      relax(above, here, below, block.row({i, 0}).data(), of.n);
    }
  });
}

void jacobi_by_mmap(const Field& of) {
  const std::int64_t n = of.n;
  const Mapped<double> u(of.u(), n * n * 8), w(of.w(), n * n * 8);
  for (std::int64_t i = of.lo; i < of.hi; ++i) {
    const double* here = u.begin() + i * n;
    relax(here - n, here, here + n, w.begin() + i * n, n);
  }
  w.flush();
}

void jacobi_by_hand(const Field& of) { relax_by_hand(of, of.u(), of.w()); }

// Pieces end anywhere within a row: whole rows go on to a window of three.
void relax_by_hand(const Field& of, const std::string& u, const std::string& w) {
  const std::int64_t n = of.n, row = n * 8;
  Ahead from(u, (of.lo - 1) * row, (of.hi - of.lo + 2) * row);
  Behind to(w, of.lo * row);
  std::vector<double> window(static_cast<std::size_t>(3 * n));
  std::int64_t rows = 0, filled = 0;
  auto at = [&](std::int64_t i) { return window.data() + (i % 3) * n; };
  for (auto piece = from.next(); !piece.empty(); piece = from.next()) {
    while (!piece.empty()) {
      const auto part = std::min<std::int64_t>(static_cast<std::int64_t>(piece.size()), row - filled);
      std::memcpy(reinterpret_cast<std::byte*>(at(rows)) + filled, piece.data(), static_cast<std::size_t>(part));
      piece = piece.subspan(static_cast<std::size_t>(part));
      filled = (filled + part) % row;
      if (filled == 0 && ++rows >= 3) relax(at(rows - 3), at(rows - 2), at(rows - 1), reinterpret_cast<double*>(to.room(row)), n);
    }
  }
  to.finish();
}

}  // namespace bench
