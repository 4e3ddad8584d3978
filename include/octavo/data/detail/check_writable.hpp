// SPDX-License-Identifier: Apache-2.0
// Whether an array on disk may be written to, asked when it is opened to that end.
//
//   octavo::check_writable(octavo::open_storage("u.npy"));   // io_error on a read-only file system, or without the permission
//
// Threading: any. What is not on this disk under its path is not looked at.
#pragma once

#include "octavo/data/storage.hpp"

namespace octavo {

void check_writable(const Storage& storage);

}  // namespace octavo
