// SPDX-License-Identifier: Apache-2.0
// An exception as it travels: its type's name, text, origin, and its own fields where it has some.
#pragma once

#include <tuple>
#include <type_traits>

#include "octavo/process/errors.hpp"

namespace octavo::detail {

// Encodes the exception; `here` and `method` are added to its trace.
void encode_error(wire::Outgoing& out, const std::exception_ptr& error, const ProcessFacts& here, const std::string& method);
// The exception that arrives: derived from the original's type where that is known here, and from remote_origin.
std::exception_ptr decode_error(wire::Message& message);

// Names a type that travels by more than its text: `parts` gives these of an error, as a tuple, and `make` makes one of them.
template <class E, class Parts, class Make>
bool name_by_parts(const char* name, Parts /*parts*/, Make /*make*/) {
  using Travels = std::invoke_result_t<Parts, const E&>;
  return register_error(typeid(E), typeid(Arrived<E>),
                        {name, [](wire::Encoder& out, const std::exception& e) { std::apply(out, Parts()(dynamic_cast<const E&>(e))); },
                         [](wire::Decoder& in, const std::string& what, const remote_origin& from) {
                           Travels parts;
                           std::apply(in, parts);
                           throw Arrived<E>(std::apply(Make(), std::move(parts)), what, from);
                         }});
}
// Of a type of the standard library's insides, which it throws in place of one that is known: that one's name. Else empty.
std::string standard_name(const std::string& type_name);

}  // namespace octavo::detail
