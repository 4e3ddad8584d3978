// SPDX-License-Identifier: Apache-2.0
// The open files of one disk engine: opened once, kept while they are used most recently, made with their directories when written first.
//
// Each file can have two descriptors: a direct one (O_DIRECT) for whole disk blocks, and a buffered one for the bytes around them.
// Threading: one thread uses it, but replace(), wrote() and sync() may also be called from others.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <unordered_map>

#include "octavo/base/fd.hpp"

namespace octavo {

struct OpenFile {
  std::string path;
  bool writable = false;
  bool unnamed = false;  // when it was opened: nobody can remove it
  dev_t device = 0;
  Fd direct, buffered;

  // Opens it when first asked for; where there is no direct descriptor the buffered one.
  int descriptor(bool want_direct);
  [[nodiscard]] std::int64_t bytes() const;

 private:
  friend class Files;
  [[nodiscard]] bool gone() const;
};

class Files {
 public:
  // `replaced`: before another file is opened that has the name of one which was removed; may throw.
  Files(int capacity, bool direct, std::function<void()> replaced = {}) : capacity_(capacity), direct_(direct), replaced_(std::move(replaced)) {}

  // Null if there is no such file.
  std::shared_ptr<OpenFile> for_reading(const std::string& path);
  // A new file is given `file_bytes` of disk at once, so that a full disk shows before the first byte is moved.
  // `fill`, an element as the file has it: a new file appears under its name full of it. Empty: zeros. What the first `fixed` characters of the path
  // name must be there: an array that was removed is not made anew by halves.
  std::shared_ptr<OpenFile> for_writing(const std::string& path, std::int64_t file_bytes, std::span<const std::byte> fill = {}, std::size_t fixed = 0);
  // The kernel has declined a direct transfer of this file: no more of them on its file system.
  void refuse_direct(OpenFile& file);

  // The whole file anew: under another name, then renamed, so that it is always there as it was or as it is now. `fixed`: as for_writing. Any thread.
  void replace(const std::string& path, std::span<const std::byte> bytes, std::size_t fixed);

  void wrote(const std::string& path);
  // Everything wrote() was called for, and every new directory entry, is on the disk.
  void sync();

 private:
  std::shared_ptr<OpenFile> cached(const std::string& path, bool writable);
  std::shared_ptr<OpenFile> open(const std::string& path, bool writable, int more_flags);
  std::shared_ptr<OpenFile> create(const std::string& path, std::size_t fixed);
  std::shared_ptr<OpenFile> create_filled(const std::string& path, std::int64_t file_bytes, std::span<const std::byte> fill, std::size_t fixed);
  void make_directories(const std::string& path, std::size_t fixed);
  void new_entry_in(const std::string& directory);
  void keep(const std::shared_ptr<OpenFile>& file);

  int capacity_;
  bool direct_;
  std::function<void()> replaced_;
  std::set<dev_t> no_direct_;
  std::list<std::shared_ptr<OpenFile>> recent_;  // the most recently used first
  std::unordered_map<std::string, std::list<std::shared_ptr<OpenFile>>::iterator> by_path_;
  std::mutex dirty_mutex_;
  std::set<std::string> dirty_files_, dirty_directories_;
};

}  // namespace octavo
