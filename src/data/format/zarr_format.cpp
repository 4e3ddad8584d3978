// SPDX-License-Identifier: Apache-2.0
// The format zarr, in the table of formats.
#include <algorithm>
#include <array>
#include <filesystem>
#include <tuple>

#include "data/format/table/device_class.hpp"
#include "data/format/table/format.hpp"
#include "data/format/xarray/missing.hpp"
#include "data/format/zarr/codecs.hpp"
#include "data/format/zarr/meta.hpp"
#include "data/target/put_away.hpp"
#include "data/text/text_file.hpp"

namespace octavo {

namespace {

namespace fs = std::filesystem;

void write_metadata(const Storage& storage) {
  if (storage.zarr_version == 2) {
    std::string array = zarr2_meta_text(storage), attributes = zarr2_attributes_text(storage);
    if (!attributes.empty()) write_file(storage.path + "/.zattrs", attributes);
    write_file(storage.path + "/.zarray", array);  // last: it makes the directory an array
  } else {
    write_file(storage.path + "/zarr.json", zarr_meta_text(storage));
    if (storage.separator == '/' && storage.shape.size() > 0)
      fs::create_directory(storage.path + "/c");  // that it goes can be noticed (data/target/identity.hpp)
  }
  sync_directory_of(storage.path);
}

// v3 says in its text whether it is an array; damaged, it could have been a group.
bool is_zarr_array(const std::string& path) {
  std::error_code failed;
  if (!fs::is_regular_file(path + "/zarr.json", failed)) return fs::is_regular_file(path + "/.zarray", failed);
  try {
    auto json = parse_json(read_file(path + "/zarr.json", most_metadata_bytes), path + "/zarr.json");
    return json.is_object() && json.value("node_type", Json()) == "array";
  } catch (const error&) {
    return false;
  }
}

// The directory "c"; or in the root "c.1.2", and of older ones "0" and "1.2".
bool is_chunk_name(std::string_view name) {
  if (name == "c") return true;
  if (name.starts_with("c.")) name.remove_prefix(2);
  return name.find_first_not_of("0123456789.") == std::string_view::npos && name.find_first_of("0123456789") == 0;
}

class ZarrFormat : public Format {
 public:
  ZarrFormat() : Format(storage_format::zarr, "zarr") {}
  [[nodiscard]] std::vector<std::string> endings() const override { return {".zarr"}; }
  [[nodiscard]] bool has_codecs() const override { return true; }
  [[nodiscard]] bool may_lack_blocks() const override { return true; }
  [[nodiscard]] bool is_directory() const override { return true; }

  // Every directory that is of no other format: the error says what it has not.
  [[nodiscard]] bool recognises(const std::string& path, bool directory) const override {
    const auto last = fs::path(path).filename();
    return directory || last == "zarr.json" || last == ".zarray" || last == ".zattrs";
  }

  [[nodiscard]] Storage open(const std::string& path) const override {
    if (!fs::is_directory(path)) throw usage_error("'" + path + "' is the metadata of a Zarr array", "Name its directory");
    Storage array = read_zarr_meta(path);
    array.path = path;
    return array;
  }

  [[nodiscard]] Storage create(Storage made, const CreateOptions& options) const override {
    made.fill = options.fill.empty() ? std::vector<std::byte>(static_cast<std::size_t>(size_of(made.type))) : options.fill;
    made.zarr_version = options.zarr_version;
    made.v2_keys = options.zarr_version == 2;
    made.fill_is_missing = options.zarr_version == 2 && !options.fill.empty();
    made.attributes_json = attributes_for(options.attributes_json, made.type, options.zarr_version == 3);
    made.dimension_names_json = options.dimension_names_json;
    choose_codecs(options, made);
    write_metadata(made);
    return made;
  }

  void place(const Storage& storage, const Shape& index, StoredBlock& block) const override {
    block.file += "/" + zarr_chunk_key(storage.v2_keys, storage.separator, index);
    block.offset = 0;
    block.file_bytes = block.bytes();
    block.is_file = true;
    block.fill = storage.fill;
    block.used = storage.shape;
    for (int axis = 0; axis < block.used.size(); ++axis) block.used[axis] = std::min(block.shape[axis], storage.shape[axis] - index[axis] * block.shape[axis]);
  }

  [[nodiscard]] const DeviceClass& device(const Storage& /*storage*/) const override { return device_class<ZarrDevice>(); }

  // How its own text describes an array, as far as the pages depend on it: attributes may change.
  void check(const Storage& storage, const std::string& /*id*/) const override {
    const Storage now = read_zarr_meta(storage.path);
    auto described = [](const Storage& of) { return std::tie(of.shape, of.chunk, of.type, of.fill, of.v2_keys, of.separator, of.write_chunk, of.spec); };
    if (described(now) != described(storage) || (now.order != storage.order && size_of(now.type) > 1))
      throw another_one(storage, "it has " + now.shape.text() + " " + std::string(name_of(now.type)) + " in chunks of " + now.chunk.text() +
                                     "; or its fill value, byte order, codecs or names of chunks are others");
  }

  [[nodiscard]] LastingParts lasting_parts(const Storage& storage, const std::string& path) const override {
    LastingParts found{.places = {path}, .metadata = zarr_metadata_in(path)};
    std::error_code failed;
    if (std::string chunks = path + "/c"; storage.shape.size() > 0 && fs::exists(chunks, failed)) found.places.push_back(chunks);
    return found;
  }

  [[nodiscard]] std::string_view made_as() const override { return "a Zarr array"; }
  [[nodiscard]] bool may_replace(const std::string& path) const override { return is_zarr_array(path) || is_hidden(path, true); }
  [[nodiscard]] bool has_part(std::string_view name) const override {
    constexpr std::array known{"zarr.json", ".zarray", ".zattrs", ".zmetadata"};
    return is_chunk_name(name) || std::ranges::any_of(known, [&](std::string_view each) { return is_name_or_put_away(name, each); });
  }
  [[nodiscard]] std::string hide(const std::string& place) const override {
    put_away_names(place, zarr_metadata_names);
    return {};
  }
  void reveal(const std::string& place, const std::string& /*hidden*/) const override { put_back_names(place, zarr_metadata_names); }
  [[nodiscard]] bool is_hidden(const std::string& path, bool directory) const override { return directory && has_names_put_away(path, zarr_metadata_names); }
};

}  // namespace

const Format& zarr_format() {
  static const ZarrFormat made;
  return made;
}

}  // namespace octavo
