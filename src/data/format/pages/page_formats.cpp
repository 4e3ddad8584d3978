// SPDX-License-Identifier: Apache-2.0
// The formats pages and page_file, in the table of formats.
#include "data/format/pages/page_array.hpp"
#include "data/format/table/format.hpp"
#include "data/text/text_file.hpp"

namespace octavo {

namespace {

class PagesFormat : public Format {
 public:
  PagesFormat() : Format(storage_format::pages, "octavo") {}
  [[nodiscard]] std::vector<std::string> endings() const override { return {".octavo"}; }
  [[nodiscard]] std::optional<target_kind> target() const override { return target_kind::pages; }
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
};

class PageFileFormat : public Format {
 public:
  PageFileFormat() : Format(storage_format::page_file, "page file") {}
  [[nodiscard]] bool recognises(const std::string& path, bool directory) const override { return !directory && is_page_file(path); }
  [[nodiscard]] Storage open(const std::string& path) const override { return page_file_view(path, read_page_file_header(path)); }

  [[nodiscard]] Storage create(Storage made, const CreateOptions& /*options*/) const override {
    made.offset = page_file_header_bytes;
    make_page_file(made.path, {random_hex(16), 0, 1, made.type, made.order, made.chunk, made.grid().count()});
    return made;
  }

  void place(const Storage& storage, const Shape& index, StoredBlock& block) const override {
    block.offset += flatten(index, storage.grid()) * block.bytes();
    block.file_bytes = storage.offset + bytes_needed(storage);
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
