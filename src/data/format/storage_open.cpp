// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "data/format/other_files.hpp"
#include "data/format/table/format.hpp"
#include "data/text/text_file.hpp"
#include "octavo/base/error.hpp"
#include "octavo/data/new_target.hpp"
#include "octavo/data/open_unfinished.hpp"
#include "octavo/data/storage.hpp"

namespace octavo {

namespace fs = std::filesystem;

Storage raw_storage(const std::string& path, const RawLayout& layout) {
  check_shape(layout.shape, layout.type, "'" + path + "'");
  if (layout.offset < 0) throw usage_error("'" + path + "': an offset of " + std::to_string(layout.offset) + " bytes", "Give one of at least 0");
  auto found = static_cast<std::int64_t>(fs::file_size(path));
  if (layout.offset > found)
    throw usage_error("'" + path + "' has " + std::to_string(found) + " bytes: an offset of " + std::to_string(layout.offset) + " lies behind its end",
                      "Give the bytes before its first element");
  std::int64_t expected = layout.offset + layout.shape.count() * size_of(layout.type);
  if (layout.part ? found < expected : found != expected)
    throw usage_error("'" + path + "' has " + std::to_string(found) + " bytes; an array of " + layout.shape.text() + " " + std::string(name_of(layout.type)) +
                          (layout.offset ? " after " + std::to_string(layout.offset) + " bytes" : "") + " has " + std::to_string(expected),
                      "Correct the shape or the dtype");
  return {storage_format::raw, path, layout.shape, at_least_one(layout.shape), layout.type, layout.order, layout.offset};
}

namespace {

Storage opened(const std::string& path, const std::optional<RawLayout>& raw, bool whole) {
  std::error_code failed;
  auto status = fs::status(path, failed);
  if (status.type() == fs::file_type::not_found) refuse_in_other_file(path);
  if (status.type() == fs::file_type::not_found) throw io_error("there is no such source: '" + path + "'", "Check the path");
  if (failed) throw io_error_from(failed.value(), "opening '" + path + "'");
  if (whole) check_finished(path);
  std::string name = path;
  while (name.size() > 1 && name.back() == '/') name.pop_back();
  const bool directory = fs::is_directory(status);
  if (!directory && !fs::is_regular_file(status))
    throw usage_error("'" + path + "' is neither a directory nor a regular file", "Name a Zarr or .octavo directory, or a .npy, HDF5 or raw file");
  if (!directory && raw) {
    if (!raw->part && raw->offset == 0) refuse_as_raw(name);  // a caller that names another place in it knows what lies there
    return raw_storage(name, *raw);
  }
  for (const Format* each : Format::all())
    if (each->recognises(name, directory)) return each->open(name);
  if (!directory) refuse_other_files(name);
  throw usage_error("'" + path + "' has no format that is known",
                    "Known are Zarr and .octavo directories, .npy files, in Python HDF5, and raw files if you give their shape and dtype");
}

}  // namespace

Storage open_storage(const std::string& path, const std::optional<RawLayout>& raw) { return opened(path, raw, true); }
Storage open_unfinished(const std::string& path, const std::optional<RawLayout>& raw) { return opened(path, raw, false); }

}  // namespace octavo
