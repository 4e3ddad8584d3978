// SPDX-License-Identifier: Apache-2.0
// The objects with names that a home keeps, whether they run or rest, without a Runtime and without waking anything. What `octavo ls` shows.
//
//   for (const auto& each : octavo::saved_objects("ov://data/set"))
//     std::cout << each.name << " " << each.class_name << " generation " << each.generation << "\n";
//   octavo::restore_saved("ov://data/set/PageDevice/34");     // back to the state before, when the current one is damaged or unwanted
//
// `home`: the directory; empty: $OCTAVO_HOME, or octavo/ in the user's state directory. Nothing is made there by looking. Threading: any.
// Failure: usage_error (no such name), refused (it runs; a directory of others), io_error (damage; no earlier state that is whole), timed_out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace octavo {

struct SavedObject {
  std::string name;  // "ov://..."
  std::string class_name;
  std::uint64_t object = 0;      // its id
  double made = 0, saved = 0;    // seconds since 1970; saved 0: never
  std::uint64_t generation = 0;  // how often it was saved
  std::int64_t bytes = 0;        // of its state
  std::int64_t pid = 0;          // 0: it rests
  std::string trouble;           // why its state cannot be read; empty: it can
};

// Those at `prefix` and below, by name; all if it is empty.
std::vector<SavedObject> saved_objects(std::string_view prefix = {}, const std::string& home = {});

// Makes the state before the current one current, and keeps that as ID.damaged. Returns what is current now.
SavedObject restore_saved(std::string_view name, const std::string& home = {});

}  // namespace octavo
