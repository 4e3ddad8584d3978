// SPDX-License-Identifier: Apache-2.0
// The files of a job: what must be refused before it begins, the unfinished target, and how it gets its name.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "data/format/table/format.hpp"
#include "data/target/identity.hpp"
#include "octavo/data/new_target.hpp"
#include "octavo/data/storage.hpp"
#include "octavo/fft/job.hpp"

namespace octavo::fft {

// As the options say, or by the ending of its name. Throws not_supported.
storage_format target_format(const JobOptions& options);
// One dense block, without chunks.
bool is_flat(storage_format format);

class JobFiles {
 public:
  // Checks target and scratch against the source and the disk's free space. Writes nothing.
  JobFiles(const JobOptions& options, const Storage& source, const FftPlan& plan);
  ~JobFiles();

  // The run has begun: the target is ours, and what others left of it is gone.
  void begin();
  [[nodiscard]] Storage create_target();
  // Its devices have opened it: from now on it does not look like an array.
  void hide_target();
  [[nodiscard]] Storage create_scratch();
  // Of a pass, from 1.
  void box_done(int pass, std::int64_t box);
  void finish();  // the target gets its name; on the disk when this returns
  // The run is over: without finish(), what was begun is removed.
  void end() noexcept;
  void remove_scratch() noexcept;
  [[nodiscard]] std::vector<std::string> removed() const;  // what runs left that were killed

 private:
  void check_apart() const;  // neither of source and target lies within the other
  void check_space() const;
  [[nodiscard]] Shape chunk() const;            // of the target
  [[nodiscard]] const Format& made_as() const;  // what is there in the end, whoever writes it
  const JobOptions& options_;
  const Storage& source_;
  const FftPlan& plan_;
  std::filesystem::path target_, scratch_directory_, scratch_;
  TargetOptions as_;
  storage_format format_;
  CreateOptions carried_;
  std::optional<Shape> chunk_in_shards_;  // of a target in shards
  Identity identity_;                     // of the source
  std::unique_ptr<NewTarget> making_;     // from begin() on
  bool recording_ = true;
};

}  // namespace octavo::fft
