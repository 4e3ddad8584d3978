// SPDX-License-Identifier: Apache-2.0
// What differs from format to format. A new one is a class like these in a folder of its own, and its line in the table of format.cpp.
//
//   const Format& format = Format::of(storage.format);
//   format.place(storage, index, block);
//
// Threading: constants. Failure: as of open_storage and create_storage (data/storage.hpp), which ask them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "octavo/data/new_target.hpp"
#include "octavo/data/storage.hpp"

namespace octavo {

class Format {
 public:
  constexpr Format(storage_format id, std::string_view name) : id_(id), name_(name) {}
  virtual ~Format() = default;
  static const Format& of(storage_format id);
  // In the order in which open_storage asks them whose a path is.
  static std::span<const Format* const> all();

  [[nodiscard]] storage_format id() const { return id_; }
  [[nodiscard]] std::string_view name() const { return name_; }  // in Python and in messages
  [[nodiscard]] virtual std::vector<std::string> endings() const { return {}; }
  // What it is while it is made; none: no program makes one by a path of its own.
  [[nodiscard]] virtual std::optional<target_kind> target() const { return {}; }
  // The array is one block of elements, in C order.
  [[nodiscard]] virtual bool is_one_block() const { return false; }
  // A block that is not there was never written, and is read as the fill value; else its file must be there.
  [[nodiscard]] virtual bool may_lack_blocks() const { return false; }
  // A directory in which nothing is may become one.
  [[nodiscard]] virtual bool is_directory() const { return false; }

  // Whether what is there is for open() to say, be it an error. `directory`: it is one; else it is a file.
  [[nodiscard]] virtual bool recognises(const std::string& path, bool directory) const;
  [[nodiscard]] virtual Storage open(const std::string& path) const;
  // `made` has path, shape, chunk, type and order, which are checked, and nothing is there.
  [[nodiscard]] virtual Storage create(Storage made, const CreateOptions& options) const;
  // Where a block lies: `block` is at the storage's path and offset, of its chunk, type and order.
  virtual void place(const Storage& storage, const Shape& index, StoredBlock& block) const;

 private:
  storage_format id_;
  std::string_view name_;
};

// Each beside what reads and writes it.
const Format& zarr_format();
const Format& npy_format();
const Format& raw_format();
const Format& page_file_format();
const Format& pages_format();
const Format& hdf5_format();

}  // namespace octavo
