// SPDX-License-Identifier: Apache-2.0
// An array that a NewTarget makes, opened by the other processes that write to it before it has its name.
//
//   octavo::Storage made = octavo::open_unfinished(target.place());
//
// Contract: as open_storage, which refuses it (T-2). Threading: any. Failure: as open_storage.
#pragma once

#include "octavo/data/storage.hpp"

namespace octavo {

Storage open_unfinished(const std::string& path, const std::optional<RawLayout>& raw = std::nullopt);

}  // namespace octavo
