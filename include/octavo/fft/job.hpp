// SPDX-License-Identifier: Apache-2.0
// The main job: the N-D Fourier transform of an array on disk within a memory budget.
//
//   octavo::fft::JobOptions options{.source = "density.zarr", .target = "spectrum.zarr", .memory = 512 * octavo::MiB};   // or .copy = true
//   octavo::fft::Job job(options);                   // opens the source, plans, checks space: nothing is written yet
//   std::puts(job.plan().text().c_str());
//   auto report = job.run([](const octavo::fft::Progress& p) { draw(p); return true; });   // false stops it
//   octavo::fft::Job({.memory = 512 * octavo::MiB, .from = density, .to = spectrum}).run();   // arrays of processes: own, named, on other machines
//
// J-1  Everything that can be known to fail is refused by the constructor, before a byte is written.
// J-2  The target appears under its name when it is whole and on the disk; until then it is within `<target>.unfinished-<8 hex>`, does not look like
//      an array, and no other program can make the same target (T-1 to T-4 of data/new_target.hpp). A source that is removed or replaced while the job
//      runs is an error.
// J-3  An error, and stopping, remove what was begun; what kill -9 leaves, the next run with this target removes. Always all processes end.
// J-4  Anonymous and shared memory of all processes stay within `memory`, plus 2 MiB for each C++ process, plus the program's own and that of the
//      interpreters in which other libraries run (their chunks are within `memory`).
// J-5  An Array as source or target is used where it is: the job runs in the Runtime that is in force, its transform processes are placed beside the
//      devices, and `memory` bounds the pages it holds and its own processes; devices that it did not make are not counted. An Array as target is written
//      in place, also while it is the source: J-2 and J-3 do not hold for it. It has the result's shape and dtype; a page of both has one place in both.
//      Its scratch file has no name: nothing is left of it, whoever ends or is killed. Jobs whose boxes do not fit the pool of their arrays beside each
//      other take turns.
// Threading: one thread. Failure: the classes of base/error.hpp, with what, where and the cure.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "octavo/base/bytes.hpp"
#include "octavo/data/array.hpp"
#include "octavo/data/phases.hpp"
#include "octavo/fft/plan.hpp"
#include "octavo/machine/address.hpp"
#include "octavo/machine/budget.hpp"

namespace octavo::fft {

// What the target is to be, beyond its ending.
struct TargetOptions {
  std::optional<storage_format> format = {};  // none: by its ending (.zarr, .npy, .raw, .octavo)
  std::optional<Shape> chunks = {};           // of a Zarr target, or the pages of an Octavo array; none: the planner's choice
  std::vector<std::string> devices = {};      // of an Octavo array: a directory on each disk
  map_kind map = map_kind::circulant;
  std::int64_t map_block = 1;
  int zarr_version = 3;
  std::string compressor = {};  // of a Zarr target, as in CreateOptions, which Octavo encodes itself
  std::optional<int> level = {};
  Shape shard = {};
  // Where another library makes it: what it takes to encode a chunk (format `store`, which needs `chunks`), and how it is made at `path`.
  std::int64_t unit_bytes = 0;
  bool creates_zarr = false;  // a Zarr store, of which several servers write at once; else an HDF5 file, which one writes
  using Create = std::function<Storage(const std::string& path, const Shape& shape, const Shape& chunk, dtype type, const CreateOptions& carried)>;
  Create create = {};
};

struct JobOptions {
  std::string source = {}, target = {};
  std::optional<RawLayout> raw = {};   // of a source without a header
  std::optional<Storage> opened = {};  // the source, where open_storage(source, raw) is not what opens it; `source` is then its name in texts
  TargetOptions target_as = {};
  bool copy = false;                          // brings the source into the target's format and chunks, and transforms nothing
  std::optional<std::vector<int>> axes = {};  // not given: all; an empty list: none
  bool inverse = false;
  norm_kind norm = norm_kind::backward;
  std::int64_t memory = default_budget();  // no more than there is (machine/budget.hpp)
  int cores = 0;                           // to plan for; 0: those this program may use
  // Directory for an intermediate, where the plan needs one; empty: beside the target. Of an Array as target one on the machine of its first device;
  // empty: beside a file of its devices there, or, if they have none, that of TMPDIR.
  std::string scratch = {};
  bool overwrite = false;
  // A .json file (data/phases.hpp) that is written when the target is whole, in the place of another only with `overwrite`; empty: none.
  std::string timeline = {};
  std::optional<Array> from = {}, to = {};   // instead of the paths (J-5)
  std::string from_name = {}, to_name = {};  // of these, in texts
};

struct Progress {
  int pass = 0, passes = 0;
  std::int64_t bytes_done = 0, bytes_total = 0;
  double seconds = 0;
};

// Of one process of a job.
struct ProcessPhases {
  std::string name;  // "source", "target 2", "transform 1", "scratch"
  std::string machine;
  std::int64_t pid = 0;
  Phases phases;
};

struct JobReport {
  double seconds = 0;
  std::int64_t bytes_moved = 0, memory_peak = 0, program_peak = 0, memory_budget = 0;  // the peaks: 0 in a Runtime that others use, too (J-5)
  std::uint64_t road_bytes = 0;                                                        // that all processes put on their roads
  double computing = 0;                                                                // seconds of all transform processes
  int processes = 0, interpreters = 0;  // of the processes, those that serve a store: each has its library's interpreter besides
  std::vector<std::string> removed;     // what runs left beside the target that were killed
  std::vector<ProcessPhases> phases;    // where each process spent its time: devices, then transforms
};

class Job {
 public:
  explicit Job(JobOptions options);
  ~Job();
  Job(Job&&) noexcept;
  Job& operator=(Job&&) noexcept;

  [[nodiscard]] const FftPlan& plan() const noexcept;
  [[nodiscard]] const Storage& source() const noexcept;
  // About ten times a second while it runs; also with the processes, once they are there. Where it gives false, run() throws `cancelled`.
  using Watch = std::function<bool(const Progress&)>;
  JobReport run(const Watch& watch = {});
  [[nodiscard]] std::vector<ProcessFacts> processes() const;  // while it runs, from within `watch`

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace octavo::fft
