// SPDX-License-Identifier: Apache-2.0
// Jacobi iterations of a plain MPI program, each rank its rows: by buffered arrays that all have open, without a Runtime, and by hand.
//
//   mpirun -n 2 mpi_jacobi octavo|hand N MEMORY ITERATIONS FOLDER      # MEMORY: of each rank, for both arrays; rank 0 prints seconds for an iteration
#include <mpi.h>

#include <cstdio>
#include <octavo/base/bytes.hpp>
#include <stdexcept>

#include "buffered/jacobi_blocks.hpp"
#include "kit/clock.hpp"

namespace {

// What sync() takes: whatever has a barrier.
struct World {
  void barrier() const { MPI_Barrier(MPI_COMM_WORLD); }
};

void by_octavo(const bench::Field& of, int iterations) {
  bench::Plane u = bench::opened(of, of.u(), "r+"), w = bench::opened(of, of.w(), "r+");
  for (int i = 0; i < iterations; ++i) {
    bench::relax_blocks(of, i % 2 == 0 ? u : w, i % 2 == 0 ? w : u);
    (i % 2 == 0 ? w : u).flush();
    (i % 2 == 0 ? w : u).sync(World());
  }
}

void by_hand(const bench::Field& of, int iterations) {
  for (int i = 0; i < iterations; ++i) {
    bench::relax_by_hand(of, i % 2 == 0 ? of.u() : of.w(), i % 2 == 0 ? of.w() : of.u());
    World().barrier();
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 1, status = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  try {
    if (argc != 6) throw std::invalid_argument("see the head of mpi_jacobi.cpp for its arguments");
    const std::int64_t n = std::stoll(argv[2]), inner = n - 2;
    const int iterations = std::stoi(argv[4]);
    const bench::Field of{argv[5], n, octavo::parse_bytes(argv[3]), 1 + inner * rank / size, 1 + inner * (rank + 1) / size};
    World().barrier();
    const auto begin = bench::Clock::now();
    std::string(argv[1]) == "octavo" ? by_octavo(of, iterations) : by_hand(of, iterations);
    World().barrier();
    if (rank == 0) std::printf("%.6f\n", bench::seconds_since(begin) / iterations);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mpi_jacobi: %s\n", error.what());
    status = 1;
  }
  status == 0 ? MPI_Finalize() : MPI_Abort(MPI_COMM_WORLD, status);
  return status;
}
