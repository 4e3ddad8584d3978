// SPDX-License-Identifier: Apache-2.0
#include "octavo/data/python/member.hpp"

namespace octavo {

namespace detail {

void raise_no_operation(dtype type) {
  throw usage_error("the operation of a reduction does not take elements of " + std::string(name_of(type)), "Give one that does, or an array of another type");
}

void check_one_size(const ArrayPage& left, const ArrayPage& right) {
  if (left.type() == right.type() && left.shape() == right.shape()) return;
  throw usage_error("an array of " + std::string(name_of(left.type())) + " (" + left.shape().text() + ") and one of " + std::string(name_of(right.type())) +
                        " (" + right.shape().text() + ") were to be reduced element by element",
                    "Give arrays of one type and shape at all members");
}

}  // namespace detail

namespace python {

group::group(std::vector<object> members) : members_(std::move(members)) {
  octavo::detail::Founding of{octavo::detail::new_group_id(), members_.empty() ? "" : members_.front().title(), {}, {}};
  for (const auto& each : members_) of.members.push_back(each.address());
  octavo::detail::found(of);
  of_ = std::make_shared<const octavo::detail::Founding>(std::move(of));
}

group group::known(std::shared_ptr<const octavo::detail::Founding> of) {
  group made;
  for (const auto& each : of->members) made.members_.emplace_back(each, of->class_name);
  made.of_ = std::move(of);
  return made;
}

member self() {
  auto in = octavo::detail::membership_in(0);
  if (!in) octavo::detail::raise_no_member(0);
  return member(std::move(in));
}
member self(const group& g) {
  auto in = g.id() != 0 ? octavo::detail::membership_in(g.id()) : nullptr;
  if (!in) octavo::detail::raise_no_member(g.id());
  return member(std::move(in));
}

}  // namespace python
}  // namespace octavo
