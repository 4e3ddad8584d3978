// SPDX-License-Identifier: Apache-2.0
// What lies on a disk: opened natively, or described by Python for another library.
#include "octavo/data/storage.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <charconv>
#include <tuple>

#include "lock.hpp"
#include "octavo/base/error.hpp"
#include "octavo/data/codecs.hpp"
#include "octavo/data/detail/check_writable.hpp"
#include "octavo/data/formats.hpp"
#include "octavo/data/new_target.hpp"
#include "octavo/data/open_unfinished.hpp"
#include "values.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace octavo::bindings {

std::pair<map_kind, std::int64_t> map_of(const std::string& name) {
  static constexpr std::string_view blocks = "block_cyclic:";
  if (name == "circulant") return {map_kind::circulant, 1};
  if (name == "block_cyclic") return {map_kind::block_cyclic, 1};
  std::int64_t block = 0;
  if (name.starts_with(blocks)) {
    auto [end, status] = std::from_chars(name.data() + blocks.size(), name.data() + name.size(), block);
    if (status == std::errc() && end == name.data() + name.size() && block >= 1) return {map_kind::block_cyclic, block};
  }
  throw usage_error("the map '" + name + "'", "It is circulant, block_cyclic, or block_cyclic:4 for blocks of 4 pages");
}

storage_format format_of(const std::string& name) { return format_named(name); }

namespace {

std::optional<RawLayout> raw_layout(const std::optional<Integers>& shape, const std::optional<std::string>& type, std::int64_t offset, bool big_endian,
                                    bool part) {
  if (!shape && !type) {
    if (offset != 0 || big_endian) throw usage_error("an offset or a byte order was given without a shape and a dtype", "They describe a raw file: give all");
    return std::nullopt;
  }
  if (!shape || !type) throw usage_error("a raw source needs both its shape and its dtype", "Give both");
  return RawLayout{shape_of(*shape), parse_dtype(*type), big_endian ? byte_order::big : byte_order::little, offset, part};
}

Storage open(const std::string& path, const std::optional<Integers>& shape, const std::optional<std::string>& type, std::int64_t offset, bool big_endian,
             bool part, bool unfinished) {
  return (unfinished ? open_unfinished : open_storage)(path, raw_layout(shape, type, offset, big_endian, part));
}

Storage raw(const std::string& path, const Integers& shape, const std::string& type, std::int64_t offset) {
  return raw_storage(path, {shape_of(shape), parse_dtype(type), byte_order::little, offset, true});
}

Storage create(const std::string& path, const std::string& format, const Integers& shape, const std::string& type, const Integers& chunks,
               CreateOptions options, const std::string& fill) {
  if (!fill.empty()) options.fill = fill_of_text(fill, parse_dtype(type));
  return create_storage(format_of(format), path, shape_of(shape), shape_of(chunks), parse_dtype(type), options);
}

Storage store_storage(const std::string& path, const Integers& shape, const std::string& type, const std::string& spec,
                      const std::vector<std::string>& server) {
  Storage made;
  made.format = storage_format::store;
  made.path = path;
  made.shape = shape_of(shape);
  made.type = parse_dtype(type);
  made.spec = spec;
  made.server = server;
  return made;
}

// Of a dataset in chunks: `places` as Storage has them; `encoding` as Storage::spec.
Storage chunked(const std::string& path, const Integers& shape, const Integers& chunk, const std::string& type, bool big_endian, const std::string& encoding,
                const std::vector<std::int64_t>& places) {
  Storage made{.format = storage_format::hdf5, .path = path, .shape = shape_of(shape), .chunk = shape_of(chunk), .type = parse_dtype(type)};
  made.order = big_endian ? byte_order::big : byte_order::little;
  made.spec = encoding;
  made.places = places;
  if (static_cast<std::int64_t>(places.size()) != 2 * made.grid().count())
    throw usage_error(std::to_string(places.size() / 2) + " places of chunks of '" + path + "', which has " + made.grid().text());
  made.unit_bytes = encoding_memory(made, false, 1, 0);
  return made;
}

// By what zarr-python knows of the array.
void check_names(const std::string& path, const Integers& shape, const Integers& chunks, int zarr_version, bool v2_keys, const std::string& separator) {
  Storage meta;
  meta.shape = shape_of(shape), meta.chunk = shape_of(chunks);
  meta.zarr_version = zarr_version, meta.v2_keys = v2_keys, meta.separator = separator.at(0);
  check_chunk_names(path, meta);
}

Integers chunk_for(const Integers& shape, std::int64_t element_bytes, std::int64_t most_bytes) {
  return integers(default_chunk(shape_of(shape), element_bytes, most_bytes));
}

// Of a store: what is decoded and what is written whole, and the memory for one.
void set_units(Storage& storage, const Integers& read, const Integers& write, std::int64_t bytes) {
  storage.chunk = shape_of(read);
  storage.write_chunk = shape_of(write);
  storage.unit_bytes = bytes;
}

using ReadBytes = nb::ndarray<const std::uint8_t, nb::shape<-1>, nb::c_contig, nb::device::cpu>;
using Room = nb::ndarray<std::uint8_t, nb::shape<-1>, nb::c_contig, nb::device::cpu>;

std::size_t encode(const std::string& codecs, const ReadBytes& chunk, const Room& room) {
  const std::span<const std::uint8_t> from(chunk.data(), chunk.size());
  const std::span<std::uint8_t> to(room.data(), room.size());
  const Unlocked unlocked;
  return encode_chunk(codecs, std::as_bytes(from), std::as_writable_bytes(to));
}

void add_codecs(nb::module_& m) {
  m.def("native_codecs", &native_codecs);
  m.def("most_encoded", &most_encoded, "codecs"_a, "bytes"_a);
  m.def("encode_chunk", &encode, "codecs"_a, "chunk"_a, "room"_a);
}

void add_formats(nb::module_& m) {
  nb::class_<FormatFacts>(m, "FormatFacts")
      .def_ro("name", &FormatFacts::name)
      .def_ro("endings", &FormatFacts::endings)
      .def_ro("one_block", &FormatFacts::one_block)
      .def_ro("paged", &FormatFacts::paged)
      .def_ro("may_lack_blocks", &FormatFacts::may_lack_blocks)
      .def_ro("bare", &FormatFacts::bare);
  m.def("formats", &formats);
}

}  // namespace

void add_types(nb::module_& m) {
  nb::list names;
  for (int i = 0; i < dtype_count; ++i) names.append(nb::str(std::string(name_of(static_cast<dtype>(i))).c_str()));
  m.attr("dtypes") = nb::tuple(names);
  m.def(
      "transformed", [](const std::string& type) { return std::string(name_of(transformed(parse_dtype(type)))); }, "dtype"_a);
}

void add_storage(nb::module_& m) {
  nb::class_<Storage>(m, "Storage")
      .def_prop_ro("format", [](const Storage& s) { return std::string(name_of(s.format)); })
      .def_ro("path", &Storage::path)
      .def_prop_ro("shape", [](const Storage& s) { return integers(s.shape); })
      .def_prop_ro("chunk", [](const Storage& s) { return integers(s.chunk); })
      .def_prop_ro("dtype", [](const Storage& s) { return std::string(name_of(s.type)); })
      .def_prop_ro("big_endian", [](const Storage& s) { return s.order == byte_order::big; })
      .def_prop_ro("nbytes", [](const Storage& s) { return s.shape.count() * size_of(s.type); })
      .def_ro("files", &Storage::files)
      .def_ro("spec", &Storage::spec)
      .def_prop_ro("encoded", &Storage::is_encoded)
      .def_prop_ro("served", &Storage::is_served)
      .def_prop_ro("paged", &Storage::is_paged)
      .def_prop_ro("block", [](const Storage& s) { return integers(s.block()); })
      .def_ro("zarr_version", &Storage::zarr_version)
      .def("set_units", &set_units, "read"_a, "write"_a, "bytes"_a)
      .def_prop_rw(
          "fill_json", [](const Storage& s) { return s.fill.empty() ? std::string() : fill_text(s.fill, s.type); },
          [](Storage& s, const std::string& json) { s.fill = json.empty() ? std::vector<std::byte>() : fill_of_text(json, s.type); })
      .def_rw("fill_is_missing", &Storage::fill_is_missing)
      .def_rw("attributes_json", &Storage::attributes_json)
      .def_rw("dimension_names_json", &Storage::dimension_names_json);
  m.def("open_storage", &open, "path"_a, "shape"_a = nb::none(), "dtype"_a = nb::none(), "offset"_a = 0, "big_endian"_a = false, "part"_a = false,
        "unfinished"_a = false);
  m.def("check_writable", &check_writable, "storage"_a);
  m.def("raw_storage", &raw, "path"_a, "shape"_a, "dtype"_a, "offset"_a);
  m.def("chunked_storage", &chunked, "path"_a, "shape"_a, "chunk"_a, "dtype"_a, "big_endian"_a, "encoding"_a, "places"_a);
  m.def("check_finished", &check_finished, "path"_a);
  nb::class_<NewTarget>(m, "NewTarget")
      .def(
          "__init__",
          [](NewTarget* self, const std::string& path, const std::string& format, bool overwrite) {
            new (self) NewTarget(path, format_of(format), overwrite, /*make_parents=*/true);
          },
          "path"_a, "format"_a, "overwrite"_a, nb::call_guard<Unlocked>())
      .def_prop_ro("place", &NewTarget::place)
      .def_prop_ro("removed", &NewTarget::removed)
      .def("made", &NewTarget::made)
      .def("finish", &NewTarget::finish, nb::call_guard<Unlocked>())
      .def("end", &NewTarget::end, nb::call_guard<Unlocked>());
  nb::class_<CreateOptions>(m, "CreateOptions")
      .def(nb::init<>())
      .def_rw("attributes_json", &CreateOptions::attributes_json)
      .def_rw("dimension_names_json", &CreateOptions::dimension_names_json)
      .def_rw("zarr_version", &CreateOptions::zarr_version)
      .def_rw("compressor", &CreateOptions::compressor)
      .def_rw("level", &CreateOptions::level, "level"_a.none())
      .def_prop_rw("shard", nullptr, [](CreateOptions& o, const Integers& shard) { o.shard = shape_of(shard); })
      .def_rw("devices", &CreateOptions::devices)
      .def_prop_rw("map", nullptr, [](CreateOptions& o, const std::string& name) { std::tie(o.map, o.map_block) = map_of(name); });
  m.def("create_storage", &create, "path"_a, "format"_a, "shape"_a, "dtype"_a, "chunks"_a, "options"_a, "fill_json"_a = "");
  m.def("remove_storage", &remove_storage, "path"_a);
  add_formats(m);
  add_codecs(m);
  m.attr("default_chunk_bytes") = default_chunk_bytes;
  m.def("default_chunk", &chunk_for, "shape"_a, "element_bytes"_a, "most_bytes"_a = default_chunk_bytes);
  m.def("check_chunk_names", &check_names, "path"_a, "shape"_a, "chunks"_a, "zarr_version"_a, "v2_keys"_a, "separator"_a);
  m.def("store_storage", &store_storage, "path"_a, "shape"_a, "dtype"_a, "spec"_a, "server"_a);
}

}  // namespace octavo::bindings
