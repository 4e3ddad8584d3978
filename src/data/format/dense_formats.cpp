// SPDX-License-Identifier: Apache-2.0
// The formats npy and raw, in the table of formats.
#include <filesystem>

#include "data/format/dense_file.hpp"
#include "data/format/npy.hpp"
#include "data/target/put_away.hpp"
#include "data/text/text_file.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

std::string text_of(const Shape& shape, dtype type) { return shape.text() + " " + std::string(name_of(type)); }

class NpyFormat : public DenseFormat {
 public:
  NpyFormat() : DenseFormat(storage_format::npy, "npy") {}
  [[nodiscard]] std::vector<std::string> endings() const override { return {".npy"}; }
  [[nodiscard]] bool recognises(const std::string& path, bool directory) const override { return !directory && (ending_of(path) == ".npy" || is_npy(path)); }

  [[nodiscard]] Storage open(const std::string& path) const override {
    const NpyHeader header = read_npy(path);
    return {storage_format::npy, path, header.shape, at_least_one(header.shape), header.type, header.order, header.offset};
  }

  [[nodiscard]] std::int64_t header_bytes() const override { return npy_data_offset; }

  [[nodiscard]] Storage create(Storage made, const CreateOptions& options) const override {
    if (options.order == byte_order::big) throw not_supported("'" + made.path + "': writing a big-endian .npy", "Choose little");
    made.offset = header_bytes();
    make_dense_file(made, npy_header_text(made.shape, made.type));
    return made;
  }

  void check(const Storage& storage, const std::string& /*id*/) const override {
    const NpyHeader now = read_npy(storage.path);
    if (now.shape != storage.shape || now.type != storage.type || now.offset != storage.offset || (now.order != storage.order && size_of(now.type) > 1))
      throw another_one(storage, "it has " + text_of(now.shape, now.type) + " from byte " + std::to_string(now.offset) + " on");
  }

  [[nodiscard]] LastingParts lasting_parts(const Storage& storage, const std::string& path) const override {
    return {.places = {path}, .metadata = path, .header_bytes = storage.offset};
  }

  [[nodiscard]] std::string_view made_as() const override { return "an .npy file"; }
  [[nodiscard]] bool may_replace(const std::string& path) const override { return may_have_head(path, npy_magic); }
  [[nodiscard]] std::string hide(const std::string& place) const override { return put_away_head(place); }
  void reveal(const std::string& place, const std::string& hidden) const override { put_back_head(place, hidden); }
  [[nodiscard]] bool is_hidden(const std::string& path, bool directory) const override { return !directory && has_head_put_away(path); }
};

class RawFormat : public DenseFormat {
 public:
  RawFormat() : DenseFormat(storage_format::raw, "raw") {}
  [[nodiscard]] std::vector<std::string> endings() const override { return {".raw", ".bin", ".dat"}; }
  [[nodiscard]] bool is_bare() const override { return true; }
  [[nodiscard]] Storage create(Storage made, const CreateOptions& /*options*/) const override {
    make_dense_file(made, {});
    return made;
  }

  void check(const Storage& storage, const std::string& /*id*/) const override {
    std::error_code failed;
    const auto found = static_cast<std::int64_t>(std::filesystem::file_size(storage.path, failed));
    if (failed) throw io_error_from(failed.value(), "looking at '" + storage.path + "'");
    if (found < storage.offset + bytes_needed(storage)) throw another_one(storage, "it has " + std::to_string(found) + " bytes");
  }

  [[nodiscard]] std::string_view made_as() const override { return "a raw file"; }
  [[nodiscard]] bool may_replace(const std::string& /*path*/) const override { return true; }
};

}  // namespace

const Format& npy_format() {
  static const NpyFormat made;
  return made;
}

const Format& raw_format() {
  static const RawFormat made;
  return made;
}

}  // namespace octavo
