// SPDX-License-Identifier: Apache-2.0
// One member's part of a distributed array: a page of the pool, in which its own elements lie with the halo around them.
//
//   auto part = std::make_shared<DistributedPart>(facts, membership.index(), fill);      // refused where the pool has no room
//   parts_in(membership).add(part, false);
//   auto again = parts_in(membership).find(facts.id);                                    // null: it has ended here
//
// A part lives as long as somebody holds it; one that is kept, until it is let go or the group ends. Threading: a part is its object's; the list has a lock.
#pragma once

#include <map>
#include <mutex>
#include <optional>

#include "distributed/exchange.hpp"
#include "octavo/base/no_copy.hpp"
#include "octavo/data/page.hpp"

namespace octavo::detail {

class DistributedPart : NoCopy {
 public:
  // `fill` may be left out of a part whose elements are all written at once: then only a border is set, to zeros.
  DistributedPart(DistributedFacts facts, std::uint32_t member, const std::optional<Scalar>& fill);
  [[nodiscard]] const DistributedFacts& facts() const noexcept { return facts_; }
  void set_hosts(std::vector<std::string> hosts) { facts_.hosts = std::move(hosts); }
  [[nodiscard]] std::uint32_t member() const noexcept { return member_; }
  [[nodiscard]] const Geometry& geometry() const noexcept { return geometry_; }
  [[nodiscard]] const Page& page() const noexcept { return page_; }
  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::int64_t item() const noexcept { return size_of(facts_.type); }
  [[nodiscard]] Memory memory() const { return {data_, geometry_.wide, &page_}; }
  // facts().text(), made once.
  [[nodiscard]] const std::string& text();
  // Made once for each boundary.
  [[nodiscard]] const Exchange& halo_exchange(boundary how);
  // Its own elements, on both sides.
  [[nodiscard]] const Strips& own() const noexcept { return own_; }

 private:
  DistributedFacts facts_;
  std::uint32_t member_;
  Geometry geometry_;
  Strips own_;
  Page page_;
  std::byte* data_ = nullptr;
  std::map<boundary, Exchange> halo_;
  std::string text_;
};

// Those that a member has of the arrays of one group.
class PartsOfGroup : NoCopy {
 public:
  void add(const std::shared_ptr<DistributedPart>& part, bool keep);
  [[nodiscard]] std::shared_ptr<DistributedPart> find(std::uint64_t array);
  void keep(std::uint64_t array);
  void let_go(std::uint64_t array);

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, std::weak_ptr<DistributedPart>> known_;
  std::map<std::uint64_t, std::shared_ptr<DistributedPart>> kept_;
};
PartsOfGroup& parts_in(Membership& group);

}  // namespace octavo::detail
