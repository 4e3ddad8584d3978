// SPDX-License-Identifier: Apache-2.0
// Which array is meant, and what is behind its buffers.
#include <filesystem>

#include "data/buffered/backing/array_backing.hpp"
#include "data/buffered/backing/stored_backing.hpp"
#include "data/buffered/memory_shares.hpp"
#include "data/format/npy.hpp"
#include "data/format/pages/page_file.hpp"
#include "data/format/table/format.hpp"
#include "data/io/convert.hpp"
#include "data/text/text_file.hpp"
#include "octavo/base/error.hpp"
#include "octavo/data/buffered/detail/buffers.hpp"
#include "octavo/data/detail/check_writable.hpp"
#include "octavo/data/named_array.hpp"
#include "octavo/data/new_target.hpp"
#include "octavo/data/open_array.hpp"

namespace octavo::detail {

namespace fs = std::filesystem;

namespace {

void check_mode(const std::string& mode, const std::string& path) {
  if (mode != "r" && mode != "r+" && mode != "w")
    throw usage_error("mode \"" + mode + "\" of '" + path + "'", R"(It is "r" to read, "r+" to read and write, or "w" to make a new array)");
}

// What the elements of a file are can be converted for reading; what is written must be what is stored.
void check_type(dtype stored, dtype wanted, bool writable, const std::string& path) {
  if (stored == wanted) return;
  if (writable)
    throw usage_error("'" + path + "' has elements of " + std::string(name_of(stored)) + ", not of " + std::string(name_of(wanted)),
                      "Open it with its own type, or for reading");
  const Converter known({stored}, {wanted});  // throws where this is not known
}

bool says_itself(const std::string& path) {
  if (fs::is_directory(path) || !fs::is_regular_file(path)) return true;  // of what is no file open_storage says it
  return ending_of(path) == ".npy" || is_npy(path) || is_page_file(path);
}

Storage found(const std::string& path, const Shape& shape, dtype type, const BufferedOptions& options) {
  std::optional<RawLayout> raw;
  if (shape.size() > 0 && !says_itself(path)) raw = RawLayout{.shape = shape, .type = type, .offset = options.offset, .part = options.offset > 0};
  Storage storage = open_storage(path, raw);
  if (shape.size() > 0 && !(storage.shape == shape))
    throw usage_error("'" + path + "' has " + storage.shape.text() + " elements, not " + shape.text(), "Leave the shape out, or correct it");
  return storage;
}

Storage made(const std::string& path, const Shape& shape, dtype type, const BufferedOptions& options) {
  if (shape.size() == 0) throw usage_error("'" + path + "' is made without a shape", "Give one");
  const auto format = format_of_ending(path);
  NewTarget target(path, format, true);
  create_storage(format, target.place(), shape, options.chunk.size() == 0 ? default_chunk(shape, size_of(type)) : options.chunk, type, options.stored);
  target.made();
  target.finish();
  std::optional<RawLayout> raw;
  if (Format::of(format).is_bare()) raw = RawLayout{shape, type, options.stored.order};
  return open_storage(path, raw);
}

// Of one block, the array, a part may be moved as well as all of it; so it may of a chunk that nobody has to decode.
std::unique_ptr<Buffers> over_storage(const Storage& storage, dtype type, const BufferedOptions& options, Fd held = {}) {
  auto backing = std::make_unique<StoredBacking>(storage, type, shares_of(options, size_of(type)).disk, std::move(held));
  return std::make_unique<Buffers>(std::move(backing), storage.shape, storage.chunk, !storage.is_encoded(), type, options);
}

std::string directory_for_scratch() {
  const char* said = ::getenv("TMPDIR");
  return said != nullptr && *said != '\0' ? said : "/tmp";
}

}  // namespace

std::unique_ptr<Buffers> Buffers::over(const Array& array, dtype type, const BufferedOptions& options) {
  const std::string name = "an array of " + std::to_string(array.devices().size()) + " devices";
  check_mode(options.mode, name);
  if (options.mode == "w") throw usage_error("mode \"w\" of an array that is there", R"(Open it with "r+")");
  check_type(array.type(), type, options.mode != "r", name);
  return std::make_unique<Buffers>(std::make_unique<ArrayBacking>(array, type, name), array.shape(), array.page(), true, type, options);
}

std::unique_ptr<Buffers> Buffers::open(const std::string& path, const Shape& shape, dtype type, const BufferedOptions& options) {
  check_mode(options.mode, path);
  if (path.starts_with("ov://")) return over(open_array(path), type, options);
  const Storage storage = options.mode == "w" ? made(path, shape, type, options) : found(path, shape, type, options);
  return over(storage, type, options);
}

std::unique_ptr<Buffers> Buffers::over(const Storage& storage, dtype type, const BufferedOptions& options) {
  check_mode(options.mode, storage.path);
  if (storage.is_served()) throw not_supported("'" + storage.path + "' is decoded by another library", "Open it from Python: octavo.buffered");
  check_type(storage.type, type, options.mode != "r", storage.path);
  if (options.mode != "r") check_writable(storage);
  return over_storage(storage, type, options);
}

std::unique_ptr<Buffers> Buffers::scratch(const Shape& shape, dtype type, const BufferedOptions& given) {
  BufferedOptions options = given;
  options.mode = "w";
  const PageFileHeader header{.array_id = std::string(32, '0'), .type = type, .page = shape, .pages = 1};
  Fd file = make_unnamed_page_file(directory_for_scratch(), header);
  const Storage storage{.format = storage_format::page_file,
                        .path = "/proc/self/fd/" + std::to_string(file.get()),
                        .shape = shape,
                        .chunk = shape,
                        .type = type,
                        .offset = page_file_header_bytes};
  return over_storage(storage, type, options, std::move(file));
}

}  // namespace octavo::detail
