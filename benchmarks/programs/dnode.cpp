// SPDX-License-Identifier: Apache-2.0
// The experiments of "Targeting distributed systems in FastFlow" as streams, one a run. What benchmarks/dnode.py runs.
//
//   dnode matrices SIDE COUNT WHERE       squares matrices of doubles, loops in the order ikj: seconds
//   dnode images BYTES COUNT WHERE        blurs and embosses images of so many bytes of RGB: seconds
//   dnode latency TRIPS WHERE             8 bytes round four nodes, one at a time: seconds a trip
//   dnode bandwidth BYTES COUNT WHERE     one message again and again to another node: bytes a second
//
// WHERE: loop (no stream; of matrices and images), threads, processes, hosts (network namespaces with a pinned core each), ethernet (hosts behind 1 Gbit/s).
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <functional>
#include <octavo/machine/ssh.hpp>
#include <octavo/octavo.hpp>

#include "kit/clock.hpp"
#include "kit/pinned.hpp"
#include "kit/two_hosts.hpp"

namespace {

namespace ov = octavo;
using bench::Clock, bench::seconds_since;
using Matrix = std::vector<double>;
using Image = std::vector<std::uint8_t>;

struct Square {
  Matrix svc(const Matrix& a) const {
    const auto side = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(a.size()))));
    Matrix c(a.size(), 0);
    for (std::size_t i = 0; i < side; ++i)
      for (std::size_t k = 0; k < side; ++k)
        for (std::size_t j = 0; j < side; ++j) c[i * side + j] += a[i * side + k] * a[k * side + j];
    return c;
  }
};

// Along rows of three bytes a point: each is the mean of those up to `radius` points from it.
struct Blur {
  int radius;
  explicit Blur(int of) : radius(of) {}
  Image svc(Image in) const {
    Image out(in.size());
    const auto points = static_cast<int>(in.size() / 3);
    for (int i = 0; i < points; ++i)
      for (int colour = 0; colour < 3; ++colour) {
        const int first = std::max(0, i - radius), last = std::min(points - 1, i + radius);
        int sum = 0;
        for (int j = first; j <= last; ++j) sum += in[static_cast<std::size_t>(3 * j + colour)];
        out[static_cast<std::size_t>(3 * i + colour)] = static_cast<std::uint8_t>(sum / (last - first + 1));
      }
    return out;
  }
};
struct Emboss {
  Image svc(Image image) const {
    for (std::size_t i = image.size() - 1; i >= 3; --i) image[i] = static_cast<std::uint8_t>(std::clamp(128 + image[i] - image[i - 3], 0, 255));
    return image;
  }
};
struct Pass {
  std::uint64_t svc(std::uint64_t in) const { return in; }
};
struct Count {
  void svc(const Image& /*message*/, ov::emit<int>& /*out*/) const {}
};

// Where stages are: `here` and `there`, of one machine or of two.
class Nodes {
 public:
  explicit Nodes(const std::string& where, int argc, char** argv) : where_(where) {
    if (where != "hosts" && where != "ethernet") {
      runtime_ = std::make_unique<ov::Runtime>(argc, argv);
      return;
    }
    hosts_ = std::make_unique<ov::kit::TwoHosts>();
    for (int host = 0; host < 2 && where == "ethernet"; ++host) hosts_->run(host, "tc qdisc add dev eth0 root tbf rate 1gbit burst 128kb latency 20ms");
    hosts_->enter(0);
    ov::SshOptions how;
    how.address = hosts_->address(0);
    how.shell = {"nsenter", "--net=" + hosts_->path(1), "taskset", "-c", "1"};
    bench::pin_to(0);
    runtime_ = std::make_unique<ov::Runtime>(argc, argv, ov::RuntimeOptions{.engine = ov::ssh({"node"}, how)});
  }
  [[nodiscard]] ov::Place here() const { return where_ == "threads" ? ov::thread : ov::process; }
  [[nodiscard]] ov::Place there() const { return hosts_ ? ov::Place(runtime_->machine("node")) : here(); }

 private:
  const std::string where_;
  std::unique_ptr<ov::kit::TwoHosts> hosts_;
  std::unique_ptr<ov::Runtime> runtime_;
};

template <class Item>
auto repeated(Item item, long count) {
  return [item = std::move(item), count]() mutable -> std::optional<Item> { return count-- > 0 ? std::optional<Item>(item) : std::nullopt; };
}

double matrices(std::size_t side, long count, const std::string& where, int argc, char** argv) {
  const Matrix matrix(side * side, 0.5);
  if (where == "loop") {
    const auto begin = Clock::now();
    for (long i = 0; i < count; ++i) static_cast<void>(Square().svc(matrix));
    return seconds_since(begin);
  }
  const Nodes nodes(where, argc, argv);
  const auto stream = ov::pipeline(repeated(matrix, count), ov::farm<Square>().workers(2).on({nodes.here(), nodes.there()}).unordered(), [](const Matrix&) {});
  const auto begin = Clock::now();
  stream.run();
  return seconds_since(begin);
}

double images(std::size_t bytes, long count, const std::string& where, int argc, char** argv) {
  const Image image(bytes, 77);
  if (where == "loop") {
    const auto begin = Clock::now();
    for (long i = 0; i < count; ++i) static_cast<void>(Emboss().svc(Blur(3).svc(image)));
    return seconds_since(begin);
  }
  const Nodes nodes(where, argc, argv);
  const auto run = [&](const auto& stream) {
    const auto begin = Clock::now();
    stream.run();
    return seconds_since(begin);
  };
  const auto sink = [](const Image&) {};
  if (where == "threads") return run(ov::pipeline(repeated(image, count), ov::farm(ov::pipeline(ov::stage<Blur>(3), ov::stage<Emboss>())).workers(2), sink));
  return run(ov::pipeline(repeated(image, count), ov::stage<Blur>(3).on(nodes.here()), ov::stage<Emboss>().on(nodes.there()), sink));
}

double latency(long trips, const std::string& where, int argc, char** argv) {
  const Nodes nodes(where, argc, argv);
  std::atomic<long> back = 0;
  const auto source = [&, sent = 0L]() mutable -> std::optional<std::uint64_t> {
    while (back.load() < sent) std::this_thread::yield();
    return sent < trips ? std::optional<std::uint64_t>(static_cast<std::uint64_t>(sent++)) : std::nullopt;
  };
  const auto stream = ov::pipeline(source, ov::stage<Pass>().on(nodes.there()), ov::stage<Pass>().on(nodes.here()), ov::stage<Pass>().on(nodes.there()),
                                   [&](std::uint64_t) { ++back; });
  const auto begin = Clock::now();
  stream.run();
  return seconds_since(begin) / static_cast<double>(trips);
}

double bandwidth(std::size_t bytes, long count, const std::string& where, int argc, char** argv) {
  const Nodes nodes(where, argc, argv);
  const auto stream = ov::pipeline(repeated(Image(bytes, 1), count), ov::stage<Count>().on(nodes.there()), [](int) {});
  const auto begin = Clock::now();
  stream.run();
  return static_cast<double>(bytes) * static_cast<double>(count) / seconds_since(begin);
}

}  // namespace

int main(int argc, char** argv) {
  ov::serve_if_asked();
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    const auto number = [&](std::size_t i) { return std::stol(words.at(i)); };
    const std::string& what = words.at(0);
    double found = 0;
    if (what == "latency") found = latency(number(1), words.at(2), argc, argv);
    else if (what == "matrices") found = matrices(static_cast<std::size_t>(number(1)), number(2), words.at(3), argc, argv);
    else if (what == "images") found = images(static_cast<std::size_t>(number(1)), number(2), words.at(3), argc, argv);
    else if (what == "bandwidth") found = bandwidth(static_cast<std::size_t>(number(1)), number(2), words.at(3), argc, argv);
    else throw std::invalid_argument("no experiment '" + what + "'");
    std::printf("%.9g\n", found);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "dnode: %s\n", error.what());
    return 1;
  }
}
