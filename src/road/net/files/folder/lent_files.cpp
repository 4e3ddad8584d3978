// SPDX-License-Identifier: Apache-2.0
#include "road/net/files/folder/lent_files.hpp"

#include <algorithm>
#include <utility>

namespace octavo::road::files {

namespace {

constexpr std::size_t most_kept = 16;

// What lies behind a message is read, too: a small one does not go into a large file.
bool suits(std::size_t file, std::size_t bytes) { return file <= 2 * bytes + 4096; }

}  // namespace

// The smallest that holds it, else the largest: that grows.
std::size_t LentFiles::suiting(std::size_t bytes) const {
  std::size_t best = files_.size();
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (!files_[i].is_back || !suits(files_[i].size, bytes)) continue;
    if (best == files_.size()) best = i;
    const auto here = files_[i].size, there = files_[best].size;
    if (here >= bytes ? there < bytes || here < there : there < bytes && here > there) best = i;
  }
  return best;
}

bool LentFiles::may_lend(std::size_t bytes) const { return files_.size() < most_kept || suiting(bytes) != files_.size(); }

Folder::outcome LentFiles::put(std::uint64_t number, std::span<const ByteView> pieces) {
  std::size_t bytes = 0;
  for (auto piece : pieces) bytes += piece.size();
  if (const auto at = suiting(bytes); at != files_.size()) {
    auto& file = files_[at];
    const auto done = folder_.put_again(number, pieces, file.number, file.open);
    if (done == Folder::outcome::done) file = {number, std::max(file.size, bytes), std::move(file.open), false};
    else files_.erase(files_.begin() + static_cast<std::ptrdiff_t>(at));
    return done;
  }
  File made{number, bytes, Fd(), false};
  const auto done = folder_.put_and_keep(number, pieces, made.open);
  if (done == Folder::outcome::done) files_.push_back(std::move(made));
  return done;
}

void LentFiles::take_back(std::uint64_t number) {
  for (auto& each : files_)
    if (each.number == number) each.is_back = true;
}

}  // namespace octavo::road::files
