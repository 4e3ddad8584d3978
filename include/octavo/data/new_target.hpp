// SPDX-License-Identifier: Apache-2.0
// An array on disk while it is made: no other program makes it, and it has its name only when it is whole.
//
//   octavo::NewTarget target("out.zarr", octavo::storage_format::zarr, /*overwrite=*/false);
//   octavo::create_storage(octavo::storage_format::zarr, target.place(), shape, chunk, type);
//   target.made();      // from now on it is known what this run made
//   target.hide();      // and does not look like an array
//   ...                 // its elements are written, and flushed
//   target.finish();    // out.zarr
//
// T-1  From the constructor to finish() or the destructor the target is locked: flock(2) on `.NAME.lock` beside it, in the real directory, so for
//      all programs that see this directory, whatever their namespace, container or host. Another one is `refused`, and told who holds it. The
//      end removes the file; after kill -9 it stays, is free, and the next run takes it. A forked child does not inherit the lock.
// T-2  Until finish() everything is within `NAME.unfinished-<8 hex>`, a directory beside the target that each run names anew, with a record of what
//      is made in `octavo-unfinished.jsonl`. check_finished() refuses what lies in such a directory, also under another name.
// T-3  The program that gets the lock removes what runs left that were killed, says so on standard error and in removed(), and touches nothing else.
// T-4  finish() gives the name in one step of the file system, to what this run made and to nothing else; with `overwrite` the old array stays
//      until then. Only an array of the same format is replaced.
// T-5  The destructor without finish() removes what was begun.
// Threading: one thread. Failure: usage_error, refused, io_error, with path and cure.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "octavo/data/storage.hpp"

namespace octavo {

class NewTarget {
 public:
  // Takes the lock, and looks at what is there. `make_parents`: directories above that are not there are made.
  NewTarget(const std::string& path, storage_format format, bool overwrite, bool make_parents = false);
  ~NewTarget();
  NewTarget(const NewTarget&) = delete;
  NewTarget& operator=(const NewTarget&) = delete;

  // Where to make it; nothing is there.
  [[nodiscard]] const std::string& place() const noexcept;
  // In `directory`, for an intermediate of this run; is removed with what is unfinished.
  [[nodiscard]] std::string scratch_place(const std::string& directory);
  [[nodiscard]] const std::vector<std::string>& removed() const noexcept;

  // A line of JSON at the end of the record: it survives the death of the program, not of the machine.
  void record(std::string_view line);
  void made();
  void hide();
  // That it is what this run made, and still where it was: io_error.
  void check() const;
  void finish();
  // As the destructor; again: does nothing.
  void end() noexcept;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// Whether a target of this format may be made at `path`: nothing is there, or, with `overwrite`, an array of this format. usage_error otherwise.
void check_target(const std::string& path, storage_format format, bool overwrite);
// Throws io_error if `path` is, or lies in, what a run left that did not finish.
void check_finished(const std::string& path);

}  // namespace octavo
