// SPDX-License-Identifier: Apache-2.0
#include "distributed/collectives.hpp"

#include "octavo/base/error.hpp"
#include "octavo/group/detail/elementwise.hpp"

namespace octavo::detail {

namespace {

std::string text_of(boundary how) {
  constexpr const char* names[] = {"nearest", "reflect", "periodic", "a value", "none"};
  return names[static_cast<std::size_t>(how)];
}

// Another number for each array of a group, and the same at all members, without a word between them.
std::uint64_t id_of_array(const Collective& c) { return split_id(c.key(), INT64_MIN); }

void fill_beyond(const DistributedPart& part, const Scalar& value) {
  with_type(part.facts().type, [&](auto zero) {
    using T = decltype(zero);
    const auto strips = beyond_array(part.geometry(), part.facts().shape);
    Walk walk(strips, &Overlap::to, part.data(), part.geometry().wide, sizeof(T));
    for (auto piece = walk.next(INT64_MAX); !piece.empty(); piece = walk.next(INT64_MAX)) {
      auto* first = reinterpret_cast<T*>(piece.data());
      std::fill(first, first + piece.size() / sizeof(T), value.as<T>());
    }
  });
}

Exchange between(const DistributedPart& from, const DistributedPart& to) {
  Exchange plan;
  const auto& shape = from.facts().shape;
  for (std::uint32_t peer = 0; peer < from.facts().group.members.size(); ++peer) {
    const auto theirs = geometry_of(shape, from.facts().split, peer);
    plan.add(peer, common_to(from.geometry(), geometry_of(shape, to.facts().split, peer)), common_to(theirs, to.geometry()), theirs.wide, from.item());
  }
  return plan;
}

}  // namespace

// It ends for nobody before all have their parts.
std::shared_ptr<DistributedPart> make_part(Membership& in, DistributedFacts facts, const Scalar& fill) {
  facts.split.check(facts.shape, in.size());
  const auto text = "making a distributed array of " + facts.shape.text() + " " + std::string(name_of(facts.type)) + ", split " + facts.split.text();
  return in_collective(in, text, spacing::together, [&](Collective& c) {
    facts.id = id_of_array(c);
    auto part = std::make_shared<DistributedPart>(std::move(facts), in.index(), fill);
    auto hosts = gather_up(c, c.tree(0), facts_of_object().machine);
    part->set_hosts(send_down(c, c.tree(0), vector_of(std::move(hosts))));
    return part;
  });
}

std::shared_ptr<DistributedPart> make_unset(Membership& in, DistributedFacts facts, const std::string& doing) {
  return in_collective(in, doing, spacing::bounded, [&](Collective& c) {
    facts.id = id_of_array(c);
    return std::make_shared<DistributedPart>(std::move(facts), in.index(), std::nullopt);
  });
}

std::shared_ptr<DistributedPart> make_like(Membership& in, const DistributedPart& part, dtype type) {
  auto facts = part.facts();
  facts.type = type;
  return make_unset(in, std::move(facts), "an array like " + part.facts().text());
}

void exchange_halo(Membership& in, DistributedPart& part, boundary how, const Scalar& beyond) {
  check_boundary(part.facts().shape, part.facts().split.halo(), how);
  in_collective(in, "exchange_halo (" + text_of(how) + ") of " + part.text(), spacing::bounded, [&](Collective& c) {
    exchange(c, part.halo_exchange(how), part.memory(), part.memory());
    if (how == boundary::value) fill_beyond(part, beyond);
  });
}

std::shared_ptr<DistributedPart> resplit(Membership& in, const DistributedPart& part, const Split& split) {
  split.check(part.facts().shape, in.size());
  auto facts = part.facts();
  facts.split = split;
  return in_collective(in, "resplit to " + split.text() + " of " + part.facts().text(), spacing::bounded, [&](Collective& c) {
    facts.id = id_of_array(c);
    auto made = std::make_shared<DistributedPart>(std::move(facts), in.index(), std::nullopt);
    exchange(c, between(part, *made), part.memory(), made->memory());
    return made;
  });
}

// Pages go up the tree: as references within a machine, and their bytes once from each other one. They are read before anybody goes on.
void gather(Membership& in, const DistributedPart& part, std::uint32_t root, std::byte* to) {
  in.check_index(root, "root");
  in_collective(in, "gather to " + std::to_string(root) + " of " + part.facts().text(), spacing::together, [&](Collective& c) {
    const auto& tree = c.tree(root);
    const auto pages = gather_up(c, tree, part.page());
    if (!tree.parent) {
      const auto& shape = part.facts().shape;
      const auto whole = whole_of(shape);
      for (const auto& [member, page] : pages) {
        const auto theirs = geometry_of(shape, part.facts().split, member);
        if (page.size() < theirs.wide.count() * part.item()) throw io_error("member " + std::to_string(member) + " sent less than its part");
        const auto strips = common_to(theirs, whole);
        Walk from(strips, &Overlap::from, const_cast<std::byte*>(page.data()), theirs.wide, part.item()), into(strips, &Overlap::to, to, shape, part.item());
        copy(from, into);
      }
    }
    send_down(c, tree, true);
  });
}

}  // namespace octavo::detail
