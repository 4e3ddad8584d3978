// SPDX-License-Identifier: Apache-2.0
// CRC-32C (Castagnoli), as in iSCSI and ext4: of small headers, so by a table.
#pragma once

#include <cstdint>
#include <string_view>

namespace octavo {

std::uint32_t crc32c(std::string_view bytes) noexcept;

}  // namespace octavo
