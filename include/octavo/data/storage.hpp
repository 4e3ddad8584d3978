// SPDX-License-Identifier: Apache-2.0
// Where an array lies on a disk: a value that can be sent to the processes that read or write the array.
//
//   octavo::Storage source = octavo::open_storage("density.zarr");       // .npy; raw files with {shape, type}
//   octavo::Storage target = octavo::create_storage(octavo::storage_format::zarr, "out.zarr", shape, chunk, octavo::dtype::complex64);
//   octavo::StoredBlock block = octavo::block_of(target, {0, 3, 1});     // one stored chunk
//   octavo::create_storage(octavo::storage_format::pages, "a.octavo", shape, page, type, {.devices = {"/d0", "/d1"}});   // on two disks
//
// Contract: `chunk` is the shape of a stored block; blocks at the upper edges are stored whole, except that npy and raw have one block,
// the array. Values: thread-safe as such. Failure: io_error, usage_error and not_supported, which name the file and the cure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "octavo/base/bytes.hpp"
#include "octavo/data/page_map.hpp"
#include "octavo/data/stored.hpp"

namespace octavo {

enum class storage_format : std::uint8_t {
  zarr,       // a Zarr directory, v3 or v2; a file a chunk, or a shard
  npy,        // NumPy's file, C order
  raw,        // the elements and nothing else, C order
  page_file,  // one file of pages after a header: page p (C-order number in the grid) at offset + p * page bytes
  pages,      // Octavo's own: a directory with array.json, and page files on one disk or many
  hdf5,       // a dataset of an HDF5 file in chunks, whose places are known; read only
  store,      // read and written by another library (zarr-python, h5py) in a server of its own: data/store.hpp
};

struct Storage {
  storage_format format = storage_format::raw;
  std::string path = {};
  Shape shape = {}, chunk = {};
  dtype type = dtype::float64;
  byte_order order = byte_order::little;
  std::int64_t offset = 0;                                      // of the first element, in formats of one file
  std::vector<std::byte> fill = {};                             // one element of `type` in native order, for what was never written; empty: there is none
  bool v2_keys = false;                                         // zarr: chunk files are named "0/1", not "c/0/1"
  char separator = '/';                                         // zarr: between the numbers of a key
  std::string attributes_json = {}, dimension_names_json = {};  // carried along as they are, as JSON; empty: none
  int zarr_version = 3;
  std::vector<std::string> files = {};    // pages: the page file of each device
  map_kind map = map_kind::circulant;     // pages: which device keeps a page
  std::int64_t map_block = 1;             // pages: of a block-cyclic map
  Shape write_chunk = {};                 // store, encoded zarr: what must be written whole (a shard, say); empty: as `chunk`
  std::int64_t unit_bytes = 0;            // store, encoded zarr: memory that reading a chunk takes
  std::string spec = {};                  // store: what its library needs to know, as JSON; zarr, hdf5: its codecs (encoded/encoding.hpp), empty: none
  std::vector<std::string> server = {};   // store: the command that serves it
  std::vector<std::int64_t> places = {};  // hdf5: offset and length in the file of each chunk, in C order; length 0: it was never written
  bool fill_is_missing = false;           // zarr v2 with a fill_value: to xarray an element that has it is missing

  [[nodiscard]] Shape grid() const { return grid_of(shape, chunk); }
  // Whether its chunks are encoded, by codecs that Octavo has itself.
  [[nodiscard]] bool is_encoded() const { return !is_served() && !spec.empty(); }
  // Whether another library reads and writes it, in a server of its own (data/store.hpp).
  [[nodiscard]] bool is_served() const { return format == storage_format::store; }
  // Whether its pages lie in page files, each of which has a device of its own.
  [[nodiscard]] bool is_paged() const;
  // What block_of() has a block for: the chunk, but of an array in shards the shard.
  [[nodiscard]] const Shape& block() const { return is_encoded() && write_chunk.size() > 0 ? write_chunk : chunk; }
  [[nodiscard]] PageMap page_map() const { return {map, grid(), std::max<std::int64_t>(1, static_cast<std::int64_t>(files.size())), map_block}; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(format, path, shape, chunk, type, order, offset, fill, v2_keys, separator, attributes_json, dimension_names_json);
    archive(zarr_version, files, map, map_block, write_chunk, unit_bytes, spec, server, fill_is_missing, places);
  }
};

// What a file without a header cannot say itself.
struct RawLayout {
  Shape shape;
  dtype type = dtype::float64;
  byte_order order = byte_order::little;
  std::int64_t offset = 0;
  bool part = false;  // of a larger file: more may follow the array; else the file must end with it
};

struct CreateOptions {
  byte_order order = byte_order::little;
  std::vector<std::byte> fill = {};  // one element in native order; empty: zeros, and null in Zarr v2
  char separator = '/';
  std::string attributes_json = {}, dimension_names_json = {};
  int zarr_version = 3;
  std::string compressor = {};            // zarr: zstd, gzip or blosc, in v2 also lz4; empty, or none: its chunks are not encoded
  std::optional<int> level = {};          // of the compressor; none: its usual one
  Shape shard = {};                       // zarr v3: so many elements in a file, whole chunks; empty: a file a chunk
  std::vector<std::string> devices = {};  // pages: a directory for each page file; none: within the array's own
  map_kind map = map_kind::circulant;     // pages
  std::int64_t map_block = 1;
};

// io_error for what a job left that did not finish. A directory with a zarr.json or an array.json (all its page files must be there), a page file, a file
// *.npy, or any file if `raw` says what is in it (its size must be exactly that). A page file is seen as its pages one below the other.
Storage open_storage(const std::string& path, const std::optional<RawLayout>& raw = std::nullopt);
// A file of which only the caller knows what is in it, also one that is not finished.
Storage raw_storage(const std::string& path, const RawLayout& layout);
// Nothing may exist at `path` (an empty directory may). npy, raw and all page files get their whole space at once. `chunk` counts for zarr,
// page_file and pages; the others take the shape. What fails leaves nothing behind. Refused while another program makes an array at `path` (NewTarget).
Storage create_storage(storage_format format, const std::string& path, const Shape& shape, const Shape& chunk, dtype type, const CreateOptions& options = {});

// .zarr, .npy, .raw (.bin, .dat) or .octavo, whatever its case; not_supported for others.
storage_format format_of_ending(const std::string& path);
// Of at most so many bytes: the same power of two along each axis that is longer, up to a factor of 2 in favour of the last axes. Where such chunks would
// overhang the array by more than an eighth, equal parts take their place.
inline constexpr std::int64_t default_chunk_bytes = 4 * MiB;
Shape default_chunk(const Shape& shape, std::int64_t element_bytes, std::int64_t most_bytes = default_chunk_bytes);

// Removes what is there: of an Octavo array, also one whose making was interrupted, first the page files that carry its id, and nothing else
// outside its directory. What cannot be removed stays; a page file that stays is logged.
void remove_storage(const std::string& path) noexcept;
// The page file of one device of an Octavo array, with the numbers of PageMap: what a PageFile is made of.
Storage device_storage(const Storage& array, int device);

// Of a Zarr array that is there: usage_error if no chunk would be found because they are called by the other separator, '/' or '.'. Looks at few names.
void check_chunk_names(const std::string& path, const Storage& meta);

// `index`: in the grid of Storage::block().
StoredBlock block_of(const Storage& storage, const Shape& index);
// The fill element as `as`, to be given to a read; empty if the storage has none.
std::vector<std::byte> fill_as(const Storage& storage, dtype as);
// A fill element as JSON, as in Zarr v3: a number, "NaN", "Infinity", the bits "0x...", a pair for complex types. Throws usage_error.
std::string fill_text(const std::vector<std::byte>& element, dtype type);
std::vector<std::byte> fill_of_text(const std::string& json, dtype type);
// What the whole array takes on the disk.
std::int64_t bytes_needed(const Storage& storage);
// What create_storage would take of each file system: one of the directories on it, and the bytes.
std::vector<std::pair<std::string, std::int64_t>> bytes_by_place(storage_format format, const std::string& path, const Shape& shape, const Shape& chunk,
                                                                 dtype type, const CreateOptions& options = {});
// The codecs that Octavo has itself, as this build was made, by their names in Zarr v3.
std::vector<std::string> native_codecs();
// Of an encoded array: what a device needs to decode on so many cores, and if it is written to encode (DeviceOptions::staging_bytes); at most `most` where that
// is enough for one.
std::int64_t encoding_memory(const Storage& storage, bool writing, int cores, std::int64_t most);
// What is free where `path` is, or will be.
std::int64_t bytes_free(const std::string& path);

}  // namespace octavo
