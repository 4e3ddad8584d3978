// SPDX-License-Identifier: Apache-2.0
// What it costs to reach data that processes share, each row in pairs with its limit (kit/pairs.hpp).
//
//   ./dev bench data [--only WORD] [--json FILE]
//
// store to a segment            eight bytes, in 64 KiB and over 64 MiB; the limit is the same in memory of the process's own
// store to a segment, locked    under a mutex that nobody else wants; the limit is one under two compare-and-swaps
// named array, write and read   128 MiB of pages of 4 MiB, 8 in flight, by a device with a name; the limit is a device of the program
// write behind                  the same until the device has it in its cache; the limit is writing it
// 16 clients x 96 devices       256 MiB, each client a slab of its own; the limit is 16 threads at 96 files
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <octavo/process.hpp>

#include "data/arrays.hpp"
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

void add_rate(Table& table, const char* name, double bytes, const std::function<double()>& ours, const char* limit_name, const std::function<double()>& limit,
              const char* aim) {
  constexpr double mebibyte = 1 << 20;
  table.add({.name = name,
             .unit = "MiB/s",
             .lower_is_better = false,
             .ours = [=] { return bytes / mebibyte / ours(); },
             .limit_name = limit_name,
             .limit = [=] { return bytes / mebibyte / limit(); },
             .aim = aim,
             .far_matters = false,
             .pinned = false},
            9);
}

void arrays(Table& table) {
  const std::vector<std::string> names{"named array, write", "named array, read", "write behind"};
  if (std::ranges::any_of(names, [&](const auto& name) { return table.wants(name); })) {
    bench::ArrayScene scene;
    const double bytes = bench::ArrayScene::bytes;
    add_rate(
        table, "named array, write", bytes, [&] { return scene.write_named(); }, "by a device of the program", [&] { return scene.write_own(); }, "0.9");
    add_rate(
        table, "named array, read", bytes, [&] { return scene.read_named(); }, "by a device of the program", [&] { return scene.read_own(); }, "0.7");
    add_rate(
        table, "write behind", bytes, [&] { return scene.write_behind(); }, "a write", [&] { return scene.write_own(); }, "");
  }
  if (!table.wants("16 clients x 96 devices, write") && !table.wants("16 clients x 96 devices, read")) return;
  bench::WideScene wide;
  add_rate(
      table, "16 clients x 96 devices, write", bench::WideScene::bytes, [&] { return wide.write(); }, "16 threads that write the files",
      [&] { return wide.write_files(); }, "");
  add_rate(
      table, "16 clients x 96 devices, read", bench::WideScene::bytes, [&] { return wide.read(); }, "16 threads that read the files",
      [&] { return wide.read_files(); }, "");
}

}  // namespace

int main(int argc, char** argv) {
  const auto home = std::filesystem::temp_directory_path() / ("octavo-bench-home-" + std::to_string(::getpid()));
  octavo::Runtime runtime(argc, argv, {.memory = octavo::GiB, .ring_bytes = 32 * octavo::KiB, .home = home.string()});
  ::alarm(whatever_hangs.count());
  try {
    auto options = bench::options_of(argc, argv, {"--only", "--json"});
    Table table(options.value("--only").value_or(""));
    segments(table);
    arrays(table);
    std::filesystem::remove_all(home);
    bench::write(table.results(), options.value("--json"));
    return table.failed() ? 1 : 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "data: %s\n", error.what());
    return 1;
  }
}
