// SPDX-License-Identifier: Apache-2.0
#include "data/format/dense_file.hpp"

#include <unistd.h>

#include "data/format/table/device_class.hpp"
#include "data/io/files/reserve.hpp"
#include "data/text/text_file.hpp"

namespace octavo {

void make_dense_file(const Storage& storage, std::string_view header) {
  Fd file = make_file(storage.path);
  try {
    reserve_file(file.get(), storage.path, storage.offset + bytes_needed(storage));
    if (!header.empty()) write_bytes(file, storage.path, header);
    sync_file(file, storage.path);
  } catch (...) {
    ::unlink(storage.path.c_str());
    throw;
  }
  sync_directory_of(storage.path);
}

const DeviceClass& DenseFormat::device(const Storage& /*storage*/) const { return device_class<FlatFile>(); }

void DenseFormat::place(const Storage& storage, const Shape& /*index*/, StoredBlock& block) const { block.file_bytes = storage.offset + bytes_needed(storage); }

}  // namespace octavo
