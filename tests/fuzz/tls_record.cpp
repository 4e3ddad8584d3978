// SPDX-License-Identifier: Apache-2.0
// What comes where TLS records are expected. Input: 8 bytes of seed, then the content. It is sealed into records of any length and kind; one of them is
// altered, or not, by somebody on the way. What was altered is refused and leaves nothing behind; the others are what was sealed. And the bytes as they
// are, taken for a record, are refused.
#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "fuzz/kit/check.hpp"
#include "road/net/tls/stream/record.hpp"

namespace {

namespace tls = octavo::road::tls;
using octavo::ByteSpan;
using octavo::ByteView;
using octavo::fuzz::require;

constexpr std::size_t most_at_once = 2000, guard = 32;
constexpr tls::TrafficSecret secret{std::byte{1}, std::byte{2}, std::byte{3}};

std::size_t below(std::mt19937_64& random, std::size_t end) { return static_cast<std::size_t>(random() % end); }

// Room for the content in pieces, with bytes around it that nobody may touch.
class Room {
 public:
  Room(std::size_t content, std::mt19937_64& random) : bytes_(content + 2 * guard, std::byte{0xee}), content_(content) {
    for (std::size_t at = 0; at < content;) {
      const std::size_t n = std::min(content - at, 1 + below(random, content));
      pieces_.push_back(ByteSpan(bytes_).subspan(guard + at, n));
      at += n;
    }
  }
  [[nodiscard]] std::span<const ByteSpan> pieces() const { return pieces_; }
  [[nodiscard]] ByteView content() const { return ByteView(bytes_).subspan(guard, content_); }
  void check() const {
    auto untouched = [](std::byte each) { return each == std::byte{0xee}; };
    require(std::all_of(bytes_.begin(), bytes_.begin() + guard, untouched) && std::all_of(bytes_.end() - guard, bytes_.end(), untouched),
            "nothing is written beyond the room");
  }

 private:
  std::vector<std::byte> bytes_;
  std::size_t content_;
  std::vector<ByteSpan> pieces_;
};

// False: it was refused.
bool opens(tls::Opener& opener, ByteView record, ByteView sealed, tls::content kind, std::mt19937_64& random) {
  const std::size_t whole = tls::record_bytes(record.first(tls::header_bytes));
  if (whole != record.size()) return false;  // it does not begin so, or the rest is waited for
  Room room(whole - tls::record_overhead, random);
  tls::Scatter into(room.pieces());
  tls::content type{};
  const bool proven = opener.open(record, into, type);
  room.check();
  const auto content = room.content();
  if (proven) require(type == kind && std::equal(content.begin(), content.end(), sealed.begin(), sealed.end()), "what is proven is what was sealed");
  else require(std::all_of(content.begin(), content.end(), [](std::byte each) { return each == std::byte{0}; }), "what is not proven is wiped");
  return proven;
}

void run(ByteView content, std::mt19937_64& random) {
  tls::Sealer sealer(secret);
  tls::Opener opener(secret);
  for (bool altered = false; !content.empty() && !altered;) {
    const std::size_t n = std::min(content.size(), 1 + below(random, most_at_once));
    const ByteView piece = content.first(n);
    const auto kind = std::array{tls::content::data, tls::content::handshake, tls::content::alert}.at(below(random, 3));
    std::vector<std::byte> record(n + tls::record_overhead);
    tls::Gather from(std::span(&piece, 1));
    require(sealer.seal(kind, from, n, record.data()) == record.size(), "it is as long as was said");
    altered = random() % 4 == 0;
    if (altered) record.at(below(random, record.size())) ^= std::byte{static_cast<unsigned char>(1U << below(random, 8))};
    require(opens(opener, record, piece, kind, random) != altered, "what was altered is refused, and nothing else");
    content = content.subspan(n);
    if (random() % 8 == 0) {
      sealer.next_keys();
      opener.next_keys();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return octavo::fuzz::seeded(data, size, [](ByteView bytes, std::mt19937_64& random) {
    run(bytes, random);
    if (bytes.size() <= tls::record_overhead) return;
    tls::Opener opener(secret);
    require(!opens(opener, bytes, {}, {}, random), "nobody makes a record without the key");
  });
}
