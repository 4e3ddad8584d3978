// SPDX-License-Identifier: Apache-2.0
// Two loops over arrays on disk, larger than the memory for them, by Octavo and by hand: what benchmarks/buffered.py runs, held to that memory.
//
//   out_of_core inner blocks|elements|mmap|hand BYTES MEMORY FOLDER      # x.raw and y.raw of int32, BYTES each
//   out_of_core jacobi blocks|elements|mmap|hand N MEMORY FOLDER         # u.raw and w.raw of float64, N x N
//   out_of_core random COUNT BYTES FILE                                  # COUNT reads of 4 KiB anywhere in it, in order, many at once
//
// Prints its seconds.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <map>
#include <octavo/base/bytes.hpp>
#include <stdexcept>
#include <thread>
#include <vector>

#include "buffered/by_hand.hpp"
#include "buffered/inner_product.hpp"
#include "buffered/jacobi.hpp"
#include "kit/clock.hpp"

namespace {

const std::map<std::string, std::function<std::int64_t(const bench::Vectors&)>> inner{
    {"blocks", bench::inner_by_blocks}, {"elements", bench::inner_by_elements}, {"mmap", bench::inner_by_mmap}, {"hand", bench::inner_by_hand}};
const std::map<std::string, std::function<void(const bench::Field&)>> jacobi{
    {"blocks", bench::jacobi_by_blocks}, {"elements", bench::jacobi_by_elements}, {"mmap", bench::jacobi_by_mmap}, {"hand", bench::jacobi_by_hand}};

void inner_product(const std::string& way, const bench::Vectors& of) {
  const auto sum = inner.at(way)(of);
  if (sum != of.count() * 6) throw std::runtime_error("the inner product is wrong: " + std::to_string(sum));
}

// By sixteen threads, each with every sixteenth.
void read_at_random(std::int64_t count, std::int64_t bytes, const std::string& path) {
  constexpr int threads = 16;
  constexpr std::int64_t page = 4096;
  const bench::File file(path, O_RDONLY | O_DIRECT);
  std::vector<std::jthread> all;
  for (int thread = 0; thread < threads; ++thread) {
    all.emplace_back([&, thread] {
      const std::unique_ptr<void, decltype(&std::free)> memory(std::aligned_alloc(page, page), &std::free);
      for (std::int64_t i = thread; i < count; i += threads) {
        const std::int64_t at = static_cast<std::int64_t>(static_cast<double>(bytes / page - 1) * static_cast<double>(i) / static_cast<double>(count)) * page;
        if (::pread(file.get(), memory.get(), page, at) != page) std::fprintf(stderr, "a read failed\n");
      }
    });
  }
}

void run(const std::vector<std::string>& told) {
  if (told.size() == 5 && told[0] == "inner") return inner_product(told[1], {told[4], octavo::parse_bytes(told[2]), octavo::parse_bytes(told[3])});
  if (told.size() == 5 && told[0] == "jacobi") return jacobi.at(told[1])({told[4], std::stoll(told[2]), octavo::parse_bytes(told[3])});
  if (told.size() == 4 && told[0] == "random") return read_at_random(std::stoll(told[1]), octavo::parse_bytes(told[2]), told[3]);
  throw std::invalid_argument("see the head of out_of_core.cpp for its arguments");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto begin = bench::Clock::now();
    run({argv + 1, argv + argc});
    std::printf("%.6f\n", bench::seconds_since(begin));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "out_of_core: %s\n", error.what());
    return 1;
  }
}
