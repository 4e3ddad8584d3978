// SPDX-License-Identifier: Apache-2.0
#include "machine/registry/state_place.hpp"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "machine/registry/named_entry.hpp"
#include "machine/registry/private_directory.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"

namespace octavo {

namespace {

constexpr std::size_t piece = 1 << 20;  // is in the cache when it is summed

// As much as the file has from `at`.
std::size_t read_at(const Fd& file, std::uint64_t at, ByteSpan into, const std::string& path) {
  std::size_t have = 0;
  while (have < into.size()) {
    ssize_t got = ::pread(file.get(), into.data() + have, into.size() - have, static_cast<off_t>(at + have));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw io_error_from(errno, "reading the state file '" + path + "'");
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  return have;
}

void rename_to(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) throw io_error_from(errno, "renaming '" + from + "' to '" + to + "'");
}

void unlink_if_there(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) throw io_error_from(errno, "removing '" + path + "'");
}

bool has(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0) return true;
  if (errno == ENOENT) return false;
  throw io_error_from(errno, "looking for '" + path + "'");
}

void copy(const std::string& from, const std::string& to) {
  Fd source(::open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)), target(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  auto failed = [&] { return io_error_from(errno, "copying '" + from + "' to '" + to + "'"); };
  if (!source || !target) throw failed();
  for (ssize_t put = 1; put != 0;)
    if (put = ::sendfile(target.get(), source.get(), nullptr, std::size_t{1} << 30); put < 0 && errno != EINTR) throw failed();
  if (::fsync(target.get()) != 0) throw failed();
}

// False where the file system has no such thing.
bool exchange(const std::string& one, const std::string& other) {
  if (::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0) return true;
  if (errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP) return false;
  throw io_error_from(errno, "exchanging '" + one + "' and '" + other + "'");
}

}  // namespace

StatePlace::StatePlace(const std::string& directory, std::uint64_t id)
    : folder(directory + "/state"),
      current(folder + "/" + object_text(id)),
      previous(current + ".previous"),
      fresh(current + ".new"),
      keep(current + ".keep"),
      damaged(current + ".damaged"),
      object(id) {}

namespace {

// An earlier state than the current one is the one before: ID.new after an exchange (otherwise it is later), or ID.keep.
void finish_renaming(const StatePlace& place, const std::string& left) {
  try {
    auto current = open_state(place.current, place.object), old = open_state(left, place.object);
    if (!current || !old || old->header.facts.generation >= current->header.facts.generation) return;
  } catch (const error&) {  // one of the two is not whole: nothing is known of the other
    return;
  }
  rename_to(left, place.previous);
}

// A home that was removed is not begun again by objects that still live.
void check_home(const std::filesystem::path& home) {
  if (!std::filesystem::is_directory(home))
    throw io_error("the home of named objects '" + home.string() + "' is not there any more", "It was removed while they were alive: make them anew");
}

}  // namespace

StateLock::StateLock(const StatePlace& place) : object_(place.object) {
  check_home(std::filesystem::path(place.folder).parent_path());
  std::string path = private_directory(place.folder) + "/lock";
  file_.reset(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file_) throw io_error_from(errno, "opening '" + path + "'");
  while (!set(F_WRLCK)) {
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EACCES) throw io_error_from(errno, "locking '" + path + "'");
    throw refused("the state of object " + object_text(object_) + " is being saved by another process ('" + place.fresh + "')", "Try again when it is done");
  }
  for (const auto* left : {&place.fresh, &place.keep}) finish_renaming(place, *left);
}

// Not left to close(): a child that is being spawned may have the descriptor for an instant longer.
StateLock::~StateLock() { set(F_UNLCK); }

bool StateLock::set(short kind) noexcept {
  struct flock range {};
  range.l_type = kind;
  range.l_whence = SEEK_SET;
  range.l_start = static_cast<off_t>(object_ & ~named_object_bit);
  range.l_len = 1;
  return ::fcntl(file_.get(), F_OFD_SETLK, &range) == 0;
}

namespace {

// What a state says becomes an object, and of Python is code: nobody else may have written it.
void check_private(const struct stat& status, const std::string& path) {
  if (status.st_uid != ::geteuid())
    throw refused(
        "the state file '" + path + "' belongs to user " + std::to_string(status.st_uid) + ", not to user " + std::to_string(::geteuid()) + ", and is not read",
        "If you trust what is in it, copy it as your own: cp '" + path + "' copy, and mv copy '" + path + "'");
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) == 0) return;
  std::array<char, 8> mode{};
  std::snprintf(mode.data(), mode.size(), "%04o", static_cast<unsigned>(status.st_mode & 07777));
  throw refused("the state file '" + path + "' is open to others (mode " + mode.data() + "), and is not read",
                "If nobody else has changed it: chmod 600 '" + path + "'");
}

}  // namespace

std::optional<OpenState> open_state(const std::string& path, std::uint64_t object) {
  OpenState state{Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)), {}};
  if (!state.file && errno == ENOENT) return std::nullopt;
  if (!state.file) throw io_error_from(errno, "opening the state file '" + path + "'");
  struct stat status {};
  if (::fstat(state.file.get(), &status) != 0) throw io_error_from(errno, "reading the state file '" + path + "'");
  if (!S_ISREG(status.st_mode)) throw io_error("the state file '" + path + "' is damaged: it is no regular file");
  check_private(status, path);
  std::string bytes(std::min<std::size_t>(state_header_bytes, static_cast<std::size_t>(status.st_size)), '\0');
  bytes.resize(read_at(state.file, 0, std::as_writable_bytes(std::span(bytes)), path));
  state.header = parse_state_header(bytes, static_cast<std::uint64_t>(status.st_size), path);
  if (state.header.facts.object != object)
    throw io_error("the state file '" + path + "' is damaged: it is that of object " + object_text(state.header.facts.object));
  return state;
}

void read_payload(const OpenState& state, const std::string& path, const std::function<ByteSpan(std::uint64_t at, std::size_t bytes)>& room) {
  RunningChecksum sum;
  const std::uint64_t bytes = state.header.facts.payload_bytes;
  for (std::uint64_t at = 0; at < bytes; at += piece) {
    auto part = room(at, std::min<std::uint64_t>(piece, bytes - at));
    if (read_at(state.file, state_header_bytes + at, part, path) < part.size())
      throw io_error("the state file '" + path + "' is damaged: it has become shorter while it was read");
    sum.add(part);
  }
  if (sum.value() != state.header.payload) throw io_error("the state file '" + path + "' is damaged: the checksum of its payload is wrong");
}

std::optional<StateFacts> whole_state(const std::string& path, std::uint64_t object) {
  try {
    auto state = open_state(path, object);
    if (!state) return std::nullopt;
    std::vector<std::byte> buffer(piece);
    read_payload(*state, path, [&](std::uint64_t, std::size_t size) { return ByteSpan(buffer).first(size); });
    return state->header.facts;
  } catch (const error&) {
    return std::nullopt;
  }
}

void replace_current(const StatePlace& place, const std::string& source, const std::string& kept, const StateSteps& steps, bool& done) {
  std::string old;  // where what was current is then
  if (!has(place.current)) {
    rename_to(source, place.current);
  } else if (steps.exchange && exchange(source, place.current)) {
    old = source;
  } else {
    unlink_if_there(place.keep);
    try {
      if (!steps.links || ::link(place.current.c_str(), place.keep.c_str()) != 0) copy(place.current, place.keep);
      steps.at("linked");
      rename_to(source, place.current);
    } catch (...) {
      ::unlink(place.keep.c_str());
      throw;
    }
    old = place.keep;
  }
  done = true;
  steps.at("exchanged");
  // The save has happened, so this is no failure of it: the next StateLock tries again.
  if (!old.empty() && ::rename(old.c_str(), kept.c_str()) != 0) log_line(io_error_from(errno, "keeping the state before as '" + kept + "'").what());
  steps.at("current");
  in_context([&] { return "the new state is in '" + place.current + "', but a power failure may still undo it"; }, [&] { sync_directory(place.folder); });
}

}  // namespace octavo
