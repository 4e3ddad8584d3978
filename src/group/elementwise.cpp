// SPDX-License-Identifier: Apache-2.0
#include "octavo/group/detail/elementwise.hpp"

#include "octavo/group/detail/all.hpp"

namespace octavo::detail {

void raise_lengths(std::size_t left, std::size_t right) {
  throw usage_error("vectors of " + std::to_string(left) + " and " + std::to_string(right) + " elements were to be reduced element by element",
                    "Give vectors of one length at all members");
}

void check_one_for_each(const char* collective, std::size_t values, const Membership& in) {
  if (values == in.size()) return;
  throw usage_error(std::string(collective) + " was given " + std::to_string(values) + " values for " + std::to_string(in.size()) + " members",
                    "Give one value for each member; in scatter the root does");
}

void check_each(std::size_t values, std::size_t members) {
  if (values == members) return;
  throw usage_error("octavo::each has " + std::to_string(values) + " values for " + std::to_string(members) + " members", "Give one value for each member");
}

std::shared_ptr<Membership> split_of(Collective& c, std::int64_t color, std::int64_t key) {
  using ColorAndKey = std::pair<std::int64_t, std::int64_t>;
  auto& whole = c.membership();
  auto all = send_down(c, c.tree(0), gather_up(c, c.tree(0), ColorAndKey(color, key)));
  std::vector<std::pair<std::int64_t, std::uint32_t>> chosen;  // key, index
  for (const auto& [index, choice] : all)
    if (choice.first == color) chosen.emplace_back(choice.second, index);
  std::sort(chosen.begin(), chosen.end());
  Founding of{split_id(c.key(), color), whole.of().class_name, {}, {}};
  std::vector<Life> lives;
  std::uint32_t mine = 0;
  for (std::uint32_t i = 0; i < chosen.size(); ++i) {
    lives.push_back(whole.lives()[chosen[i].second]);
    of.members.push_back(whole.of().members[chosen[i].second]);
    of.lives.push_back(lives.back().pid);
    if (chosen[i].second == whole.index()) mine = i;
  }
  auto part = std::make_shared<Membership>(std::move(of), std::move(lives), mine, &whole);
  keep_split(part);
  return part;
}

}  // namespace octavo::detail
