// SPDX-License-Identifier: Apache-2.0
// The elements of arrays of numbers on the wire, where each is a std::vector of its numbers, as C++ members have it.
//
//   Elements<8> both = JoinElements<8>{how}(std::move(left), std::move(right));
//
// Threading: that of a collective.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "octavo/data/python/detail/reduce_numbers.hpp"
#include "octavo/group/detail/elementwise.hpp"

namespace octavo::detail {

template <std::size_t Bytes>
struct Elements {
  std::vector<std::byte> bytes;
  [[nodiscard]] std::size_t count() const noexcept { return bytes.size() / Bytes; }
  void save(wire::Encoder& out) const {
    out(cereal::make_size_tag(static_cast<cereal::size_type>(count())));
    out.put_bulk(bytes.data(), bytes.size());
  }
  void load(wire::Decoder& in) {
    cereal::size_type count = 0;
    in(cereal::make_size_tag(count));
    in.check_bytes(count, Bytes);
    bytes.resize(static_cast<std::size_t>(count) * Bytes);
    in.get_bulk(bytes.data(), bytes.size());
  }
};

template <std::size_t Bytes>
struct JoinElements {
  const Reduction& how;
  Elements<Bytes> operator()(Elements<Bytes> left, Elements<Bytes> right) const {
    if (left.count() != right.count()) raise_lengths(left.count(), right.count());
    how.combine(left.bytes.data(), right.bytes.data(), left.count());
    return left;
  }
};

// In place, piece by piece, so that the levels of the tree work at the same time (as all_reduce_elements).
template <std::size_t Bytes>
void all_reduce_in_place(Collective& c, ByteSpan data, const Reduction& how) {
  constexpr std::size_t piece = 256 << 10;
  JoinElements<Bytes> join{how};
  const auto& tree = c.tree(0);
  const auto part = [&](std::size_t from) { return data.subspan(from, std::min(piece, data.size() - from)); };
  const auto elements_of = [](ByteSpan bytes) { return Elements<Bytes>{{bytes.begin(), bytes.end()}}; };
  const auto put = [](const Elements<Bytes>& from, ByteSpan into) {
    if (from.bytes.size() != into.size()) raise_lengths(from.count(), into.size() / Bytes);
    std::memcpy(into.data(), from.bytes.data(), into.size());
  };
  std::size_t from = 0;
  do {
    if (auto all = reduce_up(c, tree, elements_of(part(from)), join)) put(*all, part(from));
  } while ((from += piece) < data.size());
  from = 0;
  do {
    put(send_down(c, tree, tree.parent ? Elements<Bytes>() : elements_of(part(from))), part(from));
  } while ((from += piece) < data.size());
}

template <class F>
auto by_size(std::size_t bytes, F f) {
  switch (bytes) {
    case 1: return f(std::integral_constant<std::size_t, 1>());
    case 2: return f(std::integral_constant<std::size_t, 2>());
    case 4: return f(std::integral_constant<std::size_t, 4>());
    case 8: return f(std::integral_constant<std::size_t, 8>());
    default: return f(std::integral_constant<std::size_t, 16>());
  }
}

// As all_reduce_shared.
inline bool reduce_shared(Collective& c, ByteSpan data, const Reduction& how) {
  using Bytes = std::array<std::byte, Collective::most_shared>;
  if (data.size() > sizeof(Bytes) || !c.share(how.same_everywhere ? std::optional<ByteView>(data) : std::nullopt)) return false;
  for (std::uint32_t member = 0; member < c.membership().size(); ++member) {
    const auto theirs = c.shared_by<Bytes>(member);
    if (member == 0) std::memcpy(data.data(), theirs.data(), data.size());
    else how.combine(data.data(), theirs.data(), data.size() / how.bytes);
  }
  return true;
}

inline void all_reduce_in_place(Collective& c, ByteSpan data, const Reduction& how) {
  if (reduce_shared(c, data, how)) return;
  by_size(how.bytes, [&](auto bytes) { all_reduce_in_place<bytes()>(c, data, how); });
}

}  // namespace octavo::detail
