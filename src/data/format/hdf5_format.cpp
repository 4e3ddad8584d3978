// SPDX-License-Identifier: Apache-2.0
// The format hdf5, in the table of formats: the chunks of a dataset, of which Python says where they are (hdf5_place.py). No HDF5 library is asked here.
#include <algorithm>

#include "data/format/table/format.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

class Hdf5Format : public Format {
 public:
  Hdf5Format() : Format(storage_format::hdf5, "hdf5") {}
  [[nodiscard]] bool may_lack_blocks() const override { return true; }

  void place(const Storage& storage, const Shape& index, StoredBlock& block) const override {
    const auto number = static_cast<std::size_t>(2 * flatten(index, storage.grid()));
    if (storage.places.size() <= number + 1) throw usage_error("'" + storage.path + "' without the place of its chunk (" + index.text() + ")");
    block.offset = storage.places[number];
    block.encoded_bytes = storage.places[number + 1];
    block.fill = storage.fill;
    block.used = storage.shape;
    for (int axis = 0; axis < block.used.size(); ++axis) block.used[axis] = std::min(block.shape[axis], storage.shape[axis] - index[axis] * block.shape[axis]);
  }
};

}  // namespace

const Format& hdf5_format() {
  static const Hdf5Format made;
  return made;
}

}  // namespace octavo
