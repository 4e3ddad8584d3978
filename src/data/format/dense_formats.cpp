// SPDX-License-Identifier: Apache-2.0
// The formats npy and raw, in the table of formats.
#include "data/format/dense_file.hpp"
#include "data/format/npy.hpp"
#include "data/text/text_file.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

class NpyFormat : public DenseFormat {
 public:
  NpyFormat() : DenseFormat(storage_format::npy, "npy") {}
  [[nodiscard]] std::vector<std::string> endings() const override { return {".npy"}; }
  [[nodiscard]] std::optional<target_kind> target() const override { return target_kind::npy; }
  [[nodiscard]] bool recognises(const std::string& path, bool directory) const override { return !directory && (ending_of(path) == ".npy" || is_npy(path)); }

  [[nodiscard]] Storage open(const std::string& path) const override {
    const NpyHeader header = read_npy(path);
    return {storage_format::npy, path, header.shape, at_least_one(header.shape), header.type, header.order, header.offset};
  }

  [[nodiscard]] Storage create(Storage made, const CreateOptions& /*options*/) const override {
    made.offset = npy_data_offset;
    make_dense_file(made, npy_header_text(made.shape, made.type));
    return made;
  }
};

class RawFormat : public DenseFormat {
 public:
  RawFormat() : DenseFormat(storage_format::raw, "raw") {}
  [[nodiscard]] std::vector<std::string> endings() const override { return {".raw", ".bin", ".dat"}; }
  [[nodiscard]] std::optional<target_kind> target() const override { return target_kind::raw; }
  [[nodiscard]] Storage create(Storage made, const CreateOptions& /*options*/) const override {
    make_dense_file(made, {});
    return made;
  }
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
