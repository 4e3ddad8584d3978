// SPDX-License-Identifier: Apache-2.0
#include "machine/registry/state_writer.hpp"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>

#include "machine/registry/named_entry.hpp"
#include "machine/registry/time_text.hpp"
#include "octavo/base/clock.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

// All of `parts`, at `at`; false with errno.
bool write_all(int file, std::span<iovec> parts, std::uint64_t at) {
  while (!parts.empty()) {
    ssize_t put = ::pwritev(file, parts.data(), static_cast<int>(parts.size()), static_cast<off_t>(at));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    if (put == 0) {
      errno = ENOSPC;
      return false;
    }
    at += static_cast<std::uint64_t>(put);
    for (auto left = static_cast<std::size_t>(put); left > 0;) {
      std::size_t step = std::min(left, parts[0].iov_len);
      left -= step;
      parts[0].iov_base = static_cast<char*>(parts[0].iov_base) + step;
      parts[0].iov_len -= step;
      if (parts[0].iov_len == 0) parts = parts.subspan(1);
    }
  }
  return true;
}

}  // namespace

StateWriter::StateWriter(const std::string& directory, StateFacts facts, StateSteps steps)
    : place_(directory, facts.object), facts_(std::move(facts)), steps_(std::move(steps)), lock_(place_) {
  facts_.payload_bytes = 0;
  if (facts_.saved == 0) facts_.saved = now_seconds();
  facts_.saved = std::round(facts_.saved * 1000) / 1000;
  state_header_text({facts_, {}});  // refuses what does not fit now, not at the end
  look_at_current();
  file_.reset(::open(place_.fresh.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file_) throw io_error_from(errno, doing());
}

void StateWriter::look_at_current() {
  try {
    auto old = open_state(place_.current, place_.object);
    if (!old || old->header.facts.generation < facts_.generation) return;
    const auto& saved = old->header.facts;
    throw refused("saving generation " + std::to_string(facts_.generation) + " of object " + object_text(place_.object) + ": generation " +
                      std::to_string(saved.generation) + " was saved " + time_text(saved.saved),
                  "Another process saved it: open the object again");
  } catch (const io_error&) {
    old_damaged_ = true;
  }
}

std::string StateWriter::doing() const { return "saving the state of object " + object_text(place_.object) + " to '" + place_.fresh + "'"; }

StateWriter::~StateWriter() {
  if (!current_) ::unlink(place_.fresh.c_str());
}

void StateWriter::write(std::span<const ByteView> parts) {
  constexpr std::size_t most_parts = 64, most_bytes = 1 << 20;  // what was summed is still in the cache when it is written
  if (current_ || broken_) throw usage_error(doing() + ": it has " + (broken_ ? "failed" : "been committed") + " already", "Begin another StateWriter");
  broken_ = true;
  std::array<iovec, most_parts> batch{};
  ByteView rest;
  for (std::size_t next = 0; next < parts.size() || !rest.empty();) {
    std::size_t count = 0, bytes = 0;
    while (count < most_parts && bytes < most_bytes && (!rest.empty() || next < parts.size())) {
      if (rest.empty()) rest = parts[next++];
      auto now = rest.first(std::min(rest.size(), most_bytes - bytes));
      rest = rest.subspan(now.size());
      if (now.empty()) continue;
      sum_.add(now);
      batch[count++] = {const_cast<std::byte*>(now.data()), now.size()};
      bytes += now.size();
    }
    if (!write_all(file_.get(), std::span(batch).first(count), state_header_bytes + facts_.payload_bytes)) throw io_error_from(errno, doing());
    facts_.payload_bytes += bytes;
  }
  broken_ = false;
  steps_.at("written");
}

const StateFacts& StateWriter::commit() {
  if (current_ || broken_) throw usage_error(doing() + ": it has " + (broken_ ? "failed" : "been committed") + " already", "Begin another StateWriter");
  broken_ = true;
  std::string header = state_header_text({facts_, sum_.value()});
  iovec all{header.data(), header.size()};
  if (!write_all(file_.get(), std::span(&all, 1), 0)) throw io_error_from(errno, doing());
  steps_.at("headed");
  if (::fsync(file_.get()) != 0) throw io_error_from(errno, doing());
  steps_.at("synced");
  replace_current(place_, place_.fresh, old_damaged_ ? place_.damaged : place_.previous, steps_, current_);
  broken_ = false;
  return facts_;
}

}  // namespace octavo
