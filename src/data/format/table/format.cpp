// SPDX-License-Identifier: Apache-2.0
// The table of formats.
#include "data/format/table/format.hpp"

#include <algorithm>
#include <array>

#include "octavo/data/formats.hpp"

namespace octavo {

std::span<const Format* const> Format::all() {
  static const std::array table{&pages_format(), &page_file_format(), &zarr_format(), &npy_format(), &raw_format(), &hdf5_format(), &store_format()};
  return table;
}

const Format& Format::of(storage_format id) {
  const auto found = std::ranges::find(all(), id, &Format::id);
  if (found == all().end()) throw usage_error("a storage of format " + std::to_string(static_cast<int>(id)), "Make it by open_storage or create_storage");
  return **found;
}

bool Format::recognises(const std::string& /*path*/, bool /*directory*/) const { return false; }

Storage Format::open(const std::string& path) const {
  throw not_supported("'" + path + "': opening " + std::string(name_) + " by its path", "Name another format");
}

Storage Format::create(Storage made, const CreateOptions& /*options*/) const {
  throw not_supported("'" + made.path + "': making " + std::string(name_) + " by its path", "Choose zarr, npy, raw or pages");
}

void Format::place(const Storage& /*storage*/, const Shape& /*index*/, StoredBlock& /*block*/) const {}

const DeviceClass& Format::device(const Storage& storage) const {
  throw not_supported("'" + storage.path + "' is decoded by another library, so its devices can have no names",
                      "Copy it to an Octavo array (.octavo) or to an uncompressed Zarr first: octavo copy");
}

std::string Format::file_id(const Storage& /*storage*/) const { return {}; }

void Format::check(const Storage& /*storage*/, const std::string& /*id*/) const {}

LastingParts Format::lasting_parts(const Storage& storage, const std::string& path) const {
  LastingParts found{.places = {path}};
  found.places.insert(found.places.end(), storage.files.begin(), storage.files.end());
  return found;
}

bool Format::may_replace(const std::string& /*path*/) const { return false; }

bool Format::has_part(std::string_view /*name*/) const { return false; }

std::string Format::hide(const std::string& /*place*/) const { return {}; }

void Format::reveal(const std::string& /*place*/, const std::string& /*hidden*/) const {}

bool Format::is_hidden(const std::string& /*path*/, bool /*directory*/) const { return false; }

io_error Format::another_one(const Storage& storage, const std::string& what) {
  return io_error("'" + storage.path + "' is another one than that of this device: " + what, "Put the file back, or destroy the device and make it again");
}

std::vector<FormatFacts> formats() {
  std::vector<FormatFacts> found;
  for (const Format* each : Format::all())
    found.push_back({.format = each->id(),
                     .name = std::string(each->name()),
                     .endings = each->endings(),
                     .one_block = each->is_one_block(),
                     .paged = each->is_paged(),
                     .may_lack_blocks = each->may_lack_blocks(),
                     .bare = each->is_bare()});
  std::ranges::sort(found, {}, &FormatFacts::format);
  return found;
}

std::string_view name_of(storage_format format) { return Format::of(format).name(); }

storage_format format_named(std::string_view name) {
  std::string known;
  for (const Format* each : Format::all()) {
    if (each->name() == name) return each->id();
    known += (known.empty() ? "" : ", ") + std::string(each->name());
  }
  throw usage_error("the format '" + std::string(name) + "'", "It is one of " + known);
}

}  // namespace octavo
