// SPDX-License-Identifier: Apache-2.0
#include "data/python/by_pages.hpp"

#include <algorithm>

#include "octavo/data/page.hpp"

namespace octavo::detail {

namespace {

constexpr std::size_t least = 1 << 20, in_a_round = 8 << 20;  // bytes

bool on_one_machine(const Membership& group) {
  const auto& members = group.of().members;
  return std::all_of(members.begin(), members.end(), [&](const Address& each) { return each.agent == members.front().agent; });
}

// By index.
std::vector<Page> of_all(Collective& c, Page mine) { return send_down(c, c.tree(0), vector_of(gather_up(c, c.tree(0), std::move(mine)))); }

// The part of `elements` that this member reduces.
std::pair<std::size_t, std::size_t> part_of(std::size_t index, std::size_t members, std::size_t elements) {
  return {elements * index / members, elements * (index + 1) / members};
}

// False: some member found no room, and nothing has changed.
bool reduce_round(Collective& c, ByteSpan data, const Reduction& how) {
  const auto me = c.membership().index(), members = c.membership().size();
  const std::size_t elements = data.size() / how.bytes;
  auto own = Page::try_make(static_cast<std::int64_t>(data.size()));
  if (own) std::copy(data.begin(), data.end(), own->mutable_data());
  const auto given = of_all(c, own ? std::move(*own) : Page());
  if (!std::all_of(given.begin(), given.end(), [](const Page& each) { return static_cast<bool>(each); })) return false;
  for (const auto& each : given)
    if (static_cast<std::size_t>(each.size()) != data.size()) raise_lengths(data.size() / how.bytes, static_cast<std::size_t>(each.size()) / how.bytes);

  const auto [first, end] = part_of(me, members, elements);
  const std::size_t from = first * how.bytes, bytes = (end - first) * how.bytes;
  auto result = Page::try_make(static_cast<std::int64_t>(std::max<std::size_t>(bytes, 1)));
  if (!result) result = Page::make_private(static_cast<std::int64_t>(std::max<std::size_t>(bytes, 1)));
  auto* into = result->mutable_data();
  std::copy_n(given.front().data() + from, bytes, into);
  for (std::size_t i = 1; i < members; ++i) how.combine(into, given[i].data() + from, end - first);

  const auto results = of_all(c, std::move(*result));
  for (std::size_t i = 0; i < members; ++i) {
    const auto [begins, ends] = part_of(i, members, elements);
    std::copy_n(results[i].data(), (ends - begins) * how.bytes, data.begin() + static_cast<std::ptrdiff_t>(begins * how.bytes));
  }
  return true;
}

}  // namespace

bool reduces_by_pages(const Membership& in, std::size_t bytes) { return bytes >= least && in.size() > 1 && on_one_machine(in); }

void all_reduce_by_pages(Collective& c, ByteSpan data, const Reduction& how) {
  const std::size_t most = in_a_round / how.bytes * how.bytes;
  for (std::size_t from = 0; from < data.size(); from += most) {
    const auto part = data.subspan(from, std::min(most, data.size() - from));
    if (reduce_round(c, part, how)) continue;
    all_reduce_in_place(c, data.subspan(from), how);
    break;
  }
}

}  // namespace octavo::detail
