// SPDX-License-Identifier: Apache-2.0
// Which names of mailboxes are of the home, and so known to all its programs: "ov://home/...".
#pragma once

#include <string_view>

namespace octavo {

inline bool is_of_home(std::string_view name) noexcept { return name.starts_with("ov://home/"); }

}  // namespace octavo
