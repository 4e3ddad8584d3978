// SPDX-License-Identifier: Apache-2.0
// The formats pages and page_file, in the table of formats.
#include <cerrno>
#include <cstdio>

#include "data/format/pages/page_array.hpp"
#include "data/format/table/device_class.hpp"
#include "data/format/table/format.hpp"
#include "data/text/text_file.hpp"

namespace octavo {

namespace {

// The directory is then known for one that is being made (page_array.hpp).
void rename_in(const std::string& place, const char* from, const char* to) {
  if (std::rename((place + from).c_str(), (place + to).c_str()) != 0) throw io_error_from(errno, "renaming '" + place + from + "'");
}

std::string id_in(const PageFileHeader& header) {
  return header.array_id + ", device " + std::to_string(header.device) + " of " + std::to_string(header.devices);
}

class PagesFormat : public Format {
 public:
  PagesFormat() : Format(storage_format::pages, "octavo") {}
  [[nodiscard]] std::vector<std::string> endings() const override { return {".octavo"}; }
  [[nodiscard]] bool is_paged() const override { return true; }
  [[nodiscard]] bool may_be_empty() const override { return false; }
  [[nodiscard]] bool is_directory() const override { return true; }
  [[nodiscard]] bool recognises(const std::string& path, bool directory) const override { return directory && is_page_array(path); }
  [[nodiscard]] Storage open(const std::string& path) const override { return open_page_array(path); }
  [[nodiscard]] Storage create(Storage made, const CreateOptions& options) const override { return create_page_array(made, options); }

  void place(const Storage& storage, const Shape& index, StoredBlock& block) const override {
    auto place = storage.page_map().place_of(index);
    block.file = storage.files.at(static_cast<std::size_t>(place.device));
    block.fixed = block.file.size();
    block.offset += place.index * block.bytes();
    block.file_bytes = page_file_bytes(storage);
  }

  [[nodiscard]] std::int64_t header_bytes() const override { return page_file_header_bytes; }
  [[nodiscard]] const DeviceClass& device(const Storage& /*storage*/) const override { return device_class<PageFile>(); }

  [[nodiscard]] LastingParts lasting_parts(const Storage& storage, const std::string& path) const override {
    LastingParts found = Format::lasting_parts(storage, path);
    found.metadata = path + array_json;
    return found;
  }

  [[nodiscard]] std::string_view made_as() const override { return "an Octavo array"; }
  [[nodiscard]] bool may_replace(const std::string& path) const override { return is_page_array(path); }
  [[nodiscard]] bool has_part(std::string_view name) const override {
    const std::string at = "/" + std::string(name);
    return at == array_json || at == making_json || name.ends_with(".pages");
  }
  [[nodiscard]] std::string hide(const std::string& place) const override {
    rename_in(place, array_json, making_json);
    return {};
  }
  void reveal(const std::string& place, const std::string& /*hidden*/) const override {
    rename_in(place, making_json, array_json);
    sync_directory_of(place + array_json);
  }
};

class PageFileFormat : public Format {
 public:
  PageFileFormat() : Format(storage_format::page_file, "page file") {}
  [[nodiscard]] bool may_be_empty() const override { return false; }
  [[nodiscard]] std::int64_t header_bytes() const override { return page_file_header_bytes; }
  [[nodiscard]] const DeviceClass& device(const Storage& /*storage*/) const override { return device_class<PageFile>(); }
  [[nodiscard]] bool recognises(const std::string& path, bool directory) const override { return !directory && is_page_file(path); }
  [[nodiscard]] Storage open(const std::string& path) const override { return page_file_view(path, read_page_file_header(path)); }

  [[nodiscard]] Storage create(Storage made, const CreateOptions& /*options*/) const override {
    made.offset = header_bytes();
    make_page_file(made.path, {random_hex(16), 0, 1, made.type, made.order, made.chunk, made.grid().count()});
    return made;
  }

  void place(const Storage& storage, const Shape& index, StoredBlock& block) const override {
    block.offset += flatten(index, storage.grid()) * block.bytes();
    block.file_bytes = storage.offset + bytes_needed(storage);
  }

  [[nodiscard]] std::string file_id(const Storage& storage) const override { return id_in(read_page_file_header(storage.path)); }

  void check(const Storage& storage, const std::string& id) const override {
    const auto header = read_page_file_header(storage.path);
    const auto view = page_file_view(storage.path, header);
    if (view.shape != storage.shape || view.type != storage.type || view.order != storage.order || view.offset != storage.offset)
      throw another_one(storage, "it has " + header.text());
    if (!id.empty() && id_in(header) != id) throw another_one(storage, "its header has the id " + id_in(header) + ", not " + id);
  }
};

}  // namespace

const Format& pages_format() {
  static const PagesFormat made;
  return made;
}

const Format& page_file_format() {
  static const PageFileFormat made;
  return made;
}

}  // namespace octavo
