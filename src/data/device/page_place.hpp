// SPDX-License-Identifier: Apache-2.0
// Where a part of a numbered page lies in the array it belongs to; what is asked of every device is checked here.
#pragma once

#include "octavo/data/storage.hpp"

namespace octavo {

// In the array's coordinates. Throws usage_error for a page or a part that does not exist, and for a block `written` there that has another shape.
Box page_place(const Storage& storage, const Shape& page, std::int64_t number, const Box& part, const Shape* written = nullptr);
// What there is of a page: at the array's edge not all. Throws usage_error for one that does not exist.
Box whole_page(const Storage& storage, const Shape& page, std::int64_t number);

}  // namespace octavo
