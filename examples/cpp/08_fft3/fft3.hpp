// SPDX-License-Identifier: Apache-2.0
// Sections 4.2 and 4.3 of the paper: a process that transforms its slab of the array, a page line at a time.
#pragma once

#include <numbers>

#include "../05_process_group/process_group_member.hpp"
#include "array.hpp"

inline void FFTW(int sign, complex* x, int N) {  // in its place, so that the example needs no library: N a power of 2
  if (N == 1) return;
  std::vector<complex> even, odd;
  for (int i = 0; i < N; i += 2) even.push_back(x[i]), odd.push_back(x[i + 1]);
  FFTW(sign, even.data(), N / 2);
  FFTW(sign, odd.data(), N / 2);
  for (int k = 0; k < N / 2; k++) {
    complex turned = odd[k] * std::polar(1.0, sign * 2 * std::numbers::pi * k / N);
    x[k] = even[k] + turned;
    x[k + N / 2] = even[k] - turned;
  }
}

class FFT3 : public ProcessGroupMember {
 public:
  FFT3(int my_sign, Array array) : sign(my_sign), a(std::move(array)), N(a.pagemap.NP * a.n), buffer(a.n * a.n * N) {}

  void ComputeTransform(transpose t) {  // fft3; with a transpose fft1 or fft2
    std::vector<Domain> slab = PageLines();
    for (size_t i = 0; i < slab.size(); i++) {
      Domain PageLine = slab[i];
      a.read(PageLine, buffer.data(), t);
      if (i + 1 < slab.size()) a.ReadIntoServerCache(slab[i + 1], t);  // is started, and goes on beside the transform
      for (int row = 0; row < a.n * a.n; row++) FFTW(sign, &buffer[row * N], N);
      a.write(PageLine, buffer.data(), t);
      barrier();
    }
  }

 private:
  std::vector<Domain> PageLines() const {  // of slab ID(): the array is divided along its first dimension
    std::vector<Domain> lines;
    int NP = a.pagemap.NP, each = NP / NumberOfProcesses();
    for (int i1 = ID() * each; i1 < (ID() + 1) * each; i1++)
      for (int i2 = 0; i2 < NP; i2++) lines.push_back({i1, i1 + 1, i2, i2 + 1, 0, NP});
    return lines;
  }
  int sign;
  Array a;
  int N;
  std::vector<complex> buffer;
};
OCTAVO_REMOTE(FFT3, (ProcessGroupMember), ComputeTransform)
