// SPDX-License-Identifier: Apache-2.0
#include "machine/registry/state_header.hpp"

#define XXH_INLINE_ALL  // nothing is linked
#include <xxhash.h>

#include <cmath>

#include "machine/registry/address_name.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

constexpr std::string_view magic = "\x8fOState\n";
constexpr std::uint32_t version = 1;
constexpr double most_milliseconds = 1e14;  // in the year 5138
constexpr std::size_t at_version = 8, at_state_version = 12, at_object = 16, at_generation = 24, at_payload = 32, at_low = 40, at_high = 48, at_saved = 64;
constexpr std::size_t at_name_bytes = 72, at_name = 76, at_sum = state_header_bytes - 8;

void put(std::string& bytes, std::size_t at, std::uint64_t value, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i) & 0xFF);
}

std::uint64_t get(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = count; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

io_error damaged(const std::string& file, const std::string& what) { return io_error("the state file '" + file + "' is damaged: " + what); }

}  // namespace

struct RunningChecksum::State {
  ::XXH3_state_t xxh;
};

RunningChecksum::RunningChecksum() : state_(std::make_unique<State>()) { ::XXH3_128bits_reset(&state_->xxh); }
RunningChecksum::~RunningChecksum() = default;
void RunningChecksum::add(ByteView bytes) {
  if (!bytes.empty()) ::XXH3_128bits_update(&state_->xxh, bytes.data(), bytes.size());
}
Checksum RunningChecksum::value() const {
  auto sum = ::XXH3_128bits_digest(&state_->xxh);
  return {sum.low64, sum.high64};
}

std::uint64_t state_header_checksum(std::string_view header) { return ::XXH3_64bits(header.data(), at_sum); }

std::string state_header_text(const StateHeader& header) {
  const auto& facts = header.facts;
  if (facts.class_name.empty() || facts.class_name.size() > longest_name || !wrong_with_text(facts.class_name).empty())
    throw usage_error("'" + printable(facts.class_name) + "' is no name of a class: 1 to " + std::to_string(longest_name) + " bytes of UTF-8",
                      "Correct the call");
  double milliseconds = std::round(facts.saved * 1000);
  if (!(milliseconds >= 0 && milliseconds < most_milliseconds)) throw usage_error("a state that was saved at no time", "Correct the call");
  std::string bytes(state_header_bytes, '\0');
  bytes.replace(0, magic.size(), magic);
  put(bytes, at_version, version, 4);
  put(bytes, at_state_version, facts.state_version, 4);
  put(bytes, at_object, facts.object, 8);
  put(bytes, at_generation, facts.generation, 8);
  put(bytes, at_payload, facts.payload_bytes, 8);
  put(bytes, at_low, header.payload.low, 8);
  put(bytes, at_high, header.payload.high, 8);
  put(bytes, at_saved, static_cast<std::uint64_t>(milliseconds), 8);
  put(bytes, at_name_bytes, facts.class_name.size(), 4);
  bytes.replace(at_name, facts.class_name.size(), facts.class_name);
  put(bytes, at_sum, state_header_checksum(bytes), 8);
  return bytes;
}

StateHeader parse_state_header(std::string_view bytes, std::uint64_t file_bytes, const std::string& file) {
  if (!bytes.starts_with(magic)) throw damaged(file, "it does not begin as a state file");
  if (bytes.size() < state_header_bytes)
    throw damaged(file, "it is cut off, " + std::to_string(bytes.size()) + " bytes of a header of " + std::to_string(state_header_bytes));
  if (auto found = get(bytes, at_version, 4); found != version)
    throw not_supported("the state file '" + file + "' has format version " + std::to_string(found) + "; this Octavo reads version " + std::to_string(version),
                        "Use the Octavo that wrote it");
  if (get(bytes, at_sum, 8) != state_header_checksum(bytes)) throw damaged(file, "the checksum of its header is wrong");
  StateHeader header;
  auto& facts = header.facts;
  facts.state_version = static_cast<std::uint32_t>(get(bytes, at_state_version, 4));
  facts.object = get(bytes, at_object, 8);
  facts.generation = get(bytes, at_generation, 8);
  facts.payload_bytes = get(bytes, at_payload, 8);
  header.payload = {get(bytes, at_low, 8), get(bytes, at_high, 8)};
  std::uint64_t milliseconds = get(bytes, at_saved, 8), name_bytes = get(bytes, at_name_bytes, 4);
  if (milliseconds >= static_cast<std::uint64_t>(most_milliseconds)) throw damaged(file, "it was saved at no time");
  facts.saved = static_cast<double>(milliseconds) / 1000;
  if (name_bytes == 0 || name_bytes > longest_name) throw damaged(file, "the name of its class has " + std::to_string(name_bytes) + " bytes");
  facts.class_name = bytes.substr(at_name, name_bytes);
  if (auto wrong = wrong_with_text(facts.class_name); !wrong.empty()) throw damaged(file, "the name of its class: " + std::string(wrong));
  // So that what a later version puts there is not passed over.
  if (state_header_text(header) != bytes.substr(0, state_header_bytes))
    throw not_supported("the state file '" + file + "' has more in its header than this version knows", "Use a later version of Octavo");
  if (file_bytes < state_header_bytes || file_bytes - state_header_bytes != facts.payload_bytes)
    throw damaged(file, "it has " + std::to_string(file_bytes) + " bytes, not " + std::to_string(state_header_bytes) + " of header and " +
                            std::to_string(facts.payload_bytes) + " of payload");
  return header;
}

}  // namespace octavo
