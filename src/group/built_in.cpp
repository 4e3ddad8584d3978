// SPDX-License-Identifier: Apache-2.0
#include "octavo/group/detail/built_in.hpp"

#include "octavo/base/log.hpp"

namespace octavo::detail {

namespace {

using Asked = std::vector<std::shared_ptr<State<void>>>;

// A call that could not even be sent fails as one that was. `which` of one that is no call to all has no number.
Asked ask(const Founding& group, const Method& method, const EncodeFor& encode, CallToAll which) {
  Asked asked;
  for (std::uint32_t i = 0; i < group.members.size(); ++i) {
    asked.push_back(std::make_shared<State<void>>());
    which.life = i < group.lives.size() ? group.lives[i] : 0;
    try {
      wire::Outgoing out;
      wire::Encoder encoder(out);
      encode(encoder, i);
      if (which) append_call_to_all(out, which);
      begin_call(asked.back(), group.members[i], wire::frame_kind::call, method, out);
    } catch (...) {
      asked.back()->fail(std::current_exception());
    }
  }
  return asked;
}

void hear_all(const Founding& group, const Asked& asked, const HearFrom& hear) {
  std::exception_ptr first;
  for (std::uint32_t i = 0; i < asked.size(); ++i) {
    try {
      auto answer = finish_call(*asked[i]);
      hear(answer, i);
    } catch (...) {
      if (!first) first = naming_member(std::current_exception(), group, i);
    }
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace

const Method* register_for_all(const char* key, void (*run)(Hosted&, wire::Message&, const Reply&)) {
  Method method;
  method.key = key;
  method.type = &typeid(Membership);
  method.class_name = "octavo::group";
  method.run = run;
  return register_method(std::move(method));
}

void call_each(const Founding& group, const Method& method, const EncodeFor& encode, const HearFrom& hear) {
  hear_all(group, ask(group, method, encode, {}), hear);
}

void call_all(const Founding& group, const Method& method, const EncodeFor& encode, const HearFrom& hear) {
  hear_all(group, ask(group, method, encode, {group.id, new_number(), 0}), hear);
}

void tell_each(const Founding& group, const Method& method, const EncodeFor& encode) noexcept {
  try {
    ask(group, method, encode, {});
  } catch (const std::exception& e) {
    log_line("the members of a group of " + group.class_name + " could not be told: " + e.what());
  }
}

}  // namespace octavo::detail
