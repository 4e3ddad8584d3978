// SPDX-License-Identifier: Apache-2.0
// .zarray and .zattrs of a Zarr v2 array, a byte 0 between them; without one there is no .zattrs. What was read and is written again reads the same.
#include "data/format/zarr/meta.hpp"
#include "fuzz/kit/check.hpp"

namespace octavo {

namespace {
bool same(const Storage& a, const Storage& b) {
  return a.shape == b.shape && a.chunk == b.chunk && a.type == b.type && (a.order == b.order || size_of(a.type) == 1) && a.fill == b.fill &&
         a.v2_keys == b.v2_keys && a.separator == b.separator && a.attributes_json == b.attributes_json && a.dimension_names_json == b.dimension_names_json &&
         a.zarr_version == b.zarr_version && a.fill_is_missing == b.fill_is_missing;
}
}  // namespace

}  // namespace octavo

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace octavo;
  auto text = fuzz::as_text(data, size);
  auto cut = std::min(text.find('\0'), size);
  Storage meta;
  if (!fuzz::accepts(size, [&] { meta = parse_zarr2_meta(text.substr(0, cut), text.substr(std::min(cut + 1, size)), "a.zarr"); })) return 0;
  fuzz::require(meta.zarr_version == 2 && meta.v2_keys && meta.shape.size() == meta.chunk.size(), "the parts fit each other");
  fuzz::require(meta.fill.empty() || meta.fill.size() == static_cast<std::size_t>(size_of(meta.type)), "the fill is one element");
  fuzz::require((grid_of(meta.shape, meta.chunk).count() > 0) == (meta.shape.count() > 0), "where there is an element there is a chunk");
  fuzz::require(same(meta, parse_zarr2_meta(zarr2_meta_text(meta), zarr2_attributes_text(meta), "again")), "written again it reads the same");
  return 0;
}
