// SPDX-License-Identifier: Apache-2.0
// An array that is stored, with a process for each of its disks.
//
//   octavo::Runtime runtime;
//   octavo::Array density = octavo::open_array("density.zarr");
//   std::vector<float> plane = density.read<float>(density.select({octavo::Slice::all, 100}));          // density[:, 100]
//   octavo::Array copy = octavo::create_array("copy.zarr", {512, 512}, octavo::dtype::float32);  // .npy, .raw and .octavo, too
//   copy.write(copy.select({}), plane);
//
// By its path: the array is cut by default_page; "ov://..." is the name of one whose devices have names (data/named_array.hpp). Zarr may be encoded by zstd,
// gzip, zlib, Blosc and crc32c, and lie in shards: the device decodes on all cores, and takes memory for that if `devices` says nothing else. Zarr with
// other codecs, and HDF5, are opened from Python, which brings their libraries. create_array makes it of zeros, or of `stored.fill`; what is at the path stays,
// unless `overwrite`, until the new one is whole.
//
// By its Storage: `page` is how the Array is cut: a multiple of the stored chunk, or the whole array for callers that ask for parts that suit the chunks
// anyway; an Octavo array (format `pages`) is always cut by its pages. `servers`: how many processes share the work of a store. The devices are made in
// parallel and live until the Runtime ends or they are destroyed. Failure: what the devices' constructors throw.
#pragma once

#include "octavo/data/array.hpp"

namespace octavo {

struct OpenOptions {
  Place at = process;                 // where its devices are made: on a machine, say
  DeviceOptions devices = {};         // memory of each; as it is, an array that is encoded gets what all cores use, up to 256 MiB
  std::optional<RawLayout> raw = {};  // of a file without a header
};
Array open_array(const std::string& path, const OpenOptions& options = {});
// The same of what is known already, so `raw` counts for nothing.
Array open_array(const Storage& storage, const OpenOptions& options = {});

struct NewArrayOptions {
  Shape chunk = {};  // none: default_chunk
  bool overwrite = false;
  CreateOptions stored = {};
  OpenOptions opened = {};
};
Array create_array(const std::string& path, const Shape& shape, dtype type, const NewArrayOptions& options = {});

Array open_array(const Place& at, const Storage& storage, const Shape& page, const DeviceOptions& options = {}, int servers = 1);
// Whole chunks, together at least 1 MiB; of an array in one block, slabs of about 4 MiB; of one in shards, a shard if it has at most `most` bytes.
Shape default_page(const Storage& storage, std::int64_t most = 64 * MiB);

}  // namespace octavo
