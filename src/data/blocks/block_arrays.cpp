// SPDX-License-Identifier: Apache-2.0
#include "data/blocks/block_arrays.hpp"

#include <algorithm>
#include <filesystem>

#include "data/format/table/format.hpp"
#include "data/target/unfinished.hpp"

namespace octavo::detail {

namespace fs = std::filesystem;

namespace {

std::vector<scoped<PageDevice>> owned(const Array& array) {
  std::vector<scoped<PageDevice>> devices;
  devices.reserve(array.devices().size());
  for (const auto& each : array.devices()) devices.emplace_back(each);
  return devices;
}

std::vector<std::string> paths_of(const Array& array) {
  std::vector<future<DeviceFacts>> asked;
  for (const auto& each : array.devices()) asked.push_back(start(each)->facts());
  std::vector<std::string> paths;
  for (auto& each : asked) paths.push_back(each.get().path);
  return paths;
}

}  // namespace

InputArray::InputArray(const BlockInput& input) {
  if (const auto* array = std::get_if<Array>(&input.from())) {
    array_ = *array;
    name_ = name_of_array(array_);
    return;
  }
  const auto& path = std::get<std::string>(input.from());
  name_ = "'" + path + "'";
  if (path.starts_with("ov://")) {  // its devices are not this program's
    array_ = open_array(path);
    return;
  }
  const Storage storage = open_storage(path);
  array_ = open_array(storage);
  made_ = owned(array_);
  if (!Format::of(storage.format).is_one_block()) chunk_ = storage.chunk;
}

std::vector<InputArray> opened(const std::vector<BlockInput>& inputs) {
  std::vector<InputArray> sources;
  sources.reserve(inputs.size());
  for (const auto& each : inputs) sources.emplace_back(each);
  return sources;
}

NewBlockTarget::NewBlockTarget(const std::string& path, const Shape& shape, const Shape& chunk, dtype type, const NewArrayOptions& options)
    : target_(path, format_of_ending(path), options.overwrite) {
  const Storage storage = create_storage(format_of_ending(path), target_.place(), shape, chunk, type, options.stored);
  target_.made();
  array_ = open_array(storage, options.opened);
  made_ = owned(array_);
}

void NewBlockTarget::finish() {
  array_.flush();
  made_.clear();
  target_.finish();
}

std::string name_of_array(const Array& array) { return "an array of " + array.shape().text() + " " + std::string(name_of(array.type())); }

// Of a file on two machines it is not known whether it is one; so equal paths are.
bool is_one_array(const Array& array, const Array& other) {
  for (const auto& each : array.devices())
    if (std::find(other.devices().begin(), other.devices().end(), each) != other.devices().end()) return true;
  const auto paths = paths_of(array), others = paths_of(other);
  std::error_code none;
  for (const auto& each : paths)
    for (const auto& path : others)
      if (each == path || fs::equivalent(each, path, none)) return true;
  return false;
}

}  // namespace octavo::detail
