// SPDX-License-Identifier: Apache-2.0
// The array.json of an Octavo array. What was read and is written again reads the same; every page has a place of its own in some file.
#include <algorithm>
#include <set>
#include <utility>

#include "data/format/pages/page_array.hpp"
#include "fuzz/kit/check.hpp"

namespace octavo {

namespace {

bool same(const PageArray& a, const PageArray& b) {
  return a.id == b.id && a.shape == b.shape && a.chunk == b.chunk && a.type == b.type && a.order == b.order && a.map == b.map && a.map_block == b.map_block &&
         a.attributes_json == b.attributes_json && a.dimension_names_json == b.dimension_names_json && a.files == b.files;
}

// Of some pages, where there are very many: at the beginning, at the end and between.
void check_places(const PageArray& meta) {
  PageMap map = meta.page_map();
  std::int64_t pages = map.grid().count(), step = std::max<std::int64_t>(1, pages / 100);
  std::set<std::pair<std::int64_t, std::int64_t>> places;
  std::size_t looked_at = 0;
  for (std::int64_t page = pages - 1; page >= 0; page -= std::min(step, page + 1), ++looked_at) {
    auto [device, index] = map.place_of(unflatten(page, map.grid()));
    fuzz::require(device >= 0 && device < map.devices() && index >= 0 && index < map.pages_per_device(), "a page lies in one of the files");
    places.emplace(device, index);
  }
  fuzz::require(places.size() == looked_at, "no two pages share a place");
}

}  // namespace

}  // namespace octavo

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace octavo;
  PageArray meta;
  if (!fuzz::accepts(size, [&] { meta = parse_page_array(fuzz::as_text(data, size), "array.json"); })) return 0;
  check_places(meta);
  for (std::size_t device = 0; device < meta.files.size(); ++device)
    fuzz::require(parse_page_file_header(page_file_header_text(header_of(meta, device, meta.id)), "0.pages") == header_of(meta, device, meta.id),
                  "its page files can be made");
  if (meta.attributes_json.empty()) meta.attributes_json = "{}";  // as it is written
  fuzz::require(same(meta, parse_page_array(page_array_text(meta), "again")), "written again it reads the same");
  return 0;
}
