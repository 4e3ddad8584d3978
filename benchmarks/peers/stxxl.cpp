// SPDX-License-Identifier: Apache-2.0
// STXXL's vectors over the files of benchmarks/buffered.py: the same loops by [] of its vector, with its usual pager.
//
//   peer_stxxl inner|jacobi BYTES-or-N MEMORY FOLDER        # prints seconds, as out_of_core does
//   peer_stxxl elements read|written|random:BITS FOLDER     # 128 MiB in its pages: prints nanoseconds for an element
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <stxxl/io>
#include <stxxl/vector>
#include <vector>

namespace {

constexpr unsigned page_blocks = 4, block_bytes = 2 << 20;
using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// How many pages it has is set where it is made, from the memory.
template <class T>
using Vector = typename stxxl::VECTOR_GENERATOR<T, page_blocks, 8, block_bytes, stxxl::striping, stxxl::lru>::result;

template <class T>
struct Stored {
  Stored(const std::string& path, std::int64_t memory)
      : file(path, stxxl::file::RDWR | stxxl::file::DIRECT),
        vector(&file, static_cast<stxxl::uint64>(file.size() / sizeof(T)), static_cast<unsigned>(memory / (page_blocks * block_bytes))) {}
  stxxl::syscall_file file;
  Vector<T> vector;
};

double inner(std::int64_t memory, const std::string& folder) {
  const auto begin = Clock::now();
  const Stored<std::int32_t> x(folder + "/x.raw", memory / 2), y(folder + "/y.raw", memory / 2);
  std::int64_t sum = 0;
  for (std::uint64_t i = 0, n = x.vector.size(); i < n; ++i) sum += std::int64_t{x.vector[i]} * y.vector[i];
  if (sum != static_cast<std::int64_t>(x.vector.size()) * 6) throw std::runtime_error("the inner product is wrong");
  return seconds_since(begin);
}

double jacobi(std::uint64_t n, std::int64_t memory, const std::string& folder) {
  const auto begin = Clock::now();
  const Stored<double> from(folder + "/u.raw", memory / 2);
  Stored<double> to(folder + "/w.raw", memory / 2);
  const auto& u = from.vector;
  auto& w = to.vector;
  for (std::uint64_t i = 1; i < n - 1; ++i)
    for (std::uint64_t j = 1; j < n - 1; ++j) {
      const std::uint64_t at = i * n + j;
      w[at] = 0.25 * (u[at - n] + u[at + n] + u[at - 1] + u[at + 1]);
    }
  w.flush();
  return seconds_since(begin);
}

double elements(const std::string& what, const std::string& folder) {
  constexpr std::uint64_t count = std::uint64_t{32} << 20, looks = 4'000'000;
  const std::string path = folder + "/elements.raw";
  {
    stxxl::syscall_file made(path, stxxl::file::RDWR | stxxl::file::CREAT | stxxl::file::DIRECT);
    made.set_size(count * 4);
  }
  double found = 0;
  {
    Stored<std::int32_t> u(path, 256 << 20);
    const auto& seen = u.vector;
    for (std::uint64_t i = 0; i < count; ++i) u.vector[i] = 1;
    const auto begin = Clock::now();
    std::int64_t sum = 0;
    if (what == "read")
      for (std::uint64_t i = 0; i < count; ++i) sum += seen[i];
    else if (what == "written")
      for (std::uint64_t i = 0; i < count; ++i) u.vector[i] = static_cast<std::int32_t>(i * 3);
    else
      for (std::uint32_t i = 0, state = 1, mask = (1U << std::stoi(what.substr(7))) - 1; i < looks; ++i) {
        state = state * 1664525U + 1013904223U;
        sum += seen[(state >> 5U) & mask];
      }
    asm volatile("" : : "r"(sum) : "memory");
    found = seconds_since(begin) * 1e9 / static_cast<double>(what.size() > 8 ? looks : count);
  }
  std::filesystem::remove(path);
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> told(argv + 1, argv + argc);
    double found = 0;
    if (told.size() == 4 && told[0] == "inner") found = inner(std::stoll(told[2]), told[3]);
    else if (told.size() == 4 && told[0] == "jacobi") found = jacobi(std::stoull(told[1]), std::stoll(told[2]), told[3]);
    else if (told.size() == 3 && told[0] == "elements") found = elements(told[1], told[2]);
    else throw std::invalid_argument("see the head of stxxl.cpp for its arguments");
    std::printf("%.6f\n", found);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "peer_stxxl: %s\n", error.what());
    return 1;
  }
}
