// SPDX-License-Identifier: Apache-2.0
#include "road/net/files/calls.hpp"

namespace octavo::road::files {

namespace {
constexpr std::size_t longest_call = 16384;
}

Call::Call(std::uint64_t number, std::string said) : said_(std::move(said)) {
  head_.what = content::greeting;
  head_.number = number;
  const ByteView bytes = std::as_bytes(std::span(said_));
  seal(head_, std::span(&bytes, 1));
}

std::optional<std::string> Calls::next() {
  std::array<std::byte, longest_call> file{};
  const auto size = folder_.read(number_, file);
  const ByteView came = ByteView(file).first(size.value_or(0));
  if (!size || !is_whole(came, number_)) return std::nullopt;
  ++number_;
  const ByteView said = payload_of(came);
  return std::string(reinterpret_cast<const char*>(said.data()), said.size());
}

}  // namespace octavo::road::files
