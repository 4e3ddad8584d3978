// SPDX-License-Identifier: Apache-2.0
// The files of a job: what must be refused before it begins, the unfinished target, and how it gets its name.
#pragma once

#include <filesystem>
#include <string>

#include "octavo/base/fd.hpp"
#include "octavo/data/storage.hpp"
#include "octavo/fft/job.hpp"

namespace octavo::fft {

// As the options say, or by the ending of its name. Throws not_supported.
storage_format target_format(const JobOptions& options);
// One dense block, without chunks.
bool is_flat(storage_format format);

// Held while a target is made: a second program that would make the same one is refused.
class TargetLock {
 public:
  TargetLock() = default;
  explicit TargetLock(const std::filesystem::path& target);

 private:
  Fd socket_;
};

class JobFiles {
 public:
  // Checks target and scratch against the source and the disk's free space. Writes nothing.
  JobFiles(const JobOptions& options, const Storage& source, const FftPlan& plan);
  ~JobFiles();
  JobFiles(const JobFiles&) = delete;
  JobFiles& operator=(const JobFiles&) = delete;

  [[nodiscard]] Storage create_target();
  [[nodiscard]] Storage create_scratch();
  void finish();  // the target gets its name; on the disk when this returns
  // After create_target(): the run is over without finish(). Removes the unfinished target, or leaves it.
  void give_up(bool keep) noexcept;
  void remove_scratch() noexcept;

 private:
  void check_space() const;
  [[nodiscard]] Shape chunk() const;  // of the target
  void remove_unfinished() const noexcept;
  [[noreturn]] void refuse_existing() const;
  const FftPlan& plan_;
  bool overwrite_;
  bool ours_ = false;   // the unfinished target: from create_target() on
  bool whole_ = false;  // it is the result, and could not get its name
  TargetLock lock_;
  std::filesystem::path target_, unfinished_, scratch_;
  TargetOptions as_;
  storage_format format_;
  CreateOptions carried_;
};

}  // namespace octavo::fft
