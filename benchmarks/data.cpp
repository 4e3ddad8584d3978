// SPDX-License-Identifier: Apache-2.0
// What it costs to reach data that processes share, each row in pairs with its limit (kit/pairs.hpp).
//
//   ./dev bench data [--only WORD] [--json FILE]
//
// store to a segment            eight bytes, in 64 KiB and over 64 MiB; the limit is the same in memory of the process's own
// store to a segment, locked    under a mutex that nobody else wants; the limit is one under two compare-and-swaps
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <octavo/process.hpp>

#include "data/segments.hpp"
#include "kit/options.hpp"
#include "kit/table.hpp"

namespace {

using bench::Table;
constexpr double nanoseconds = 1e9;
constexpr std::chrono::seconds whatever_hangs{480};

void segments(Table& table) {
  auto store = [&](const char* name, std::size_t bytes) {
    table.add({.name = name,
               .unit = "ns",
               .lower_is_better = true,
               .ours = [bytes] { return bench::segment_store(bytes) * nanoseconds; },
               .limit_name = "a store to memory of its own",
               .limit = [bytes] { return bench::plain_store(bytes) * nanoseconds; },
               .aim = "1.0 of the limit",
               .far_matters = false});
  };
  store("store to a segment, 64 KiB", bench::near);
  store("store to a segment, 64 MiB", bench::wide);
  table.add({.name = "store to a segment, locked",
             .unit = "ns",
             .lower_is_better = true,
             .ours = [] { return bench::locked_segment_store() * nanoseconds; },
             .limit_name = "a store under two compare-and-swaps",
             .limit = [] { return bench::locked_plain_store() * nanoseconds; },
             .far_matters = false});
}

}  // namespace

int main(int argc, char** argv) {
  octavo::Runtime runtime(argc, argv);
  ::alarm(whatever_hangs.count());
  try {
    auto options = bench::options_of(argc, argv, {"--only", "--json"});
    Table table(options.value("--only").value_or(""));
    segments(table);
    bench::write(table.results(), options.value("--json"));
    return table.failed() ? 1 : 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "data: %s\n", error.what());
    return 1;
  }
}
