// SPDX-License-Identifier: Apache-2.0
// Messages as C++ has them, from Python values and back: std::int64_t, double, std::string, std::vector<std::byte>, ArrayPage and tuples of them; and Value, of
// any kind.
//
//   auto value = made_of<double>(type);
//   if (take_message(type, object, value, seconds)) edge.post(value, true);
//   nb::object back = give_message(value);
//
// Threading: with the interpreter's lock, but for what travels. Failure: Misfit, for a value that is no T.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "objects/mailbox/words.hpp"
#include "objects/value/value.hpp"
#include "octavo/data/page.hpp"
#include "octavo/wire/archive.hpp"

namespace octavo::bindings {

using ByteMessage = std::vector<std::byte>;
struct ItemOfTuple;

// A std::tuple whose types are known when the program runs. On the wire it is that tuple.
struct TupleMessage {
  std::vector<ItemOfTuple> items;
  void save(wire::Encoder& out) const;
  void load(wire::Decoder& in);  // into items of the types that come
};
struct ItemOfTuple {
  std::variant<std::int64_t, double, std::string, ByteMessage, ArrayPage, TupleMessage> value;
};

// What does not fit, and why.
struct Misfit {
  std::string text;
};

// One that a message of this type can be received into.
template <class T>
T made_of(const MessageType& /*type*/) {
  return T{};
}
template <>
TupleMessage made_of<TupleMessage>(const MessageType& type);

// False: there was no room in the pool for an array in so many seconds.
using Seconds = std::optional<double>;
bool take_message(nanobind::handle object, Value& into, const Seconds& seconds);
bool take_message(nanobind::handle object, std::int64_t& into, const Seconds& seconds);
bool take_message(nanobind::handle object, double& into, const Seconds& seconds);
bool take_message(nanobind::handle object, std::string& into, const Seconds& seconds);
bool take_message(nanobind::handle object, ByteMessage& into, const Seconds& seconds);
bool take_message(nanobind::handle object, ArrayPage& into, const Seconds& seconds);
bool take_message(nanobind::handle object, TupleMessage& into, const Seconds& seconds);  // one of made_of()

nanobind::object give_message(Value& value);
nanobind::object give_message(std::int64_t value);
nanobind::object give_message(double value);
nanobind::object give_message(const std::string& value);
nanobind::object give_message(const ByteMessage& value);
nanobind::object give_message(ArrayPage& value);  // takes its page
nanobind::object give_message(TupleMessage& value);

}  // namespace octavo::bindings

template <>
inline constexpr bool octavo::wire::owns_what_it_saves<octavo::bindings::TupleMessage> = true;
