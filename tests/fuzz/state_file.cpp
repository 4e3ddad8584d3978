// SPDX-License-Identifier: Apache-2.0
// A state file: as it comes; then with a header made of the input's first bytes and right checksums. What was read is written the same.
// Input: 2 bytes that say how many of the following are the header's (the rest of which is zeros), those, the payload.
#include <algorithm>
#include <string>

#include "fuzz/kit/check.hpp"
#include "machine/registry/state_header.hpp"

namespace {

using namespace octavo;

void put(std::string& bytes, std::size_t at, std::uint64_t value) {
  for (std::size_t i = 0; i < 8; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i));
}

Checksum sum_of(std::string_view payload) {
  // In two pieces: a sum does not depend on how it is cut.
  RunningChecksum whole, pieces;
  whole.add(std::as_bytes(std::span(payload.data(), payload.size())));
  for (auto part : {payload.substr(0, payload.size() / 3), payload.substr(payload.size() / 3)}) pieces.add(std::as_bytes(std::span(part.data(), part.size())));
  fuzz::require(whole.value() == pieces.value(), "a checksum does not depend on the pieces");
  return whole.value();
}

std::string with_checksums(std::string_view input) {
  auto wanted = static_cast<unsigned char>(input[0]) | static_cast<std::size_t>(static_cast<unsigned char>(input[1])) << 8;
  input.remove_prefix(2);
  std::size_t bytes = std::min({wanted, input.size(), state_header_bytes - 8});
  std::string header(input.substr(0, bytes)), payload(input.substr(bytes));
  header.resize(state_header_bytes);
  auto sum = sum_of(payload);
  put(header, 40, sum.low);
  put(header, 48, sum.high);
  put(header, state_header_bytes - 8, state_header_checksum(header));
  return header + payload;
}

void check(std::string_view file) {
  StateHeader header;
  if (!fuzz::accepts(file.size(), [&] { header = parse_state_header(file.substr(0, state_header_bytes), file.size(), "state/1"); })) return;
  fuzz::require(header.facts.payload_bytes + state_header_bytes == file.size(), "what is to be read is what is there");
  fuzz::require(!header.facts.class_name.empty() && header.facts.class_name.size() <= 1024, "it has a class");
  fuzz::require(state_header_text(header) == file.substr(0, state_header_bytes), "written again it is the same bytes");
  sum_of(file.substr(state_header_bytes));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto bytes = fuzz::as_text(data, size);
  check(bytes);
  if (size >= 2) check(with_checksums(bytes));
  return 0;
}
