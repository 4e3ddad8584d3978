// SPDX-License-Identifier: Apache-2.0
// The table of formats.
#include "data/format/table/format.hpp"

#include <algorithm>
#include <array>

#include "octavo/base/error.hpp"
#include "octavo/data/formats.hpp"

namespace octavo {

namespace {

const Format& store_format() {
  static const Format made(storage_format::store, "store");
  return made;
}

}  // namespace

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

std::vector<FormatFacts> formats() {
  std::vector<FormatFacts> found;
  for (const Format* each : Format::all()) found.push_back({each->id(), std::string(each->name()), each->endings(), each->is_one_block()});
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
