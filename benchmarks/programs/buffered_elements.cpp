// SPDX-License-Identifier: Apache-2.0
// What [] of a buffered array costs while all 128 MiB of it lie in its buffers, each row in pairs with the same loop over memory (kit/pairs.hpp): the first
// rows of benchmarks/buffered.py.
//
//   buffered_elements [--only WORD] [--json FILE]
#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "buffered/elements.hpp"
#include "kit/options.hpp"
#include "kit/table.hpp"

namespace {

using bench::Table;
constexpr double nanoseconds = 1e9;
constexpr std::chrono::seconds whatever_hangs{300};
const char* const plain = "the loop over memory, not vectorised";

struct Loop {
  std::string name;
  std::function<double()> ours;
  const char* limit_name;
  std::function<double()> limit;
  const char* aim;
};

void add(Table& table, const Loop& loop) {
  table.add({.name = loop.name,
             .unit = "ns",
             .lower_is_better = true,
             .ours = [&] { return loop.ours() * nanoseconds; },
             .limit_name = loop.limit_name,
             .limit = [&] { return loop.limit() * nanoseconds; },
             .aim = loop.aim,
             .far_matters = false},
            9);
}

void elements(Table& table) {
  bench::Elements scene;
  const char* aim = "at most 2.5 times: to the limit 0.4";
  add(table, {"[] read", [&] { return scene.read(); }, plain, [&] { return scene.plain_read(); }, aim});
  add(table, {"[] written", [&] { return scene.write(); }, plain, [&] { return scene.plain_write(); }, aim});
  for (const int bits : {16, 20, 25})
    add(table, {"[] at random over 2^" + std::to_string(bits), [&, bits] { return scene.read_at_random(bits); }, plain,
                [&, bits] { return scene.plain_read_at_random(bits); }, "at most 1.6 times: to the limit 0.63"});
  add(table, {"blocks read", [&] { return scene.read_by_blocks(); }, "the vectorised loop over memory", [&] { return scene.vectorised_read(); },
              "at most 1.1 times: to the limit 0.91"});
}

// As a share of a thread does it.
void shares(Table& table) {
  bench::Elements scene(2);
  const char* aim = "at most 2.5 times: to the limit 0.4";
  add(table, {"[] of a share read", [&] { return scene.read_by_a_share(); }, plain, [&] { return scene.plain_read(); }, aim});
  add(table, {"[] of a share written", [&] { return scene.write_by_a_share(); }, plain, [&] { return scene.plain_write(); }, aim});
}

}  // namespace

int main(int argc, char** argv) {
  ::alarm(whatever_hangs.count());
  try {
    auto options = bench::options_of(argc, argv, {"--only", "--json"});
    Table table(options.value("--only").value_or(""));
    elements(table);
    shares(table);
    bench::write(table.results(), options.value("--json"));
    return table.failed() ? 1 : 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "buffered_elements: %s\n", error.what());
    return 1;
  }
}
