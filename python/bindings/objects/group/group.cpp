// SPDX-License-Identifier: Apache-2.0
#include "objects/group/group.hpp"

#include "lock.hpp"
#include "objects/exchange.hpp"
#include "objects/future.hpp"
#include "objects/method.hpp"
#include "objects/pointer.hpp"
#include "octavo/process/detail/other_languages.hpp"
#include "text.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace octavo::bindings {

namespace {

using detail::Founding;

std::vector<Address> addresses_of(nb::sequence pointers) {
  std::vector<Address> all;
  for (auto each : pointers) all.push_back(address_of(each));
  return all;
}

GroupFacts found_group(const nb::sequence& pointers, const std::string& class_name) {
  Founding of{detail::new_group_id(), class_name, addresses_of(pointers), {}};
  {
    const Unlocked unlocked;
    const detail::Visit visit;
    detail::found(of);
  }
  return {std::make_shared<const Founding>(std::move(of))};
}

// One that its members know already.
GroupFacts known_group(std::uint64_t id, const std::string& class_name, const nb::sequence& members, const nb::sequence& lives) {
  Founding of{id, class_name, {}, {}};
  for (auto each : members) {
    const auto address = nb::cast<nb::tuple>(each);
    of.members.push_back({nb::cast<std::uint64_t>(address[0]), nb::cast<std::uint32_t>(address[1]), nb::cast<std::uint64_t>(address[2])});
  }
  for (auto each : lives) of.lives.push_back(nb::cast<std::int64_t>(each));
  return {std::make_shared<const Founding>(std::move(of))};
}

nb::tuple facts_of(const GroupFacts& group) {
  nb::list members, lives;
  for (const auto& each : group.of->members) members.append(nb::make_tuple(each.agent, each.incarnation, each.object));
  for (const auto life : group.of->lives) lives.append(life);
  return nb::make_tuple(group.of->id, group.of->class_name, nb::tuple(members), nb::tuple(lives));
}

// `request_of(i)` encodes what member i is asked. A call that could not even be sent fails as one that was.
template <class RequestOf>
nb::object start_each(const GroupFacts& group, const RequestOf& request_of) {
  const auto& members = group.of->members;
  std::vector<std::pair<Value, how>> requests;
  for (std::size_t i = 0; i < members.size(); ++i) requests.push_back(request_of(i));
  detail::CallToAll which{group.of->id, detail::new_number(), 0};
  std::vector<future<Value>> started;
  {
    const Unlocked unlocked;
    for (std::size_t i = 0; i < members.size(); ++i) {
      which.life = i < group.of->lives.size() ? group.of->lives[i] : 0;
      try {
        started.push_back(begin_to_all(members[i], std::move(requests[i].first), requests[i].second, which));
      } catch (...) {
        promise<Value> failed;
        started.push_back(failed.get_future());
        failed.set_exception(std::current_exception());
      }
    }
  }
  return make_future(detail::when_all_of(std::move(started), group.of), members);
}

// `calls`: (method, positional, by name) of each member.
nb::object start_methods(const GroupFacts& group, const nb::sequence& calls) {
  return start_each(group, [&](std::size_t i) {
    const auto call = nb::cast<nb::tuple>(calls[i]);
    return request_of_method(call[0], nb::cast<nb::tuple>(call[1]), nb::cast<nb::dict>(call[2]));
  });
}

nb::object start_perform_all(const GroupFacts& group, nb::handle name, const nb::sequence& arguments) {
  return start_each(group, [&](std::size_t i) {
    nb::object of_member = arguments[i];
    return std::pair(request_to_perform(group.of->members[i], name, of_member), how::at_once);
  });
}

}  // namespace

void add_group(nb::module_& m) {
  nb::class_<GroupFacts>(m, "GroupFacts")
      .def_prop_ro("id", [](const GroupFacts& self) { return self.of->id; })
      .def("facts", &facts_of)
      .def("barrier",
           [](const GroupFacts& self) {
             const Unlocked unlocked;
             const detail::Visit visit;
             detail::barrier_from_outside(*self.of);
           })
      .def("start_methods", &start_methods, "calls"_a)
      .def("start_perform", &start_perform_all, "name"_a, "arguments"_a);
  m.def("found_group", &found_group, "pointers"_a, "class_name"_a);
  m.def("known_group", &known_group, "id"_a, "class_name"_a, "members"_a, "lives"_a);
}

}  // namespace octavo::bindings
