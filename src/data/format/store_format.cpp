// SPDX-License-Identifier: Apache-2.0
// The format store, in the table of formats: whatever another library reads and writes (data/store.hpp).
#include <filesystem>

#include "data/format/table/format.hpp"
#include "data/format/zarr/meta.hpp"

namespace octavo {

namespace {

class StoreFormat : public Format {
 public:
  StoreFormat() : Format(storage_format::store, "store") {}
  [[nodiscard]] bool is_served() const override { return true; }

  [[nodiscard]] LastingParts lasting_parts(const Storage& /*storage*/, const std::string& path) const override {
    std::error_code failed;
    if (!std::filesystem::exists(path, failed)) return {};  // the library's, in memory or elsewhere
    return {.places = {path}, .metadata = zarr_metadata_in(path)};
  }
};

}  // namespace

const Format& store_format() {
  static const StoreFormat made;
  return made;
}

}  // namespace octavo
