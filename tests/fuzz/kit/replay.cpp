// SPDX-License-Identifier: Apache-2.0
// A fuzz target as an ordinary test, without libFuzzer: each file of its corpus, then mutations of them with a fixed seed.
//
//   fuzz_npy_header DIRECTORY [MUTATIONS]     fuzz_npy_header FILE      # what failed is kept in ./fuzz_npy_header.failed
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace {

namespace fs = std::filesystem;
using Input = std::vector<std::uint8_t>;
constexpr std::size_t longest = 8192;  // of a mutation: long inputs are slow and show little more

Input current;
std::string kept_in;

// Runs where anything may be broken: only system calls.
void keep_current() {
  int file = ::open(kept_in.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  bool kept = file >= 0 && ::write(file, current.data(), current.size()) == static_cast<ssize_t>(current.size());
  for (const char* part : {"fuzz: the input that failed is ", kept ? "in " : "lost: cannot write ", kept_in.c_str(), "\n"})
    if (::write(STDERR_FILENO, part, std::strlen(part)) < 0) return;
}

void on_signal(int signal) {
  keep_current();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void keep_what_fails(const char* program) {
  kept_in = fs::absolute(fs::path(program).filename().string() + ".failed").string();
  for (int signal : {SIGABRT, SIGALRM}) std::signal(signal, on_signal);
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(keep_current);
  else
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) std::signal(signal, on_signal);
}

Input read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  Input bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) {
    std::fprintf(stderr, "fuzz: cannot read %s: %s\n", path.c_str(), std::strerror(errno));
    std::exit(2);
  }
  return bytes;
}

void run(Input input) {
  current = std::move(input);
  ::alarm(20);  // an input that takes so long is a finding
  // Its own allocation, so that AddressSanitizer sees a read behind the end.
  Input exact(current.begin(), current.end());
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
  ::alarm(0);
}

class Mutator {
 public:
  explicit Mutator(const std::vector<Input>& seeds) : seeds_(seeds) {}

  Input next() {
    Input input = any_seed();
    if (input.size() > longest) input.resize(longest);
    for (std::size_t i = 0, n = 1 + below(4); i < n; ++i) change(input);
    return input;
  }

 private:
  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : random_() % bound; }
  const Input& any_seed() { return seeds_[below(seeds_.size())]; }

  void change(Input& input) {
    std::size_t at = below(input.size() + 1);
    auto here = input.begin() + static_cast<std::ptrdiff_t>(at);
    std::size_t rest = input.size() - at;
    switch (below(7)) {
      case 0:
        if (rest != 0) *here ^= static_cast<std::uint8_t>(1U << below(8));
        break;
      case 1:
        if (rest != 0) *here = static_cast<std::uint8_t>(random_());
        break;
      case 2: input.erase(here, here + static_cast<std::ptrdiff_t>(below(std::min<std::size_t>(rest, 64) + 1))); break;
      case 3: input.insert(here, 1 + below(8), static_cast<std::uint8_t>(random_())); break;
      case 4: input.resize(at); break;
      case 5: put_number(input, at); break;
      default: splice(input, at);
    }
  }

  // The integers at which sizes and counts go wrong.
  void put_number(Input& input, std::size_t at) {
    static constexpr std::array<std::uint64_t, 10> numbers{0, 1, 0x7f, 0xff, 0xffff, 0x7fffffff, 0xffffffff, 1ULL << 62, 0x7fffffffffffffff, ~0ULL};
    std::uint64_t number = numbers[below(numbers.size())];
    std::size_t bytes = std::min<std::size_t>(input.size() - at, std::size_t{1} << below(4));
    if (bytes != 0) std::memcpy(input.data() + at, &number, bytes);
  }

  void splice(Input& input, std::size_t at) {
    const Input& other = any_seed();
    std::size_t from = below(other.size() + 1), bytes = below(std::min<std::size_t>(other.size() - from, 128) + 1);
    input.insert(input.begin() + static_cast<std::ptrdiff_t>(at), other.begin() + static_cast<std::ptrdiff_t>(from),
                 other.begin() + static_cast<std::ptrdiff_t>(from + bytes));
  }

  const std::vector<Input>& seeds_;
  std::mt19937_64 random_{20261121};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s DIRECTORY [MUTATIONS] | FILE\n", argv[0]);
    return 2;
  }
  keep_what_fails(argv[0]);
  if (fs::is_regular_file(argv[1])) {
    run(read(argv[1]));
    return 0;
  }
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(argv[1])) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<Input> seeds;
  for (const auto& path : paths) run(seeds.emplace_back(read(path)));
  if (seeds.empty()) {
    std::fprintf(stderr, "fuzz: %s has no files\n", argv[1]);
    return 2;
  }
  Mutator mutator(seeds);
  int mutations = argc > 2 ? std::atoi(argv[2]) : 3000;
  for (int i = 0; i < mutations; ++i) run(mutator.next());
  std::printf("fuzz: %zu files and %d mutations\n", seeds.size(), mutations);
  return 0;
}
