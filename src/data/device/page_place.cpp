// SPDX-License-Identifier: Apache-2.0
#include "data/device/page_place.hpp"

#include "octavo/base/error.hpp"

namespace octavo {

namespace {
Shape corner_of(const Storage& storage, const Shape& page, std::int64_t number) {
  Shape grid = grid_of(storage.shape, page);
  if (number < 0 || number >= grid.count())
    throw usage_error("page " + std::to_string(number) + " of '" + storage.path + "', which has " + std::to_string(grid.count()) + " pages");
  Shape at = unflatten(number, grid);
  for (int i = 0; i < at.size(); ++i) at[i] *= page[i];
  return at;
}
}  // namespace

Box whole_page(const Storage& storage, const Shape& page, std::int64_t number) {
  const Shape at = corner_of(storage, page, number);
  return Box::whole(page).shifted(at).intersect(Box::whole(storage.shape)).shifted(at, -1);
}

Box page_place(const Storage& storage, const Shape& page, std::int64_t number, const Box& part, const Shape* written) {
  const Shape at = corner_of(storage, page, number);
  if (part.dims() != page.size() || part.empty() || !Box::whole(page).contains(part))
    throw usage_error("part " + part.text() + " of a page of " + page.text() + " in '" + storage.path + "'",
                      "A part is a box within the page that is not empty");
  Box place = part.shifted(at);
  if (!Box::whole(storage.shape).contains(place))
    throw usage_error("part " + part.text() + " of page " + std::to_string(number) + " reaches beyond the array of " + storage.shape.text() + " in '" +
                      storage.path + "'");
  if (written != nullptr && *written != part.extents())
    throw usage_error("a block of " + written->text() + " was written to a part of " + part.extents().text() + " in '" + storage.path + "'");
  return place;
}

}  // namespace octavo
