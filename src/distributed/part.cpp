// SPDX-License-Identifier: Apache-2.0
#include "distributed/part.hpp"

#include <algorithm>

#include "octavo/base/error.hpp"

namespace octavo::detail {

namespace {

Page room_for(const DistributedFacts& facts, const Geometry& part, std::uint32_t member) {
  const auto bytes = std::max<std::int64_t>(part.wide.count() * size_of(facts.type), 1);
  auto page = Page::try_make(bytes);
  if (!page)
    throw refused("the pool has no room for " + format_bytes(bytes) + ", what member " + std::to_string(member) + " has of a " + facts.text(),
                  "Give the Runtime more memory, or let go of arrays");
  return std::move(*page);
}

}  // namespace

DistributedPart::DistributedPart(DistributedFacts facts, std::uint32_t member, const std::optional<Scalar>& fill)
    : facts_(std::move(facts)),
      member_(member),
      geometry_(geometry_of(facts_.shape, facts_.split, member)),
      own_(common_to(geometry_, geometry_)),
      page_(room_for(facts_, geometry_, member)),
      data_(page_.mutable_data()) {
  if (!fill && geometry_.wide == geometry_.extents) return;
  with_type(facts_.type, [&](auto zero) {
    using T = decltype(zero);
    auto* first = reinterpret_cast<T*>(data_);
    std::fill(first, first + geometry_.wide.count(), fill ? fill->as<T>() : T{});
  });
}

const std::string& DistributedPart::text() {
  if (text_.empty()) text_ = facts_.text();
  return text_;
}

const Exchange& DistributedPart::halo_exchange(boundary how) {
  auto [at, fresh] = halo_.try_emplace(how);
  if (!fresh) return at->second;
  const auto& shape = facts_.shape;
  for (std::uint32_t peer = 0; peer < facts_.group.members.size(); ++peer) {
    const auto theirs = geometry_of(shape, facts_.split, peer);
    at->second.add(peer, shown_of(geometry_, theirs, shape, how), shown_of(theirs, geometry_, shape, how), theirs.wide, item());
  }
  return at->second;
}

void PartsOfGroup::add(const std::shared_ptr<DistributedPart>& part, bool keep) {
  std::lock_guard lock(mutex_);
  std::erase_if(known_, [](const auto& each) { return each.second.expired(); });
  known_[part->facts().id] = part;
  if (keep) kept_[part->facts().id] = part;
}

std::shared_ptr<DistributedPart> PartsOfGroup::find(std::uint64_t array) {
  std::lock_guard lock(mutex_);
  const auto found = known_.find(array);
  return found == known_.end() ? nullptr : found->second.lock();
}

void PartsOfGroup::keep(std::uint64_t array) {
  auto part = find(array);
  std::lock_guard lock(mutex_);
  if (part) kept_[array] = std::move(part);
}

void PartsOfGroup::let_go(std::uint64_t array) {
  std::shared_ptr<DistributedPart> last;  // ends outside of the lock
  std::lock_guard lock(mutex_);
  if (const auto found = kept_.find(array); found != kept_.end()) {
    last = std::move(found->second);
    kept_.erase(found);
  }
}

PartsOfGroup& parts_in(Membership& group) {
  return *static_cast<PartsOfGroup*>(group.keep([] { return std::make_shared<PartsOfGroup>(); }));
}

}  // namespace octavo::detail
