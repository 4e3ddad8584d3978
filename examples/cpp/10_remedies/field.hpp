// SPDX-License-Identifier: Apache-2.0
// The array on which the remedies are measured: a plane wave in each row, in pages on several servers by the circulant map.
#pragma once

#include <filesystem>
#include <numbers>

#include "line_transform.hpp"

struct Field {
  static constexpr int servers = 4;
  static constexpr std::int64_t rows = 16, pages = 16, wave = 3;  // of a page line
  std::int64_t n, N, lines;                                       // columns of a page, and of a line
  std::filesystem::path folder = std::filesystem::current_path() / "remedies";

  explicit Field(std::int64_t mebibytes) : n(mebibytes < 64 ? 16 : 1024), N(n * pages), lines(mebibytes * ov::MiB / (16 * rows * N)) {
    std::filesystem::create_directory(folder);
  }
  ~Field() { std::filesystem::remove_all(folder); }

  ov::Array open() const {
    const ov::PageMap map = ov::PageMap::circulant({lines, pages}, servers);
    std::vector<Server> devices;
    for (int i = 0; i < servers; i++)
      devices.emplace_back(ov::process.make<ov::PageFile>((folder / std::to_string(i)).string(), map.pages_per_device(), ov::Shape{rows, n},
                                                          ov::dtype::complex128, ov::DeviceOptions{.cache_bytes = 4 * pages * rows * n * 16 / servers}));
    ov::Array a({lines * rows, N}, {rows, n}, ov::dtype::complex128, devices, map);
    std::vector<complex> line;
    for (std::int64_t j = 0; j < rows * N; j++) line.push_back(std::polar(1.0, 2 * std::numbers::pi * wave * static_cast<double>(j % N) / N));
    for (std::int64_t i = 0; i < lines; i++) a.write(a.select({{i * rows, (i + 1) * rows}}), line);
    a.flush();
    return a;
  }
  void check(const ov::Array& a) const {  // N at the wave, 0 everywhere else
    for (std::int64_t i = 0; i < lines * rows; i += rows) {
      const auto row = a.read<complex>(a.select({i}));
      for (std::int64_t j = 0; j < N; j++)
        if (std::abs(row[j] - (j == wave ? complex(N) : complex())) > 1e-6) throw std::runtime_error("the transform is wrong at " + std::to_string(j));
    }
  }
};
