// SPDX-License-Identifier: Apache-2.0
// Sections 4.3 and 5.3 of the paper: a process that transforms page lines, and times the phases of that as he does.
#pragma once

#include <octavo/fft/kernel.hpp>

#include "commands.hpp"

struct Seconds {
  double reading = 0, asking = 0, computing = 0, writing = 0;
  Seconds operator+(const Seconds& o) const { return {reading + o.reading, asking + o.asking, computing + o.computing, writing + o.writing}; }
};

class LineTransform {
 public:
  LineTransform(ov::Array array, Remedies with)
      : a(std::move(array)),
        remedies(with),
        N(a.shape()[1]),
        rows(a.page()[0]),
        n(a.page()[1]),
        commands(with, a.page()),
        buffer(rows * N),
        fftw(ov::fft::default_kernel().plan(a.type(), N, rows, N, false, ov::fft::effort::quick)) {}

  Seconds ComputeTransform(std::int64_t first, std::int64_t last) {  // of these page lines
    Seconds time;
    for (std::int64_t line = first; line < last; line++) {
      timed(time.reading, [&] { read(line); });
      if (remedies.next_line_cache && line + 1 < last) timed(time.asking, [&] { ReadIntoServerCache(line + 1); });
      timed(time.computing, [&] { fftw->run(buffer.data(), rows); });
      timed(time.writing, [&] { write(line); });
    }
    return time;
  }

 private:
  template <class Do>
  void timed(double& seconds, Do do_) {
    const auto begun = std::chrono::steady_clock::now();
    do_();
    commands.disconnect();
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  }
  template <class Do>
  void ForEveryPage(std::int64_t line, Do do_) {
    for (std::int64_t p = 0; p < N / n; p++) do_(a.devices()[a.map().place_of({line, p}).device], a.map().place_of({line, p}).index, p * n);
  }
  void read(std::int64_t line) {
    std::vector<ov::future<ov::ArrayPage>> pages;  // all servers read at the same time
    ForEveryPage(line, [&](const Server& server, std::int64_t i, std::int64_t) { pages.push_back(commands.read(server, i)); });
    for (std::int64_t p = 0; p < N / n; p++) {
      const ov::ArrayPage page = pages[p].get();
      for (std::int64_t row = 0; row < rows; row++) std::copy_n(&page.values<complex>()[row * n], n, &buffer[row * N + p * n]);
    }
  }
  void ReadIntoServerCache(std::int64_t line) {
    std::vector<ov::future<void>> asked;
    ForEveryPage(line, [&](const Server& server, std::int64_t i, std::int64_t) { asked.push_back(commands.prefetch(server, i)); });
    ov::when_all(std::move(asked)).get();  // asked for, not read
  }
  void write(std::int64_t line) {
    std::vector<ov::future<void>> written;
    ForEveryPage(line, [&](const Server& server, std::int64_t i, std::int64_t column) {
      ov::ArrayPage page(a.type(), a.page());
      for (std::int64_t row = 0; row < rows; row++) std::copy_n(&buffer[row * N + column], n, &page.values<complex>()[row * n]);
      written.push_back(commands.write(server, std::move(page), i));
    });
    ov::when_all(std::move(written)).get();
  }
  ov::Array a;
  Remedies remedies;
  std::int64_t N, rows, n;
  Commands commands;
  std::vector<complex> buffer;
  std::unique_ptr<ov::fft::RowPlan> fftw;
};
OCTAVO_REMOTE(LineTransform, ComputeTransform)
