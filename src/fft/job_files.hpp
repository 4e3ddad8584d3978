// SPDX-License-Identifier: Apache-2.0
// The files of a job: what must be refused before it begins, the unfinished target, and how it gets its name.
#pragma once

#include <filesystem>
#include <string>

#include "octavo/data/storage.hpp"
#include "octavo/fft/job.hpp"

namespace octavo::fft {

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
  void remove_unfinished() noexcept;
  void remove_scratch() noexcept;

 private:
  void check_space(const Storage& source) const;
  const FftPlan& plan_;
  std::filesystem::path target_, unfinished_, scratch_;
  storage_format format_;
  CreateOptions carried_;
};

}  // namespace octavo::fft
