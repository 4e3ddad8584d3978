// SPDX-License-Identifier: Apache-2.0
#include <complex>
#include <cstdint>
#include <cstring>

#include "data/python/by_pages.hpp"
#include "octavo/base/element_operations.hpp"
#include "octavo/data/python/detail/reduce_numbers.hpp"
#include "octavo/process/detail/method.hpp"

namespace octavo::detail {

namespace {

template <class E, class Op>
void combine(std::byte* into, const std::byte* other, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    E a{}, b{};
    std::memcpy(&a, into + i * sizeof(E), sizeof(E));
    std::memcpy(&b, other + i * sizeof(E), sizeof(E));
    const E both = Op::of(a, b);
    std::memcpy(into + i * sizeof(E), &both, sizeof(E));
  }
}

struct Entry {
  std::string_view dtype, operation;
  Reduction how;
};

template <class E, class Op>
Entry entry(std::string_view dtype, std::string_view operation) {
  return {dtype, operation, {type_name<E>(), sizeof(E), &combine<E, Op>, true}};
}

template <class E>
void add_numbers(std::vector<Entry>& to, std::string_view dtype) {
  to.push_back(entry<E, Sum>(dtype, "sum"));
  to.push_back(entry<E, Product>(dtype, "prod"));
  if constexpr (!std::is_class_v<E>) {
    to.push_back(entry<E, Least>(dtype, "min"));
    to.push_back(entry<E, Greatest>(dtype, "max"));
  }
}

std::vector<Entry> all_entries() {
  std::vector<Entry> all;
  add_numbers<std::int8_t>(all, "int8");
  add_numbers<std::int16_t>(all, "int16");
  add_numbers<std::int32_t>(all, "int32");
  add_numbers<std::int64_t>(all, "int64");
  add_numbers<std::uint8_t>(all, "uint8");
  add_numbers<std::uint16_t>(all, "uint16");
  add_numbers<std::uint32_t>(all, "uint32");
  add_numbers<std::uint64_t>(all, "uint64");
  add_numbers<float>(all, "float32");
  add_numbers<double>(all, "float64");
  add_numbers<std::complex<float>>(all, "complex64");
  add_numbers<std::complex<double>>(all, "complex128");
  return all;
}

}  // namespace

const Reduction* reduction_of(std::string_view dtype, std::string_view operation) {
  static const auto all = all_entries();
  for (const auto& each : all)
    if (each.dtype == dtype && each.operation == operation) return &each.how;
  return nullptr;
}

bool reduce_numbers(Membership& in, ByteSpan data, const Reduction& how, std::int64_t root) {
  const auto extent = "[" + std::to_string(data.size() / how.bytes) + "]";
  const std::string type(how.type_name);
  if (root == everywhere) {
    const bool by_pages = reduces_by_pages(in, data.size());  // said, for a member of octavo::self<Class>() would do it otherwise
    in_collective(in, "all_reduce of " + type + extent + (by_pages ? " by pages" : ""), spacing::together,
                  [&](Collective& c) { by_pages ? all_reduce_by_pages(c, data, how) : all_reduce_in_place(c, data, how); });
    return true;
  }
  in.check_index(static_cast<std::size_t>(root), "root");
  return in_collective(in, "reduce of std::vector<" + type + "> to " + std::to_string(root) + " " + extent, spacing::bounded, [&](Collective& c) {
    return by_size(how.bytes, [&](auto bytes) {
      JoinElements<bytes()> join{how};
      auto all = reduce_up(c, c.tree(static_cast<std::uint32_t>(root)), Elements<bytes()>{{data.begin(), data.end()}}, join);
      if (all) std::memcpy(data.data(), all->bytes.data(), data.size());
      return all.has_value();
    });
  });
}

}  // namespace octavo::detail
