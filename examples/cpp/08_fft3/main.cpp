// SPDX-License-Identifier: Apache-2.0
// Section 4 of the paper: the three-dimensional Fourier transform of an array that lies on several disks, by FFT3 processes.
#include <iostream>

#include "fft3.hpp"

int main(int argc, char** argv) {
  ov::Runtime runtime(argc, argv, {.engine = ov::played({"storage", "compute"})});
  const int NumberOfServers = 3, NP = 4, n = 4, N = NP * n, processes = 2;
  const int NumberOfPages = NP * NP * NP, NumberOfCachePages = 2 * NP;

  Array a{n, PageMap{NP, NumberOfServers}, {}};
  for (int i = 0; i < NumberOfServers; i++)
    a.page_server.push_back(runtime.machine("storage").make<ArrayDevice>("disk" + std::to_string(i), NumberOfPages, n, n, n, NumberOfCachePages));

  // A plane wave: its transform is N^3 at (3, 5, 7) and 0 everywhere else.
  const Domain all{0, NP, 0, NP, 0, NP};
  std::vector<complex> values(N * N * N);
  for (int j1 = 0; j1 < N; j1++)
    for (int j2 = 0; j2 < N; j2++)
      for (int j3 = 0; j3 < N; j3++) values[(j1 * N + j2) * N + j3] = std::polar(1.0, 2 * std::numbers::pi * (3 * j1 + 5 * j2 + 7 * j3) / N);
  a.write(all, values.data());

  std::vector<ov::remote_ptr<FFT3>> fft;
  for (int i = 0; i < processes; i++) fft.push_back(runtime.machine("compute").make<FFT3>(-1, a));
  auto process_group = ov::process.make<ov::remote_ptr<ProcessGroupMember>[]>(processes);
  for (int i = 0; i < processes; i++) process_group[i] = fft[i];
  for (int i = 0; i < processes; i++) fft[i]->SetProcessGroup(i, processes, process_group);
  ov::group<FFT3> group(fft);

  for (transpose t : {transpose::none, transpose::t23, transpose::t13}) group->ComputeTransform(t);  // fft3, fft2, fft1: on all, in parallel

  size_t cached = 0, read = 0;
  for (auto& server : a.page_server) cached += server->PagesFromCache(), read += server->PagesFromDisk();
  a.read(all, values.data());
  double largest_elsewhere = 0;
  for (int k = 0; k < N * N * N; k++)
    if (k != (3 * N + 5) * N + 7) largest_elsewhere = std::max(largest_elsewhere, std::abs(values[k]));
  std::cout << "at (3, 5, 7): " << std::round(values[(3 * N + 5) * N + 7].real()) << " of " << N * N * N << "\n";
  std::cout << "elsewhere less than 1e-9: " << (largest_elsewhere < 1e-9) << "\n";
  std::cout << "pages read from the servers' caches: " << cached << ", from their disks: " << read << "\n";
}
