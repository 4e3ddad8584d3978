// SPDX-License-Identifier: Apache-2.0
#include "data/text/type_code.hpp"

namespace octavo {

namespace {
// int, uint, float, complex.
std::string code_of(dtype type) { return std::string(1, name_of(type)[0]) + std::to_string(size_of(type)); }
}  // namespace

std::optional<dtype> type_of_code(std::string_view code) {
  for (int i = 0; i < dtype_count; ++i)
    if (code_of(static_cast<dtype>(i)) == code) return static_cast<dtype>(i);
  return std::nullopt;
}

std::string type_code(dtype type, byte_order order) { return (size_of(type) == 1 ? "|" : order == byte_order::big ? ">" : "<") + code_of(type); }

std::string convert_it(std::string_view name) {
  bool marked = !name.empty() && std::string_view("<>|=").find(name[0]) != std::string_view::npos;
  std::string_view kind = name.substr(marked ? 1 : 0);
  if (kind == "bool" || kind == "b1") return "Convert it, in Python: a.astype('uint8'), 0 and 1";
  if (kind == "float16" || kind == "f2") return "Convert it, in Python: a.astype('float32')";
  return "Convert it, in Python: a.astype('float64'), or to another of int8 to uint64, float32, complex64, complex128";
}

}  // namespace octavo
