// SPDX-License-Identifier: Apache-2.0
#include "octavo/message/message.hpp"

#include <functional>

#include "octavo/base/error.hpp"

namespace octavo {

void Message::pack_one(std::string_view type, const std::function<void(wire::Encoder&)>& encode) {
  wire::Outgoing out;
  wire::Encoder encoder(out);
  encoder.copying = true;
  encode(encoder);
  if (!out.pages.empty()) throw not_supported("a page cannot be packed into a message", "Post it alone: Mailbox<octavo::Page>");
  constexpr std::size_t longest_name = 80;  // it travels with each value
  Part part{detail::hash_of(type), std::string(type.substr(0, longest_name)), {}, std::move(out.owned)};
  const ByteView body = out.body;
  part.body.assign(body.begin(), body.end());
  parts_.push_back(std::move(part));
}

wire::Message Message::open_next(std::string_view type) {
  const std::string wanted(type);
  if (next_ == parts_.size())
    throw usage_error("a " + wanted + " was to be unpacked from a message of " + std::to_string(parts_.size()) + " values, after the last",
                      "Unpack what was packed, in the same order");
  const Part& part = parts_[next_];
  if (part.type != detail::hash_of(type))
    throw usage_error("value " + std::to_string(next_) + " of a message is a " + part.name + ", not a " + wanted, "Unpack what was packed, in the same order");
  auto opened = wire::message_of({}, part.body);
  for (const auto& each : part.bulk) opened.bulk.push_back(wire::message_of({}, each).body);
  ++next_;
  return opened;
}

}  // namespace octavo
