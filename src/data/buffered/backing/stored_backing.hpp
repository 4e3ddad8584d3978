// SPDX-License-Identifier: Apache-2.0
// An array that lies in files which Octavo reads and writes itself: by the disk engine of this process, exactly the bytes that are asked for.
// The first write takes the lock by which devices that have caches are told (D-9).
#pragma once

#include <functional>

#include "data/buffered/backing/near_file.hpp"
#include "data/device/file_use.hpp"
#include "data/encoded/encoded_disk.hpp"
#include "data/io/disk.hpp"
#include "data/target/identity.hpp"
#include "octavo/base/fd.hpp"
#include "octavo/data/buffered/detail/backing.hpp"
#include "octavo/data/storage.hpp"

namespace octavo::detail {

class StoredBacking : public Backing {
 public:
  // `memory`: of the disk engine. `held`: a file that the storage names by its descriptor.
  StoredBacking(Storage storage, dtype type, std::int64_t memory, Fd held = {}, DiskOptions options = {});
  std::unique_ptr<Moving> start(const BlockMove& move, const Shape& tile) override;
  void expect_write(const Box& block) override;
  void flush() override {
    disk_->sync();
    near_.sync();
  }
  [[nodiscard]] const std::string& name() const override { return storage_.path; }

 private:
  std::unique_ptr<BlockDisk> make_disk(std::int64_t memory, DiskOptions options);
  // Calls visit(number of the block, its parts in the array) for each that has some.
  void for_each_block(const std::vector<Box>& parts, const std::function<void(const Shape& index, std::vector<Box> parts)>& visit) const;
  Storage storage_;
  dtype type_;
  std::vector<std::byte> fill_;
  Fd held_;
  octavo::Identity identity_;  // of an array with a fill value; used on the disk's thread
  FileUse use_;
  NearFile near_;
  EncodedDisk* encoded_ = nullptr;   // disk_, where it is one
  std::unique_ptr<BlockDisk> disk_;  // its destructor ends what is under way
};

}  // namespace octavo::detail
