// SPDX-License-Identifier: Apache-2.0
#include "octavo/data/dtype.hpp"

#include <array>
#include <string>

#include "data/text/type_code.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {
constexpr std::array<std::string_view, dtype_count> type_names{"int8",   "int16",  "int32",   "int64",   "uint8",     "uint16",
                                                               "uint32", "uint64", "float32", "float64", "complex64", "complex128"};
constexpr std::array<std::int64_t, dtype_count> sizes{1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 8, 16};
}  // namespace

std::int64_t size_of(dtype type) noexcept { return sizes[static_cast<std::size_t>(type)]; }
std::string_view name_of(dtype type) noexcept { return type_names[static_cast<std::size_t>(type)]; }

dtype parse_dtype(std::string_view name) {
  for (std::size_t i = 0; i < type_names.size(); ++i)
    if (type_names[i] == name) return static_cast<dtype>(i);
  std::string list;
  for (auto known : type_names) list += (list.empty() ? "" : ", ") + std::string(known);
  throw not_supported("dtype '" + std::string(name.substr(0, 80)) + "' is not supported", "Supported are " + list + ". " + convert_it(name));
}

bool is_complex(dtype type) noexcept { return type == dtype::complex64 || type == dtype::complex128; }

dtype transformed(dtype type) noexcept { return type == dtype::float32 || type == dtype::complex64 ? dtype::complex64 : dtype::complex128; }

}  // namespace octavo
