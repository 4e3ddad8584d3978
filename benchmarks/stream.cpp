// SPDX-License-Identifier: Apache-2.0
// What a stream costs, beside FastFlow and oneTBB: each row in pairs (kit/pairs.hpp), on the processors that this program may use. A ratio above 1 is ours
// being better.
//
//   ./dev bench stream --fastflow DIR       with FastFlow; DIR has ff/ff.hpp
//   ./dev bench stream --only WORD          the rows with WORD in their name
//
// 3 empty stages            million values of 8 bytes a second through source, stage and sink, each on a thread, bounded
// 3 empty stages, fused     the same in one thread (inlined)
// farm, N us                thousand items a second of two workers, each item N microseconds of work, in order and not; the limit is two loops without anything
//                           between them
// 8 bytes through a process million values a second, there and back
// 1 MiB to a process        what is taken there; Open MPI sends one buffer again and again, ours is made anew each time
//
// Peers: apt install libtbb-dev openmpi-bin libopenmpi-dev. The limit of the first two is a loop that adds the values.
#include <cstdio>
#include <octavo/stream.hpp>
#include <thread>

#include "kit/options.hpp"
#include "kit/peer.hpp"
#include "kit/table.hpp"
#include "peers/stream/work.hpp"

namespace {

namespace ov = octavo;
using bench::Row, bench::Table;
using Value = std::uint64_t;
constexpr double thousand = 1e-3, million = 1e-6;
constexpr long many = 10'000'000;

double seconds_since(std::chrono::steady_clock::time_point begin) { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); }

template <class Stage>
double items_a_second(long count, Stage stage, bool fused) {
  const auto source = [left = count]() mutable -> std::optional<Value> { return left > 0 ? std::optional<Value>(static_cast<Value>(left--)) : std::nullopt; };
  Value sum = 0;
  const auto stream = ov::pipeline(source, std::move(stage), [&sum](Value value) { sum += value; });
  const auto begin = std::chrono::steady_clock::now();
  fused ? stream.inlined().run() : stream.run();
  const double seconds = seconds_since(begin);
  volatile Value sink = sum;
  (void)sink;
  return static_cast<double>(count) / seconds;
}

double loop_of(long count, std::uint64_t steps) {
  Value sum = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (long i = count; i > 0; --i) {
    sum += work::chain(static_cast<Value>(i), steps);
    asm volatile("" : "+r"(sum));
  }
  return static_cast<double>(count) / seconds_since(begin);
}

std::function<double()> two_loops(long count, std::uint64_t steps) {
  return [count, steps] {
    double other = 0;
    std::thread second([&] { other = loop_of(count, steps); });
    const double first = loop_of(count, steps);
    second.join();
    return (first + other) * thousand;
  };
}

class Others {
 public:
  explicit Others(const std::optional<std::string>& fastflow)
      : onetbb_(bench::installed_peer("peer_onetbb_stream", "libtbb-dev", {}, 1)),
        fastflow_(fastflow ? compiled(*fastflow) : std::make_unique<bench::Peer>("not given: --fastflow DIR, its headers (github.com/fastflow/fastflow)")) {}
  Row::Measures figures(const std::string& what, std::size_t grain, long count, double scale) const {
    return {{"oneTBB", ask(*onetbb_, what, grain, count, scale)}, {"FastFlow", ask(*fastflow_, what, grain, count, scale)}};
  }
  [[nodiscard]] std::function<double()> bounded_fastflow() const { return ask(*fastflow_, "pipe_bounded", 0, many / 10, million); }

 private:
  static std::unique_ptr<bench::Peer> compiled(const std::string& headers) {
    const char* build = R"(c++ -std=c++20 -O3 -DNDEBUG -pthread -w -I "$0" "$1" -o "$2/program" && exec "$2/program" "$2")";
    const std::string source = std::string(OCTAVO_BENCHMARKS_DIR) + "/peers/stream/fastflow.cpp";
    return std::make_unique<bench::Peer>(std::vector<std::string>{"sh", "-c", build, headers, source}, 1);
  }
  static std::function<double()> ask(bench::Peer& peer, const std::string& what, std::size_t grain, long count, double scale) {
    return [&peer, what, grain, count, scale] { return scale * peer.ask(what, grain, count); };
  }
  std::unique_ptr<bench::Peer> onetbb_, fastflow_;
};

void empty_stages(Table& table, const Others& others) {
  for (const bool fused : {false, true}) {
    auto peers = others.figures("pipe", 0, many, million);
    if (!fused) {
      peers.erase("FastFlow");  // its default is unbounded
      peers["FastFlow, bounded"] = others.bounded_fastflow();
    }
    table.add({.name = fused ? "3 empty stages, fused" : "3 empty stages",
               .unit = "M/s",
               .ours =
                   [fused] {
                     return items_a_second(
                                many, [](Value value) { return value; }, fused) *
                            million;
                   },
               .limit_name = "a loop",
               .limit = [] { return loop_of(many, 0) * million; },
               .peers = peers,
               .far_matters = false,
               .pinned = false},
              5);
  }
}

struct Pass {
  Value svc(Value value) const { return value; }
};
struct Take {
  void svc(const std::vector<char>& /*message*/, ov::emit<char>& /*out*/) const {}
};

// One way, to a process that this program makes.
double taken_a_second(std::size_t bytes, long count) {
  const auto source = [left = count, bytes]() mutable -> std::optional<std::vector<char>> {
    return left-- > 0 ? std::optional(std::vector<char>(bytes)) : std::nullopt;
  };
  const auto stream = ov::pipeline(source, ov::stage<Take>().on(ov::process), [](char) {});
  const auto begin = std::chrono::steady_clock::now();
  stream.run();
  return static_cast<double>(count) / seconds_since(begin);
}

void processes(Table& table) {
  const auto mpi = bench::open_mpi(2, {});
  const auto stream = [&mpi](std::size_t bytes, long count) {
    return std::function<double()>([&mpi, bytes, count] { return mpi->ask("stream", bytes, count); });
  };
  constexpr std::size_t large = 1 << 20;
  table.add({.name = "8 bytes through a process",
             .unit = "M/s",
             .ours = [] { return items_a_second(many / 20, ov::stage<Pass>().on(ov::process), false) * million; },
             .limit_name = "a loop",
             .limit = [] { return loop_of(many, 0) * million; },
             .peers = {{"Open MPI, one way", [ask = stream(sizeof(Value), many / 20)] { return ask() / sizeof(Value) * million; }}},
             .far_matters = false,
             .pinned = false},
            5);
  table.add({.name = "1 MiB to a process",
             .unit = "GB/s",
             .ours = [] { return taken_a_second(large, 500) * static_cast<double>(large) * 1e-9; },
             .limit_name = "making it",
             .limit =
                 [] {
                   const auto begin = std::chrono::steady_clock::now();
                   for (int i = 0; i < 500; ++i) {
                     std::vector<char> message(large);
                     asm volatile("" : : "r"(message.data()) : "memory");
                   }
                   return 500 * static_cast<double>(large) / seconds_since(begin) * 1e-9;
                 },
             .peers = {{"Open MPI", [ask = stream(large, 500)] { return ask() * 1e-9; }}},
             .far_matters = false,
             .pinned = false},
            5);
}

void farms(Table& table, const Others& others) {
  for (const std::uint64_t grain : {500, 1'000, 5'000, 50'000}) {
    const long count = static_cast<long>(500'000'000 / grain);
    const auto steps = work::steps_of(grain);
    for (const bool ordered : {true, false}) {
      const auto farm = [steps, ordered] {
        auto made = ov::farm([steps](Value value) { return work::chain(value, steps); }).workers(2);
        return ordered ? std::move(made) : std::move(made).unordered();
      };
      char text[64];
      std::snprintf(text, sizeof text, "farm, %g us%s", static_cast<double>(grain) * thousand, ordered ? "" : ", unordered");
      table.add({.name = text,
                 .unit = "k/s",
                 .ours = [=] { return items_a_second(count, farm(), false) * thousand; },
                 .limit_name = "two loops",
                 .limit = two_loops(count / 2, steps),
                 .peers = others.figures(ordered ? "farm_ordered" : "farm", grain, count, thousand),
                 .aim = grain == 50'000 ? "1.9 of one loop" : "not behind the better",
                 .far_matters = false,
                 .pinned = false},
                5);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const ov::Runtime runtime(argc, argv);
  const auto options = bench::options_of(argc, argv, {"--only", "--fastflow", "--json"});
  const Others others(options.value("--fastflow"));
  Table table(options.value("--only").value_or(""));
  empty_stages(table, others);
  farms(table, others);
  processes(table);
  bench::write(table.results(), options.value("--json"));
  return table.failed() ? 1 : 0;
}
