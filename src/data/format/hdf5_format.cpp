// SPDX-License-Identifier: Apache-2.0
// The format hdf5, in the table of formats: the chunks of a dataset, of which Python says where they are (stores/hdf5/place.py). No HDF5 library is asked here.
#include <algorithm>

#include "data/format/other_files.hpp"
#include "data/format/table/device_class.hpp"
#include "data/format/table/format.hpp"
#include "data/target/put_away.hpp"
#include "data/text/text_file.hpp"
#include "octavo/base/bytes.hpp"

namespace octavo {

namespace {

constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";

class Hdf5Format : public Format {
 public:
  Hdf5Format() : Format(storage_format::hdf5, "hdf5") {}
  [[nodiscard]] bool has_codecs() const override { return true; }
  [[nodiscard]] bool may_lack_blocks() const override { return true; }
  [[nodiscard]] const DeviceClass& device(const Storage& /*storage*/) const override { return device_class<FlatFile>(); }

  void place(const Storage& storage, const Shape& index, StoredBlock& block) const override {
    const auto number = static_cast<std::size_t>(2 * flatten(index, storage.grid()));
    if (storage.places.size() <= number + 1) throw usage_error("'" + storage.path + "' without the place of its chunk (" + index.text() + ")");
    block.offset = storage.places[number];
    block.encoded_bytes = storage.places[number + 1];
    block.fill = storage.fill;
    block.used = storage.shape;
    for (int axis = 0; axis < block.used.size(); ++axis) block.used[axis] = std::min(block.shape[axis], storage.shape[axis] - index[axis] * block.shape[axis]);
  }

  [[nodiscard]] std::string_view made_as() const override { return "an HDF5 file"; }
  [[nodiscard]] bool may_replace(const std::string& path) const override { return may_have_head(path, signature) || is_hdf5_file(path); }
  [[nodiscard]] std::string hide(const std::string& place) const override { return put_away_head(place); }
  void reveal(const std::string& place, const std::string& hidden) const override { put_back_head(place, hidden); }
  [[nodiscard]] bool is_hidden(const std::string& path, bool directory) const override { return !directory && has_head_put_away(path); }
};

}  // namespace

const Format& hdf5_format() {
  static const Hdf5Format made;
  return made;
}

}  // namespace octavo
