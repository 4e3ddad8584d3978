// SPDX-License-Identifier: Apache-2.0
// What engines that start agents by a command need around them in a test: a server for ssh, or a job of Slurm, played or real.
//
//   kit::Sshd sshd;                        // on the loopback device, for its own key alone
//   ov::ssh({"a", "b"}, {.address = "lo", .shell = sshd.shell()});
//   kit::FakeSlurm job;                    // variables and an srun as in a job on the nodes n1 to n3, of which n1 is here
//   ov::slurm({.address = "lo"});
//   if (auto why = kit::SlurmCluster::missing(); !why.empty()) GTEST_SKIP() << why;
//   kit::SlurmCluster cluster;             // slurmctld and three slurmd on this host, and a job on n1 to n3, with this program on none
//
// Each sets variables of this process and puts them back: one at a time.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "octavo/base/fd.hpp"

namespace octavo::kit {

// A new temporary directory, which goes with all that is in it.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

class Variables {
 public:
  void set(const std::string& name, const std::string& value);
  Variables() = default;
  ~Variables();
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;

 private:
  std::map<std::string, std::optional<std::string>> before_;
};

// A program of the kit's, with pipes to its input and output; it ends when its input does.
class Helper {
 public:
  explicit Helper(const std::vector<std::string>& command);
  ~Helper();
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;
  std::string line();  // the next one that it says. Throws io_error where it has ended

 private:
  pid_t pid_ = -1;
  Fd input_, output_;
};

class Sshd {
 public:
  static std::string missing();  // why there can be none here; empty if there can
  // How many logins it takes at once (MaxStartups); "10:30:100" is what it is without a word.
  explicit Sshd(const std::string& startups = "100");
  [[nodiscard]] std::vector<std::string> shell() const;  // whatever a machine is called, this one answers

 private:
  bool begins_at(const std::string& port);
  TemporaryDirectory directory_;
  std::optional<Helper> server_;
  const std::string startups_;
  std::string port_;
};

class FakeSlurm {
 public:
  FakeSlurm();
  void silence(const std::string& node) { variables_.set("FAKE_SRUN_SILENT", node); }
  [[nodiscard]] int pid_of(const std::string& node) const;  // of its agent; -1: there was none
  [[nodiscard]] std::string told() const;                   // srun: its arguments, and Slurm's variables, in lines
  void set(const std::string& name, const std::string& value) { variables_.set(name, value); }

 private:
  TemporaryDirectory directory_;
  Variables variables_;
};

class SlurmCluster {
 public:
  static std::string missing();
  SlurmCluster();
  [[nodiscard]] std::filesystem::path configuration() const { return directory_.path() / "slurm.conf"; }

 private:
  TemporaryDirectory directory_;
  std::optional<Helper> daemons_;
  Variables variables_;
};

}  // namespace octavo::kit
