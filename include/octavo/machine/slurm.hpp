// SPDX-License-Identifier: Apache-2.0
// The nodes of a job of Slurm as machines: the engine (engine.hpp) of a program that sbatch or salloc has begun. By name, never taken up silently.
//
//   octavo::Runtime runtime(argc, argv, {.engine = octavo::slurm()});
//   for (const auto& name : runtime.machines()) parts.push_back(runtime.machine(name).make<Part>());
//   auto other = octavo::slurm({.args = {"--qos=debug"}, .address = "ib0"});
//
// SLURM-1  The machines are the job's nodes, as Slurm names them, read from SLURM_JOB_NODELIST (no scontrol). The one that the program runs on (sbatch: the
//       first) is `local`, is called as Slurm calls it, and gets no second agent; a login node is none of them. A program that runs as several tasks of a
//       step is a usage_error.
// SLURM-2  One srun begins the agents of all other nodes, when the first object is placed on one of them: a step beside the job's others, which takes nothing
//       from them (--overlap), bound to no CPU, with what the allocation says of tasks left out of its environment.
// SLURM-3  The key goes to srun's standard input once the agent of every node has said its line. Where one does not within `patience`, it is named, nothing is
//       told, and the step is ended; each node that is asked for again is asked alone.
// SLURM-4  A node's agent whose end srun tells of is lost at once, any other by its silence; the rest go on. The next object there begins an agent anew.
// SLURM-5  At SIGTERM (the time limit, scancel) an agent ends its objects in order: destructors run, arrays write what they hold, objects with names are saved.
// As for ssh (ssh.hpp): bytes go by TLS, to `address`; whom to call is in no file, no argument and no environment.
// Failure: usage_error outside a job; else as ssh.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "octavo/machine/engine.hpp"

namespace octavo {

struct SlurmOptions {
  std::vector<std::string> args = {};          // srun's own, besides what it is given
  std::string link = "tls";                    // what the bytes go over
  std::string address = {};                    // of this machine, by which the nodes reach it; empty: that of the way to the first of them
  std::uint16_t port = 0;                      // 0: the kernel chooses
  std::string program = {};                    // octavo-server there; empty: the path of the one here
  std::chrono::milliseconds patience{60'000};  // from srun until all agents speak
};

std::shared_ptr<Engine> slurm(SlurmOptions options = {});

}  // namespace octavo
