// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/talk.hpp"

#include "octavo/base/error.hpp"

namespace octavo::talk {

wire::Body encode(const Notice& notice) {
  wire::Outgoing out;
  wire::Encoder encoder(out);
  encoder(notice);
  if (!out.bulk.empty()) throw usage_error("a notice to another agent is too long");
  return std::move(out.body);
}

Notice decode(ByteView bytes) {
  wire::Message message = wire::message_of({}, bytes);
  wire::Decoder decoder(message);
  Notice notice;
  decoder(notice);
  if (decoder.left() != 0)
    throw io_error("a notice of another agent has " + std::to_string(decoder.left()) + " of " + std::to_string(bytes.size()) + " bytes left over",
                   "Install the same Octavo on both machines");
  return notice;
}

}  // namespace octavo::talk
