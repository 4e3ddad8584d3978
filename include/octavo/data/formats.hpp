// SPDX-License-Identifier: Apache-2.0
// The formats of arrays by the names that people give them.
//
//   for (const octavo::FormatFacts& each : octavo::formats())
//     if (!each.endings.empty()) std::cout << each.name << ": " << each.endings.front() << "\n";
//   octavo::storage_format format = octavo::format_named("zarr");
//
// One line for each in the table of src/data/format/format.cpp; `store`, of other libraries, is the last. Values; any thread. Failure: usage_error for a name
// that is none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "octavo/data/storage.hpp"

namespace octavo {

struct FormatFacts {
  storage_format format;
  std::string name;
  std::vector<std::string> endings;  // of the path of a new array; none: it is not made by its path
  bool one_block;                    // the array is one block of elements, and has no chunks
  bool paged;                        // its pages may lie on several devices
  bool may_lack_blocks;              // what is not there was never written, and is its fill value
  bool bare;                         // nothing in it says what its shape and its dtype are
};

// In the order of storage_format.
std::vector<FormatFacts> formats();
std::string_view name_of(storage_format format);
storage_format format_named(std::string_view name);

}  // namespace octavo
