// SPDX-License-Identifier: Apache-2.0
// Sections 3.3, 4.2 and 4.3 of the paper on the library's own arrays: everything has a name, and the computation survives whatever is killed.
#include <csignal>
#include <filesystem>
#include <iostream>
#include <numbers>
#include <octavo/octavo.hpp>

namespace ov = octavo;
using complex = std::complex<double>;
constexpr std::int64_t N = 16, page = 4, lines = N / page * (N / page), processes = 2;

// Reads page lines, transforms their rows, and writes them transposed to the other array: after three passes the axes are as they were. Its state is how
// far it is, saved before each answer; a line that was begun is done again from the source, which nobody changes.
class FFT3 {
 public:
  FFT3() = default;
  FFT3(ov::Array a, ov::Array b, std::int64_t id) : a_(std::move(a)), b_(std::move(b)), id_(id), next_(id) {}
  std::int64_t pid() { return ::getpid(); }
  // The next page line of this pass; false: it has none left. (The last answer may have been lost: so the pass is said.)
  bool ComputeTransform(std::int64_t pass) {
    if (pass != pass_) pass_ = pass, next_ = id_;
    if (next_ >= lines) return false;
    const ov::Array &from = pass % 2 == 0 ? a_ : b_, &to = pass % 2 == 0 ? b_ : a_;
    const ov::Box line = page_line(next_);
    ov::ArrayPage block = from.read(line);
    if (next_ + processes < lines) from.prefetch(page_line(next_ + processes), from.type());  // into the servers' caches, while this one computes
    if (!rows_) rows_ = ov::fft::default_kernel().plan(ov::dtype::complex128, N, page * page, N, false, ov::fft::effort::quick);
    rows_->run(block.mutable_data(), page * page);  // where they lie: nothing is copied
    block.permute({2, 0, 1});
    to.write({{0, line.lo[0], line.lo[1]}, {N, line.hi[0], line.hi[1]}}, block);
    next_ += processes;
    return true;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(a_, b_, id_, pass_, next_);
  }

 private:
  static ov::Box page_line(std::int64_t n) {
    const std::int64_t i = n / (N / page) * page, j = n % (N / page) * page;
    return {{i, j, 0}, {i + page, j + page, N}};
  }
  ov::Array a_, b_;
  std::int64_t id_ = 0, pass_ = 0, next_ = 0;
  std::unique_ptr<ov::fft::RowPlan> rows_;
};
OCTAVO_REMOTE(FFT3, pid, ComputeTransform)

// Whoever was killed is there again at the next call.
template <class Call>
auto again(Call call) {
  for (;;) try {
      return call();
    } catch (const ov::process_died&) {}
}

void compute(std::int64_t pass, std::int64_t most) {
  std::vector<ov::remote_ptr<FFT3>> fft;
  for (int i = 0; i < processes; i++) fft.push_back(ov::open<FFT3>("ov://turbulence/FFT3/" + std::to_string(i)));
  for (auto& each : fft)
    for (std::int64_t n = 0; n < most && again([&] { return each->ComputeTransform(pass); });) n++;
}

int main(int argc, char** argv) {
  const auto folder = std::filesystem::temp_directory_path() / "octavo_example_named_fft3";
  std::filesystem::create_directories(folder);
  const ov::DeviceOptions cached{.cache_bytes = 1 << 20};
  auto disk = [&](const char* name) { return ov::PageFilePlace{(folder / name).string(), {}, cached}; };
  {
    ov::Runtime runtime(argc, argv);
    ov::Array a = ov::named("turbulence/a").make_array({N, N, N}, {page, page, page}, ov::dtype::complex128, {disk("a0"), disk("a1")});
    ov::Array b = ov::named("turbulence/b").make_array({N, N, N}, {page, page, page}, ov::dtype::complex128, {disk("b0"), disk("b1")});
    std::vector<complex> wave(N * N * N);  // its transform is N^3 at (3, 5, 7) and 0 everywhere else
    for (std::int64_t k = 0; k < N * N * N; k++) wave[k] = std::polar(1.0, 2 * std::numbers::pi / N * double(3 * (k / N / N) + 5 * (k / N % N) + 7 * (k % N)));
    a.write(a.select({}), wave);
    for (int i = 0; i < processes; i++) ov::named("turbulence/FFT3/" + std::to_string(i)).saving_every_call().restart_always(100).make<FFT3>(a, b, i);
    compute(0, lines);
    compute(1, 2);  // and a part of the next
  }                 // the first program ends here, in the middle
  ov::Runtime runtime(argc, argv);
  for (const auto& each : ov::names("turbulence"))
    if (each.pid != 0) ::kill(pid_t(each.pid), SIGKILL);  // the FFT3 processes, the devices, the arrays
  compute(1, lines);
  compute(2, lines);
  ov::Array b = ov::open_array("ov://turbulence/b");
  const auto spectrum = again([&] { return b.read<complex>(b.select({})); });
  double elsewhere = 0;
  for (std::int64_t k = 0; k < N * N * N; k++)
    if (k != (3 * N + 5) * N + 7) elsewhere = std::max(elsewhere, std::abs(spectrum[k]));
  std::cout << "at (3, 5, 7): " << std::round(spectrum[(3 * N + 5) * N + 7].real()) << " of " << N * N * N << "\n";
  std::cout << "elsewhere less than 1e-9: " << (elsewhere < 1e-9) << "\n";
  for (int i = 0; i < processes; i++) ov::destroy(ov::open<FFT3>("ov://turbulence/FFT3/" + std::to_string(i)));
  for (const char* name : {"turbulence/a", "turbulence/b"}) ov::destroy_array(name);
  std::cout << "names left: " << ov::names("turbulence").size() << "\n";
  std::filesystem::remove_all(folder);
}
