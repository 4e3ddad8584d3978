// SPDX-License-Identifier: Apache-2.0
#include "fft/scratch/scratch_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

#include "data/format/pages/page_file.hpp"
#include "data/text/text_file.hpp"
#include "octavo/base/error.hpp"

namespace octavo::fft {

namespace fs = std::filesystem;

namespace {

// That the file of a device lies in: of an HDF5 dataset, that of its file. None: the device has no file.
std::optional<fs::path> directory_of(fs::path file) {
  std::error_code failed;
  if (file.empty()) return std::nullopt;
  file = fs::absolute(file, failed);
  const bool whole = fs::exists(file, failed);
  while (!fs::exists(file, failed) && file.has_relative_path()) file = file.parent_path();
  if (failed || (!whole && fs::is_directory(file, failed))) return std::nullopt;
  return file.parent_path();
}

void check_directory(const std::string& directory) {
  std::error_code failed;
  if (!fs::is_directory(directory, failed))
    throw io_error("the scratch directory '" + directory + "' does not exist on the machine of the target's first device", "Make it there, or choose another");
  if (::access(directory.c_str(), W_OK | X_OK) != 0) throw io_error_from(errno, "the scratch directory '" + directory + "' cannot be written to");
}

std::string for_temporary_files() {
  std::error_code failed;
  auto found = fs::temp_directory_path(failed);
  if (failed)
    throw io_error("there is no directory for the scratch file: the target's devices have no files, and TMPDIR names no directory",
                   "Choose one: JobOptions::scratch, scratch= or --scratch");
  return found.string();
}

std::string directory_for(const ScratchWish& wish) {
  if (!wish.directory.empty()) {
    check_directory(wish.directory);
    return wish.directory;
  }
  std::string best;
  for (const auto& file : wish.files)
    if (auto directory = directory_of(file); directory && ::access(directory->c_str(), W_OK | X_OK) == 0)
      if (best.empty() || bytes_free(directory->string()) > bytes_free(best)) best = directory->string();
  return best.empty() ? for_temporary_files() : best;
}

PageFileHeader header_of(const ScratchWish& wish) {
  return {.array_id = random_hex(16), .type = wish.type, .page = wish.chunk, .pages = grid_of(wish.shape, wish.chunk).count()};
}

Storage storage_of(const ScratchWish& wish, const Fd& file) {
  return {.format = storage_format::page_file,
          .path = "/proc/self/fd/" + std::to_string(file.get()),
          .shape = wish.shape,
          .chunk = wish.chunk,
          .type = wish.type,
          .offset = page_file_header_bytes};
}

}  // namespace

ScratchPlace::ScratchPlace(const ScratchWish& wish) : directory_(directory_for(wish)) {
  if (const auto there = bytes_free(directory_); wish.bytes > there)
    throw refused("the scratch file takes " + format_bytes(wish.bytes) + ", and " + format_bytes(there) + " are free on the disk of '" + directory_ + "'",
                  "Free space there, or choose a directory on another disk: JobOptions::scratch, scratch= or --scratch");
}

ScratchFile::ScratchFile(const ScratchWish& wish, const DeviceOptions& options)
    : directory_(directory_for(wish)), file_(make_unnamed_page_file(directory_, header_of(wish))), pages_(storage_of(wish, file_), wish.shape, options) {}

DeviceFacts ScratchFile::facts() {
  auto facts = pages_.facts();
  facts.path = directory_;
  return facts;
}

// The device below knows the file by its descriptor only.
template <class T>
future<T> ScratchFile::named(future<T> moving) const {
  auto made = std::make_shared<promise<T>>();
  auto result = made->get_future();
  auto moved = std::make_shared<future<T>>(std::move(moving));
  moved->on_ready([made, moved, where = directory_] {
    try {
      auto take = [&] { return moved->get(); };
      auto describe = [&] { return "the scratch file in '" + where + "'"; };
      if constexpr (std::is_void_v<T>) {
        in_context(describe, take);
        made->set_value();
      } else {
        made->set_value(in_context(describe, take));
      }
    } catch (...) {
      made->set_exception(std::current_exception());
    }
  });
  return result;
}

future<ArrayPage> ScratchFile::read(std::int64_t page, const Box& part, dtype as) { return named(pages_.read(page, part, as)); }
future<void> ScratchFile::write(ArrayPage data, std::int64_t page, const Box& part) { return named(pages_.write(std::move(data), page, part)); }
future<void> ScratchFile::write_behind(ArrayPage data, std::int64_t page, const Box& part) { return named(pages_.write_behind(std::move(data), page, part)); }
future<void> ScratchFile::flush() { return named(pages_.flush()); }

namespace {
[[maybe_unused]] const bool scratch_files_are_served = detail::serve_built_in(detail::ConstructorOf<ScratchPlace, ScratchWish>::entry) &&
                                                       detail::serve_built_in(detail::ConstructorOf<ScratchFile, ScratchWish, DeviceOptions>::entry);
}  // namespace

}  // namespace octavo::fft
