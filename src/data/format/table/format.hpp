// SPDX-License-Identifier: Apache-2.0
// What differs from format to format. A new one is a class like these, and its line in the table of format.cpp.
//
//   const Format& format = Format::of(storage.format);
//   format.place(storage, index, block);
//
// Threading: constants. Failure: as of open_storage and create_storage (data/storage.hpp), which ask them, of devices (D-10), and of NewTarget.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "octavo/base/error.hpp"
#include "octavo/data/storage.hpp"

namespace octavo {

struct DeviceClass;

// What must stay as it is while an array is in use.
struct LastingParts {
  std::vector<std::string> places = {};  // files and directories, the array's own first; none: it is not on this disk
  std::string metadata = {};             // the file of them that describes it; empty: none that is known
  std::int64_t header_bytes = 0;         // of it; 0: it is JSON, as a whole
};

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
  // The array is one block of elements, in C order.
  [[nodiscard]] virtual bool is_one_block() const { return false; }
  // Its pages lie in page files, which may be in several directories: each has a device of its own.
  [[nodiscard]] virtual bool is_paged() const { return false; }
  // Another library reads and writes it, in a server of its own.
  [[nodiscard]] virtual bool is_served() const { return false; }
  // Its chunks may be encoded, by what Storage::spec says.
  [[nodiscard]] virtual bool has_codecs() const { return false; }
  // Nothing in it says what its shape and its dtype are.
  [[nodiscard]] virtual bool is_bare() const { return false; }
  // It has an array without elements.
  [[nodiscard]] virtual bool may_be_empty() const { return true; }
  // A block that is not there was never written, and is read as the fill value; else its file must be there.
  [[nodiscard]] virtual bool may_lack_blocks() const { return false; }
  // A directory in which nothing is may become one.
  [[nodiscard]] virtual bool is_directory() const { return false; }

  // Whether what is there is for open() to say, be it an error. `directory`: it is one; else it is a file.
  [[nodiscard]] virtual bool recognises(const std::string& path, bool directory) const;
  [[nodiscard]] virtual Storage open(const std::string& path) const;
  // `made` has path, shape, chunk, type and order, which are checked, and nothing is there.
  [[nodiscard]] virtual Storage create(Storage made, const CreateOptions& options) const;
  // Before the first element, in each file.
  [[nodiscard]] virtual std::int64_t header_bytes() const { return 0; }
  // Where a block lies: `block` is at the storage's path and offset, of its chunk, type and order.
  virtual void place(const Storage& storage, const Shape& index, StoredBlock& block) const;

  // The class of its devices; not_supported where another library has to serve them.
  [[nodiscard]] virtual const DeviceClass& device(const Storage& storage) const;
  // What its file has and no other one, which goes with its bytes; empty: nothing.
  [[nodiscard]] virtual std::string file_id(const Storage& storage) const;
  // Of a device that is made again: throws another_one() where the file is gone, or is no longer the one that `storage` describes. `id`: its file_id().
  virtual void check(const Storage& storage, const std::string& id) const;
  [[nodiscard]] static io_error another_one(const Storage& storage, const std::string& what);
  // `path`: its file or directory.
  [[nodiscard]] virtual LastingParts lasting_parts(const Storage& storage, const std::string& path) const;

  // While it is made (NewTarget). "an .npy file"; empty: it is made by no program under a name of its own.
  [[nodiscard]] virtual std::string_view made_as() const { return {}; }
  // Whether what is there, a directory or a file as the format has it, is such an array, whole or not: it may be replaced.
  [[nodiscard]] virtual bool may_replace(const std::string& path) const;
  // Whether an array has such an entry in its directory.
  [[nodiscard]] virtual bool has_part(std::string_view name) const;
  // Puts away what shows that an array is there; gives what reveal() needs to put it back, on the disk when it returns. io_error if it is gone.
  [[nodiscard]] virtual std::string hide(const std::string& place) const;
  virtual void reveal(const std::string& place, const std::string& hidden) const;
  [[nodiscard]] virtual bool is_hidden(const std::string& path, bool directory) const;

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
const Format& store_format();

}  // namespace octavo
