// SPDX-License-Identifier: Apache-2.0
// The packets of sftp, version 3 (draft-ietf-secsh-filexfer-02), as far as messages in files need them: each a length, a type, and what belongs to it.
//
//   const auto bytes = Packet(request::open, 7).text("/tmp/x/.1").u32(write | make).u32(0).bytes();
//   while (auto size = whole(came)) take(reply_of(came.first(*size)));
//
// Integers are big endian. What a server says is bytes from outside. Failure: io_error for what is no packet of sftp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "octavo/base/bytes.hpp"

namespace octavo::road::sftp {

enum class request : std::uint8_t { init = 1, open = 3, close = 4, write = 6, remove = 13, make_directory = 14, stat = 17, rename = 18, extended = 200 };
enum class answer : std::uint8_t { version = 2, status = 101, handle = 102, attributes = 105, extended = 201 };
enum class status : std::uint32_t { ok = 0, no_such_file = 2, permission_denied = 3, failure = 4 };
inline constexpr std::uint32_t version = 3;
// Of open, and of the attributes of what it makes.
inline constexpr std::uint32_t for_writing = 0x02, make = 0x08, cut = 0x10, only_new = 0x20, has_permissions = 0x04;

class Packet {
 public:
  Packet(request what, std::uint32_t number);  // of init: the version
  Packet& u32(std::uint32_t value);
  Packet& u64(std::uint64_t value);
  Packet& text(std::string_view value);
  // `follow`: so many bytes are sent behind it that are its own.
  [[nodiscard]] std::vector<std::byte> bytes(std::size_t follow = 0);  // once

 private:
  std::vector<std::byte> bytes_;
};

inline constexpr std::size_t longest = 256 << 10;

struct Reply {
  answer what = answer::status;
  std::uint32_t number = 0;      // of its request; of version: the version
  status code = status::ok;      // of status
  std::string text;              // of status, in words; of handle, the handle
  std::vector<std::byte> rest;   // of attributes and extended
  std::vector<std::string> can;  // of version: the names of what the server has besides
  [[nodiscard]] bool is_ok() const { return what != answer::status || code == status::ok; }
};

// How many of these bytes are the first packet. None: it is not whole yet.
std::optional<std::size_t> whole(ByteView came);
Reply reply_of(ByteView packet);
// Of the answer to statvfs@openssh.com: the bytes that there is room for.
std::uint64_t room_in(ByteView rest);

}  // namespace octavo::road::sftp
