// SPDX-License-Identifier: Apache-2.0
// srun as a launcher (machine/engine/launcher.hpp): one step for the agents of all nodes, beside whatever else the job runs.
//
//   Srun srun({.args = {"--qos=debug"}, .program = ""});
//   srun.launch({"n2", "n3"});
//
// Threading: as every launcher.
#pragma once

#include <string>
#include <vector>

#include "machine/engine/launcher.hpp"

namespace octavo::engine::slurm {

class Srun final : public Launcher {
 public:
  struct Options {
    std::vector<std::string> args;  // srun's own, besides
    std::string program;            // octavo-server there; empty: the path of the one here
  };
  explicit Srun(Options options) : options_(std::move(options)) {}

  [[nodiscard]] std::string name() const override { return "srun"; }
  [[nodiscard]] spawn::Command launch(const std::vector<std::string>& machines) override;
  [[nodiscard]] bool all_at_once() const override { return true; }
  [[nodiscard]] Labelled labelled(std::string_view line) const override;
  [[nodiscard]] std::vector<std::string> ended(std::string_view line) const override;
  [[nodiscard]] std::vector<std::string> command(const std::vector<std::string>& machines) const;

 private:
  Options options_;
};

}  // namespace octavo::engine::slurm
