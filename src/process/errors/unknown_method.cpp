// SPDX-License-Identifier: Apache-2.0
#include "process/errors/unknown_method.hpp"

#include "octavo/process/detail/method.hpp"
#include "octavo/process/errors.hpp"

namespace octavo::detail {

namespace {

std::string text_of(const UnknownMethod::Facts& facts) {
  std::string method = facts.method.empty() ? "no method with the key " + std::to_string(facts.hash) : "no " + facts.method;
  return "'" + facts.program + "' (build " + std::to_string(facts.build) + ") has " + method + ", which a program of build " +
         std::to_string(facts.callers_build) + " called";
}

void encode(wire::Encoder& out, const std::exception& e) { out(dynamic_cast<const UnknownMethod&>(e).facts()); }

void raise(wire::Decoder& in, const std::string&, const remote_origin& from) {
  UnknownMethod::Facts facts;
  in(facts);
  if (facts.method.empty())
    if (const auto* method = find_method(facts.hash)) facts.method = method->key;
  UnknownMethod named(facts);
  throw Arrived<UnknownMethod>(named, named.what(), from);
}

[[maybe_unused]] const bool registered =
    register_error(typeid(UnknownMethod), typeid(Arrived<UnknownMethod>), {"octavo::detail::UnknownMethod", &encode, &raise});

}  // namespace

UnknownMethod::UnknownMethod(const Facts& facts)
    : usage_error(text_of(facts),
                  "Another program's object has the methods that its class names in OCTAVO_REMOTE, and no others; build both from the same sources"),
      facts_(facts) {}

}  // namespace octavo::detail
