// SPDX-License-Identifier: Apache-2.0
#include "objects/stream/joint.hpp"

#include <nanobind/stl/string.h>

#include "objects/message/waiting.hpp"
#include "octavo/process/errors.hpp"
#include "octavo/stream/detail/joint/joint.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace octavo::bindings {

namespace {

using stream::JointIn, stream::JointOut;

template <class Work>
auto aside(const Work& work) {
  const Unlocked unlocked;
  const detail::Visit visit;
  return told_of_end(work);
}

std::exception_ptr why_of(const std::string& text, bool was_cancelled) {
  if (was_cancelled) return std::make_exception_ptr(cancelled(text));
  return std::make_exception_ptr(std::runtime_error(text));
}

std::chrono::milliseconds in_whole(WaitClock::duration time) { return std::chrono::ceil<std::chrono::milliseconds>(time); }

void add_joint_out(nb::module_& m) {
  nb::class_<JointOut>(m, "JointOut")
      .def(
          "__init__", [](JointOut* self, const std::string& box) { aside([&] { new (self) JointOut(box); }); }, "box"_a)
      .def_prop_ro("items", &JointOut::items)
      .def("look", [](JointOut& self) { aside([&] { self.look(); }); })
      .def("look_at_other", [](JointOut& self) { aside([&] { self.look_at_other(); }); })
      .def(
          "say_end", [](JointOut& self, std::uint64_t posted) { aside([&] { self.say_end(posted); }); }, "posted"_a)
      .def(
          "say_broken",
          [](JointOut& self, std::uint64_t posted, const std::string& why, bool was_cancelled) {
            aside([&] { self.say_broken(posted, why_of(why, was_cancelled)); });
          },
          "posted"_a, "why"_a, "cancelled"_a)
      .def(
          "is_taken",
          [](JointOut& self, double timeout) { return wait_in_steps(timeout, [&](WaitClock::duration time) { return self.is_taken(in_whole(time)); }); },
          "timeout"_a);
}

void add_joint_in(nb::module_& m) {
  nb::class_<JointIn>(m, "JointIn")
      .def(
          "__init__", [](JointIn* self, const std::string& box) { aside([&] { new (self) JointIn(box); }); }, "box"_a)
      .def_prop_ro("items", &JointIn::items)
      .def_prop_ro("is_joined", &JointIn::is_joined)
      .def(
          "accept", [](JointIn& self, double timeout) { return wait_in_steps(timeout, [&](WaitClock::duration time) { return self.accept(in_whole(time)); }); },
          "timeout"_a)
      .def(
          "is_over", [](JointIn& self, std::uint64_t taken) { return aside([&] { return self.is_over(taken); }); }, "taken"_a)
      .def(
          "leave", [](JointIn& self, const std::string& why, bool was_cancelled) { aside([&] { self.leave(why_of(why, was_cancelled)); }); }, "why"_a,
          "cancelled"_a);
}

}  // namespace

void add_joint(nb::module_& m) {
  add_joint_out(m);
  add_joint_in(m);
}

}  // namespace octavo::bindings
