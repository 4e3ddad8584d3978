// SPDX-License-Identifier: Apache-2.0
// CRC-32C (Castagnoli), as in iSCSI, ext4 and Zarr: by the processor's instruction where it has one, else by a table.
#pragma once

#include <cstdint>
#include <string_view>

namespace octavo {

std::uint32_t crc32c(std::string_view bytes) noexcept;

namespace detail {
// The way without the instruction.
std::uint32_t crc32c_by_table(std::string_view bytes) noexcept;
}  // namespace detail

}  // namespace octavo
