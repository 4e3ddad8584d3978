// SPDX-License-Identifier: Apache-2.0
// octavo._core.ChannelEnd: the writer or the reader of a channel of Python values. It travels as a part of a value (value/value.hpp), and is none then.
//
//   bool is_one = take_channel_end_of(buffer, part);        // by way of a pickle.PickleBuffer on it
//
// Threading: with the interpreter's lock, but for save() and load().
#pragma once

#include <nanobind/nanobind.h>

#include "objects/message/turnstile.hpp"
#include "objects/value/value.hpp"
#include "octavo/message/channel.hpp"
#include "octavo/message/detail/other_languages.hpp"

namespace octavo::bindings {

// One of the two.
struct ChannelEnd {
  ChannelWriter<Value> writer;
  ChannelReader<Value> reader;
  bool is_cancelled = false;  // here
  detail::OfProcess process;
  mutable Turnstile turnstile;
  void save(wire::Encoder& out) const;
  void load(wire::Decoder& in);
};

nanobind::object make_channel_end(ValuePart part);
bool take_channel_end_of(nanobind::handle object, ValuePart& into);
void add_channel(nanobind::module_& m);

}  // namespace octavo::bindings

template <>
inline constexpr std::string_view octavo::detail::title_of_items<octavo::bindings::Value> = "Python values";
