// SPDX-License-Identifier: Apache-2.0
#include "process/cycle/probe.hpp"

#include <algorithm>
#include <utility>

namespace octavo::detail {

namespace {
constexpr std::size_t most_paths = 4096, most_rounds = 1024;  // more are forgotten: then a cycle may be missed
}  // namespace

bool asks_surely(const Probe& probe) { return probe.for_group_message && probe.choices.empty(); }

std::set<Address> Passed::take_askers(const Address& first, std::uint64_t wait) {
  auto found = rounds_.find({first, wait});
  return found == rounds_.end() ? std::set<Address>() : std::exchange(found->second.askers, {});
}

void Returned::add(const Probe& probe) {
  if (paths_.size() >= most_paths || parts_.size() >= most_paths) return;
  paths_.insert(probe.choices);
  parts_.insert(probe.part);
  for (const auto& each : probe.members)
    if (std::find(members_.begin(), members_.end(), each) == members_.end()) members_.push_back(each);
}

bool Returned::blocked(std::uint64_t part, const Choices& own) const {
  if (!parts_.contains(part)) return false;
  Choices prefix;
  for (const auto& mine : own) {
    for (std::uint32_t i = 0; i < mine.count; ++i) {
      Choices other = prefix;
      other.push_back(mine);
      other.back().index = i;
      if (!covered(other)) return false;
    }
    prefix.push_back(mine);
  }
  return covered(own);
}

bool Returned::covered(const Choices& prefix) const {
  auto first = paths_.lower_bound(prefix);
  if (first == paths_.end()) return false;
  if (*first == prefix) return true;
  // Those that went on from here chose at one or more waits for any: one of these with all its choices is enough.
  auto at = prefix.size();
  for (auto path = first; path != paths_.end() && path->size() > at && std::equal(prefix.begin(), prefix.end(), path->begin()); ++path) {
    Choices next(path->begin(), path->begin() + static_cast<std::ptrdiff_t>(at) + 1);
    if (next.back().index != 0) continue;  // the one with 0 speaks for all of its wait
    bool all = true;
    for (std::uint32_t i = 0; all && i < next.back().count; ++i) {
      Choices one = next;
      one.back().index = i;
      all = covered(one);
    }
    if (all) return true;
  }
  return false;
}

std::string Returned::members() const {
  std::string text;
  for (const auto& each : members_) text += (text.empty() ? "" : ", ") + each;
  return text;
}

bool Passed::add(const Probe& probe, const Address& from) {
  if (rounds_.size() >= most_rounds) rounds_.clear();
  auto& round = rounds_[{probe.first, probe.wait}];
  if (std::exchange(round.number, probe.round) != probe.round) round.ways.clear();
  if (asks_surely(probe)) round.askers.insert(from);
  return round.ways.size() < most_paths && round.ways.insert(probe.choices).second;
}

}  // namespace octavo::detail
