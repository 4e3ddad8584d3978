// SPDX-License-Identifier: Apache-2.0
#include "road/net/files/message.hpp"

#define XXH_INLINE_ALL  // nothing is linked
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace octavo::road::files {

namespace {

std::uint64_t checksum(const Head& head, std::span<const ByteView> pieces) {
  if (pieces.size() == 1) {  // the numbers of the head as a seed: one pass, without a state
    const std::uint64_t seed = ::XXH3_64bits(&head, offsetof(Head, checksum));
    return ::XXH3_64bits_withSeed(pieces[0].data(), pieces[0].size(), seed);
  }
  ::XXH3_state_t state;
  XXH3_INITSTATE(&state);
  ::XXH3_64bits_reset_withSeed(&state, ::XXH3_64bits(&head, offsetof(Head, checksum)));
  for (auto piece : pieces) ::XXH3_64bits_update(&state, piece.data(), piece.size());
  return ::XXH3_64bits_digest(&state);
}

}  // namespace

void seal(Head& head, std::span<const ByteView> pieces) {
  head.size = 0;
  for (auto piece : pieces) head.size += piece.size();
  head.checksum = checksum(head, pieces);
}

Head head_of(ByteView file) {
  Head head;
  std::memcpy(&head, file.data(), sizeof head);
  return head;
}

bool is_whole(ByteView file, std::uint64_t number) {
  if (file.size() < sizeof(Head)) return false;
  const ByteView behind = file.subspan(sizeof(Head));
  return is_whole(head_of(file), std::span(&behind, 1), number);
}

bool is_whole(const Head& head, std::span<const ByteView> behind, std::uint64_t number) {
  const Head ours;
  if (head.magic != ours.magic || head.number != number) return false;
  std::vector<ByteView> payload;
  std::size_t left = head.size;
  bool is_longer = false;
  for (auto piece : behind) {
    if (piece.size() > left) is_longer = true;
    if (piece = piece.first(std::min(piece.size(), left)); !piece.empty()) payload.push_back(piece);
    left -= piece.size();
  }
  if (left != 0 || (is_longer && head.is_lent == 0)) return false;
  if (payload.empty()) payload.emplace_back();
  return head.checksum == checksum(head, payload);
}

}  // namespace octavo::road::files
