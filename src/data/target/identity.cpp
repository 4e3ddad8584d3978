// SPDX-License-Identifier: Apache-2.0
#include "data/target/identity.hpp"

#include <fcntl.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "data/format/table/format.hpp"
#include "data/text/text_file.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

constexpr const char* cure = "Run it again when nobody changes the array";

bool is_unchanged(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
         a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

bool leads_somewhere(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}

}  // namespace

Identity::Identity(const Storage& storage) {
  // A dataset of an HDF5 file has the name `file.h5/dataset`.
  std::string path = storage.path;
  while (!leads_somewhere(path) && errno == ENOTDIR && path.find('/') != std::string::npos) path.resize(path.rfind('/'));
  const LastingParts parts = Format::of(storage.format).lasting_parts(storage, path);
  for (const auto& each : parts.places) hold(each);
  metadata_ = parts.metadata;
  header_bytes_ = parts.header_bytes;
  if (metadata_.empty()) return;
  if (::stat(metadata_.c_str(), &as_read_) != 0) throw io_error_from(errno, "looking at '" + metadata_ + "'");
  values_ = values_text();
}

void Identity::hold(const std::string& path) {
  PinnedPlace place{path, Fd(::open(path.c_str(), O_PATH | O_CLOEXEC))};
  if (!place.held) throw io_error_from(errno, "opening '" + path + "'");
  places_.push_back(std::move(place));
}

// Without what may change.
std::string Identity::values_text() const {
  if (header_bytes_ > 0) return read_bytes(open_to_read(metadata_), metadata_, header_bytes_);
  auto json = nlohmann::json::parse(read_file(metadata_, most_metadata_bytes), nullptr, false);
  if (json.is_object())
    for (const char* name : {"attributes", "dimension_names", "consolidated_metadata"}) json.erase(name);
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void Identity::check() {
  for (const auto& place : places_) {
    struct stat ours {
    }, there{};
    bool found = ::stat(place.path.c_str(), &there) == 0;
    if (!found && errno != ENOENT && errno != ENOTDIR) throw io_error_from(errno, "looking at '" + place.path + "'");
    if (!found) throw io_error("'" + place.path + "' was removed while it was in use", cure);
    if (::fstat(place.held.get(), &ours) != 0 || ours.st_dev != there.st_dev || ours.st_ino != there.st_ino)
      throw io_error("'" + place.path + "' was replaced by another one while it was in use", cure);
  }
  struct stat now {};
  if (metadata_.empty()) return;
  if (::stat(metadata_.c_str(), &now) != 0) throw io_error("'" + metadata_ + "' was removed while the array was in use", cure);
  if (is_unchanged(as_read_, now)) return;
  if (values_text() != values_) throw io_error("'" + metadata_ + "' describes another array than when it was opened", cure);
  as_read_ = now;
}

}  // namespace octavo
