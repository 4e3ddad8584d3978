// SPDX-License-Identifier: Apache-2.0
#include "road/net/sftp/packet.hpp"

#include "octavo/base/error.hpp"

namespace octavo::road::sftp {

namespace {

constexpr std::size_t length_bytes = 4;
constexpr unsigned byte_bits = 8;

template <class Integer>
void append(std::vector<std::byte>& to, Integer value) {
  for (std::size_t i = sizeof value; i-- > 0;) to.push_back(static_cast<std::byte>(value >> (byte_bits * i)));
}

[[noreturn]] void no_packet() {
  throw io_error("what answers is no server for sftp", "A login that prints something hinders it: what ~/.bashrc prints there, `ssh HOST true` shows");
}

class Reader {
 public:
  explicit Reader(ByteView bytes) : bytes_(bytes) {}
  template <class Integer>
  Integer number() {
    Integer value = 0;
    for (const auto each : take(sizeof value)) value = static_cast<Integer>(value << byte_bits) | static_cast<Integer>(each);
    return value;
  }
  std::string text() {
    const auto bytes = take(number<std::uint32_t>());
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  ByteView take(std::size_t size) {
    if (size > bytes_.size()) no_packet();
    const auto taken = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return taken;
  }
  [[nodiscard]] ByteView rest() const { return bytes_; }

 private:
  ByteView bytes_;
};

}  // namespace

Packet::Packet(request what, std::uint32_t number) : bytes_(length_bytes) {
  bytes_.push_back(static_cast<std::byte>(what));
  append(bytes_, number);
}
Packet& Packet::u32(std::uint32_t value) {
  append(bytes_, value);
  return *this;
}
Packet& Packet::u64(std::uint64_t value) {
  append(bytes_, value);
  return *this;
}
Packet& Packet::text(std::string_view value) {
  append(bytes_, static_cast<std::uint32_t>(value.size()));
  const auto bytes = std::as_bytes(std::span(value));
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  return *this;
}
std::vector<std::byte> Packet::bytes(std::size_t follow) {
  const auto size = static_cast<std::uint32_t>(bytes_.size() - length_bytes + follow);
  for (std::size_t i = 0; i < length_bytes; ++i) bytes_[i] = static_cast<std::byte>(size >> (byte_bits * (length_bytes - 1 - i)));
  return std::move(bytes_);
}

std::optional<std::size_t> whole(ByteView came) {
  if (came.size() < length_bytes) return std::nullopt;
  const std::size_t size = Reader(came).number<std::uint32_t>();
  if (size == 0 || size > longest) no_packet();
  return came.size() < length_bytes + size ? std::nullopt : std::optional(length_bytes + size);
}

Reply reply_of(ByteView packet) {
  Reader reader(packet);
  static_cast<void>(reader.number<std::uint32_t>());
  Reply reply;
  reply.what = static_cast<answer>(reader.number<std::uint8_t>());
  reply.number = reader.number<std::uint32_t>();
  switch (reply.what) {
    case answer::version:
      while (!reader.rest().empty()) {
        reply.can.push_back(reader.text());
        static_cast<void>(reader.text());
      }
      return reply;
    case answer::status:
      reply.code = static_cast<status>(reader.number<std::uint32_t>());
      if (!reader.rest().empty()) reply.text = reader.text();
      return reply;
    case answer::handle: reply.text = reader.text(); return reply;
    case answer::attributes:
    case answer::extended: reply.rest.assign(reader.rest().begin(), reader.rest().end()); return reply;
  }
  no_packet();
}

// f_bsize, f_frsize, f_blocks, f_bfree, f_bavail, ...
std::uint64_t room_in(ByteView rest) {
  Reader reader(rest);
  static_cast<void>(reader.number<std::uint64_t>());
  const auto unit = reader.number<std::uint64_t>();
  static_cast<void>(reader.take(2 * sizeof unit));
  return unit * reader.number<std::uint64_t>();
}

}  // namespace octavo::road::sftp
