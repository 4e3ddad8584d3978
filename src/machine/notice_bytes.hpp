// SPDX-License-Identifier: Apache-2.0
// Notices as bytes: one of a closed list of kinds, encoded whole and decoded to the last byte.
#pragma once

#include <string>

#include "octavo/base/error.hpp"
#include "octavo/wire/archive.hpp"

namespace octavo {

// `what`: "a notice to another agent".
template <class Notice>
wire::Body bytes_of_notice(const Notice& notice, std::size_t most_bytes, const char* what) {
  wire::Outgoing out;
  wire::Encoder encoder(out);
  encoder(notice);
  if (!out.bulk.empty() || out.body.size() > most_bytes) throw usage_error(std::string(what) + " is too long");
  return std::move(out.body);
}

// Throws io_error for what is none: of an unknown kind, cut short, or with bytes left over.
template <class Notice>
Notice notice_of_bytes(ByteView bytes, const char* what, const char* cure) {
  wire::Message message = wire::message_of({}, bytes);
  wire::Decoder decoder(message);
  Notice notice;
  decoder(notice);
  if (decoder.left() != 0)
    throw io_error(std::string(what) + " of kind " + std::to_string(notice.index()) + " has " + std::to_string(decoder.left()) + " of " +
                       std::to_string(bytes.size()) + " bytes left over",
                   cure);
  return notice;
}

}  // namespace octavo
