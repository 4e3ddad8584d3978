// SPDX-License-Identifier: Apache-2.0
// An array that is stored, with a process for each of its disks.
//
//   octavo::Runtime runtime(argc, argv);
//   octavo::Storage stored = octavo::open_storage("density.zarr");
//   octavo::Array a = octavo::open_array(runtime.machine(), stored, octavo::default_page(stored));
//   octavo::ArrayPage corner = a.read({{0, 0, 0}, {16, 16, 16}});
//
// `page` is how the Array is cut: a multiple of the stored chunk, or the whole array for who asks for parts that suit the chunks anyway;
// an Octavo array (format `pages`) is always cut by its pages. `servers`: how many processes share the work of a store. The devices are made in parallel and
// live until the Runtime ends or they are destroyed. Failure: what the devices' constructors throw.
#pragma once

#include "octavo/data/array.hpp"

namespace octavo {

Array open_array(const Machine& machine, const Storage& storage, const Shape& page, const DeviceOptions& options = {}, int servers = 1);
// Whole chunks, together at least 1 MiB; of an array in one block, slabs of about 4 MiB.
Shape default_page(const Storage& storage);

}  // namespace octavo
