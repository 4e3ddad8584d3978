// SPDX-License-Identifier: Apache-2.0
// What a buffered array costs, each row in pairs with its limit (kit/pairs.hpp).
//
//   ./dev bench buffered [--only WORD] [--json FILE] [--bytes 4GiB] [--memory 2GiB]
//
// [] read, written, at random     while all 128 MiB lie in the buffers; the limit is the same loop over memory, not vectorised
// blocks read                     the same by blocks; the limit is the vectorised loop
// inner product                   two vectors on disk from a cold cache, --bytes each, within --memory; the limit is to read both past the page cache
//
// The files lie in the working directory.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <octavo/base/bytes.hpp>

#include "buffered/elements.hpp"
#include "buffered/inner_product.hpp"
#include "kit/options.hpp"
#include "kit/table.hpp"

namespace {

using bench::Table;
constexpr double nanoseconds = 1e9, mebibyte = 1 << 20;
constexpr std::chrono::seconds whatever_hangs{900};

void add_loop(Table& table, const std::string& name, const std::function<double()>& ours, const char* limit_name, const std::function<double()>& limit,
              const char* aim) {
  table.add({.name = name,
             .unit = "ns",
             .lower_is_better = true,
             .ours = [=] { return ours() * nanoseconds; },
             .limit_name = limit_name,
             .limit = [=] { return limit() * nanoseconds; },
             .aim = aim,
             .far_matters = false},
            9);
}

void elements(Table& table) {
  bench::Elements scene;
  const char* plain = "the loop over memory, not vectorised";
  add_loop(
      table, "[] read", [&] { return scene.read(); }, plain, [&] { return scene.plain_read(); }, "at most 2.5 times: to the limit 0.4");
  add_loop(
      table, "[] written", [&] { return scene.write(); }, plain, [&] { return scene.plain_write(); }, "at most 2.5 times: to the limit 0.4");
  for (const int bits : {16, 20, 25})
    add_loop(
        table, "[] at random over 2^" + std::to_string(bits), [&, bits] { return scene.read_at_random(bits); }, plain,
        [&, bits] { return scene.plain_read_at_random(bits); }, "at most 1.6 times: to the limit 0.63");
  add_loop(
      table, "blocks read", [&] { return scene.read_by_blocks(); }, "the vectorised loop over memory", [&] { return scene.vectorised_read(); },
      "at most 1.1 times: to the limit 0.91");
}

void inner_product(Table& table, std::int64_t bytes, std::int64_t memory) {
  const bench::InnerProduct scene(bytes, memory);
  auto add = [&](const char* name, const std::function<double()>& ours, const char* aim) {
    table.add({.name = name,
               .unit = "MiB/s",
               .lower_is_better = false,
               .ours = [=] { return ours() / mebibyte; },
               .limit_name = "both files read past the page cache",
               .limit = [&] { return scene.disk() / mebibyte; },
               .peers = {{"mmap", [&] { return scene.mapped() / mebibyte; }}},
               .aim = aim,
               .far_matters = false,
               .pinned = false},
              5);
  };
  add(
      "inner product, blocks", [&] { return scene.by_blocks(); }, "0.9 of the disk");
  add(
      "inner product, []", [&] { return scene.by_elements(); }, "ahead of mmap");
}

}  // namespace

int main(int argc, char** argv) {
  ::alarm(whatever_hangs.count());
  try {
    auto options = bench::options_of(argc, argv, {"--only", "--json", "--bytes", "--memory"});
    Table table(options.value("--only").value_or(""));
    if (table.wants("[] read") || table.wants("[] at random") || table.wants("blocks read")) elements(table);
    if (table.wants("inner product, blocks") || table.wants("inner product, []"))
      inner_product(table, octavo::parse_bytes(options.value("--bytes").value_or("4GiB")), octavo::parse_bytes(options.value("--memory").value_or("2GiB")));
    bench::write(table.results(), options.value("--json"));
    return table.failed() ? 1 : 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "buffered: %s\n", error.what());
    return 1;
  }
}
