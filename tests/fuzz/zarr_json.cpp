// SPDX-License-Identifier: Apache-2.0
// zarr.json of a Zarr v3 array. What was read and is written again reads the same.
#include "data/format/zarr/meta.hpp"
#include "fuzz/kit/check.hpp"

namespace octavo {

namespace {
bool same(const Storage& a, const Storage& b) {
  return a.shape == b.shape && a.chunk == b.chunk && a.type == b.type && (a.order == b.order || size_of(a.type) == 1) && a.fill == b.fill &&
         a.v2_keys == b.v2_keys && a.separator == b.separator && a.attributes_json == b.attributes_json && a.dimension_names_json == b.dimension_names_json;
}
}  // namespace

}  // namespace octavo

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace octavo;
  Storage meta;
  if (!fuzz::accepts(size, [&] { meta = parse_zarr_meta(fuzz::as_text(data, size), "zarr.json"); })) return 0;
  fuzz::require(meta.shape.size() == meta.chunk.size() && meta.fill.size() == static_cast<std::size_t>(size_of(meta.type)), "the parts fit each other");
  fuzz::require((grid_of(meta.shape, meta.chunk).count() > 0) == (meta.shape.count() > 0), "where there is an element there is a chunk");
  if (meta.attributes_json.empty()) meta.attributes_json = "{}";  // as it is written
  fuzz::require(same(meta, parse_zarr_meta(zarr_meta_text(meta), "again")), "written again it reads the same");
  return 0;
}
