// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/invitation.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "machine/engine/hail.hpp"
#include "octavo/base/error.hpp"
#include "octavo/wire/archive.hpp"
#include "road/net/tls/secret.hpp"

namespace octavo::engine {

namespace {

constexpr std::uint32_t most_bytes = 1 << 20;  // some thousands of agents
constexpr const char* pass_it_on =
    "The command must pass its standard input on, and nothing may read of it before: look for `read` or `cat` in what a login runs there";

void put(int to, ByteView bytes) {
  while (!bytes.empty()) {
    ssize_t n = ::write(to, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw io_error_from(errno, "telling an agent whom to call");
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
}

void get(int from, ByteSpan bytes) {
  while (!bytes.empty()) {
    ssize_t n = ::read(from, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw io_error_from(errno, "reading whom to call");
    if (n == 0) throw refused("the standard input ended before it said whom to call", pass_it_on);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
}

void pass_question(int from) {
  const std::string expected = question();
  std::string came(expected.size(), '\0');
  get(from, std::as_writable_bytes(std::span(came)));
  if (came != expected)
    throw refused("the standard input does not begin with a program's question, '" + expected.substr(0, expected.size() - 1) + "'", pass_it_on);
}

}  // namespace

void write(int to, const road::ClusterKey& key, const Invitation& invitation) {
  road::TlsSecret::write(key, to);
  wire::Outgoing out;
  wire::Encoder encoder(out);
  encoder(invitation);
  auto size = static_cast<std::uint32_t>(out.body.size());
  put(to, std::as_bytes(std::span(&size, 1)));
  put(to, out.body);
}

Invitation read(int from, road::ClusterKey& key) {
  pass_question(from);
  key = in_context([] { return std::string("reading whom to call"); }, [&] { return road::TlsSecret::read(from); });
  std::uint32_t size = 0;
  get(from, std::as_writable_bytes(std::span(&size, 1)));
  if (size > most_bytes) throw refused("the standard input does not say whom to call: " + std::to_string(size) + " bytes");
  wire::Buffer bytes(size);
  get(from, bytes.span());
  return decode(bytes.span());
}

std::string begin_word(std::uint32_t index) {
  std::string word(1, begins);
  word.append(reinterpret_cast<const char*>(&index), sizeof index);
  return word;
}

Word read_word(int from) {
  Word word;
  const auto some = [from](void* into, std::size_t size) {
    ssize_t n = 0;
    while ((n = ::read(from, into, size)) < 0 && errno == EINTR) {}
    return n > 0 ? static_cast<std::size_t>(n) : 0;
  };
  if (some(&word.what, 1) == 0) return {};
  if (word.what != begins) return word;
  for (std::size_t came = 0, n = 0; came < sizeof word.index; came += n)
    if ((n = some(reinterpret_cast<char*>(&word.index) + came, sizeof word.index - came)) == 0) return {};
  return word;
}

Invitation decode(ByteView bytes) {
  wire::Message message = wire::message_of({}, bytes);
  Invitation invitation;
  wire::Decoder decoder(message);
  decoder(invitation);
  if (invitation.version != invitation_version)
    throw refused("this agent speaks version " + std::to_string(invitation_version) + ", who started it version " + std::to_string(invitation.version),
                  "Install the same Octavo on both machines");
  if (decoder.left() != 0) throw io_error("what says whom to call has " + std::to_string(decoder.left()) + " bytes left over");
  return invitation;
}

std::chrono::milliseconds carrier_silence(std::chrono::milliseconds silence) {
  return std::max(std::chrono::milliseconds(2000), silence / 3);  // the kernel counts in seconds
}

}  // namespace octavo::engine
