// SPDX-License-Identifier: Apache-2.0
// The format zarr, in the table of formats.
#include <algorithm>
#include <filesystem>

#include "data/format/table/format.hpp"
#include "data/format/xarray/missing.hpp"
#include "data/format/zarr/codecs.hpp"
#include "data/format/zarr/meta.hpp"
#include "data/text/text_file.hpp"
#include "octavo/base/error.hpp"

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

class ZarrFormat : public Format {
 public:
  ZarrFormat() : Format(storage_format::zarr, "zarr") {}
  [[nodiscard]] std::vector<std::string> endings() const override { return {".zarr"}; }
  [[nodiscard]] std::optional<target_kind> target() const override { return target_kind::zarr; }
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
};

}  // namespace

const Format& zarr_format() {
  static const ZarrFormat made;
  return made;
}

}  // namespace octavo
