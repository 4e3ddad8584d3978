// SPDX-License-Identifier: Apache-2.0
// A file that holds all elements of an array in C order, perhaps behind a header: what .npy and raw files share.
#pragma once

#include <string_view>

#include "data/format/table/format.hpp"

namespace octavo {

// Makes it, with its whole space, from storage.offset on; before that stands `header`.
void make_dense_file(const Storage& storage, std::string_view header);

class DenseFormat : public Format {
 public:
  using Format::Format;
  [[nodiscard]] bool is_one_block() const override { return true; }
  [[nodiscard]] const DeviceClass& device(const Storage& storage) const override;
  void place(const Storage& storage, const Shape& index, StoredBlock& block) const override;
};

}  // namespace octavo
