// SPDX-License-Identifier: Apache-2.0
#include "data/codec/chain.hpp"

#include <cstring>

#include "data/codec/configuration.hpp"
#include "data/codec/known.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

constexpr std::size_t most_codecs = 16;

}  // namespace

CodecChain::CodecChain(const Json& codecs) {
  if (!codecs.is_array()) throw usage_error("no list of codecs: " + shown(codecs), "Write the array's metadata again");
  if (codecs.size() > most_codecs)
    throw not_supported(std::to_string(codecs.size()) + " codecs; at most " + std::to_string(most_codecs) + " are read", "Write the array again with fewer");
  for (const auto& each : codecs) {
    Named named{CodecConfiguration(each).name(), make_codec(each)};
    const bool first = codecs_.empty() || (codecs_.size() == 1 && codecs_[0].codec->keeps_length() && !named.codec->keeps_length());
    if (named.codec->trailer() == 0 && !first)
      throw not_supported("the codec '" + named.name + "' behind '" + codecs_.back().name + "' is not read in C++", "Write the array again with one of them");
    codecs_.push_back(std::move(named));
  }
}

std::size_t CodecChain::most_encoded(std::size_t bytes) const {
  for (const auto& each : codecs_) bytes = each.codec->most_encoded(bytes);
  return bytes;
}

std::size_t CodecChain::working_bytes(std::size_t bytes) const {
  std::size_t sum = has_between() ? bytes : 0;
  for (const auto& each : codecs_) sum += each.codec->working_bytes(bytes);
  return sum;
}

// A checksum is put behind what lies in the room already.
std::span<const std::byte> CodecChain::encode(std::span<const std::byte> from, std::span<std::byte> room) {
  if (codecs_.empty() && !from.empty()) std::memcpy(room.data(), from.data(), from.size());
  std::span<const std::byte> made = codecs_.empty() ? room.first(from.size()) : from;
  for (const auto& each : codecs_) {
    const auto to = has_between() && &each == &codecs_.front() ? between(made.size()) : room;
    made = to.first(each.codec->encode(made, to));
  }
  return made;
}

std::span<std::byte> CodecChain::between(std::size_t bytes) {
  if (between_.size() < bytes) between_.resize(bytes);
  return {between_.data(), bytes};
}

void CodecChain::decode(std::span<const std::byte> from, std::span<std::byte> to) {
  for (auto each = codecs_.rbegin(); each != codecs_.rend(); ++each) {
    try {
      const std::size_t trailer = each->codec->trailer();
      if (trailer == 0) {
        const bool last = &*each == &codecs_.front();
        const auto made = last ? to : between(to.size());
        each->codec->decode(from, made);
        if (last) return;
        from = made;
        continue;
      }
      if (from.size() < trailer) throw Damaged("it has only " + std::to_string(from.size()) + " bytes");
      const auto body = from.first(from.size() - trailer);
      // Decoded onto itself, it only looks whether the bytes are right.
      each->codec->decode(from, {const_cast<std::byte*>(body.data()), body.size()});
      from = body;
    } catch (const Damaged& e) {
      throw Damaged(each->name + ": " + e.what());
    }
  }
  check_length(from.size(), to.size());
  if (!to.empty()) std::memcpy(to.data(), from.data(), to.size());
}

std::string CodecChain::text() const {
  std::string names;
  for (const auto& each : codecs_) names += (names.empty() ? "" : ", ") + each.name;
  return names;
}

}  // namespace octavo
