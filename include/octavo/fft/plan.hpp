// SPDX-License-Identifier: Apache-2.0
// What a transform of an array on disk will do: its passes, boxes, bytes and memory, decided and checked before a byte moves.
//
//   octavo::fft::FftRequest request{.shape = {512, 512, 1024}, .type = dtype::complex128, .source_chunk = {128, 128, 128}, .memory = GiB};
//   octavo::fft::FftPlan plan = octavo::fft::plan_fft(request);
//   std::puts(plan.text().c_str());
//   for (const auto& pass : plan.passes)
//     for (std::int64_t i = 0; i < pass.boxes; ++i) { Box box = plan.box_of(pass, i); ... }
//
// A pass reads boxes, transforms each along the pass's axes, and writes it to the same place. Boxes partition the array, so passes may rewrite
// an array in place, and boxes may be done in any order and at once. A box lies in memory as tiles, box ∩ page, one allocation each; where
// a pass reads and writes by different pages (`regroup`), it lies there twice.
// Where another library moves the data, boxes are whole chunks; what does not fit so goes through a scratch file by a pass without axes.
// Kept by every plan: transforms x depth x box_memory <= pool, and pool + devices x staging + transforms x work + rings + stores == total, which
// is at most the request's memory.
// Pure computing: no I/O, any thread. Throws usage_error for what makes no sense, refused (naming the least memory that would do) for too little memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "octavo/data/box.hpp"
#include "octavo/data/dtype.hpp"
#include "octavo/fft/kernel.hpp"

namespace octavo::fft {

enum class norm_kind : std::uint8_t { backward, ortho, forward };  // as SciPy's: which direction is divided by n, ortho both by its root
enum class store_kind : std::uint8_t { source, scratch, target };

// What the planner must know of a source or a target besides its chunks.
struct FftEnd {
  bool whole_chunks = false;    // moved by whole chunks only: another library decodes and encodes them. Nothing is rewritten in place then
  std::int64_t unit_bytes = 0;  // that this library takes for one of them, in each of its servers
  int devices = 1;              // disks it lies on, or servers of this library
  bool paged = false;           // a part must lie within one page: pages are spread over devices
  bool made = true;             // the job makes its devices; else what they take is not its own
  int shared = 0;               // of the target's devices, those that are the source's, too
};

struct FftRequest {
  Shape shape = {};
  dtype type = dtype::complex128;             // of the source; the target's is transformed(type)
  bool copy = false;                          // nothing is transformed: axes, inverse and norm do not count, and the target has the source's type
  std::optional<std::vector<int>> axes = {};  // negative ones count from the end; not given: all; an empty list: none, as in NumPy
  bool inverse = false;
  norm_kind norm = norm_kind::backward;
  Shape source_chunk = {};   // as stored; none means one dense array
  bool source_flat = false;  // a dense C-order file (npy, raw): its chunk is the array
  bool target_flat = false;
  std::optional<Shape> target_chunk = {};  // the user's; without one a Zarr target's chunk is the planner's choice
  std::int64_t memory = 0;
  int cores = 2;
  bool allow_scratch = true;
  FftEnd source = {}, target = {};
};

struct FftPass {
  std::vector<int> axes = {};             // ascending; none: the array is only brought into other chunks
  Shape box = {};                         // full on the pass's axes; at the array's edges smaller
  Shape read_page = {}, write_page = {};  // the tiles of a box are its intersections with these
  store_kind reads = store_kind::source, writes = store_kind::target;
  bool regroup = false;                    // the tiles read are not the tiles written
  std::int64_t boxes = 0, box_memory = 0;  // box_memory: most that a box takes of the pool, each tile rounded up to 4096
  std::int64_t bytes_read = 0, bytes_written = 0;
  std::int64_t read_run = 0, write_run = 0;  // contiguous bytes on disk, typically
  double scale = 1.0;                        // of the whole pass: give it to one axis
  std::vector<std::int64_t> work = {};       // work_bytes of the AxisTransform of each axis; a transform process holds all of a pass at once

  template <class Archive>
  void serialize(Archive& archive) {
    archive(axes, box, read_page, write_page, reads, writes, regroup, boxes, box_memory, bytes_read, bytes_written, read_run, write_run, scale, work);
  }
};

struct FftMemory {
  std::int64_t pool = 0, staging = 0, staging_buffer = 0, work = 0, rings = 0, total = 0;  // staging: per device, 8 buffers; work: per transform
  std::int64_t stores = 0;                                                                 // what other libraries take to decode and encode
  template <class Archive>
  void serialize(Archive& archive) {
    archive(pool, staging, staging_buffer, work, rings, total, stores);
  }
};
inline constexpr int staging_buffers = 8;

struct FftPlan {
  Shape shape = {};
  dtype type = dtype::complex128, out_type = dtype::complex128;
  std::vector<int> axes = {};
  bool inverse = false;
  norm_kind norm = norm_kind::backward;
  std::vector<FftPass> passes = {};
  Shape target_chunk = {};  // of a flat target: the array
  bool uses_scratch = false;
  Shape scratch_chunk = {};
  std::int64_t scratch_bytes = 0;              // whole pages, edges included
  int transforms = 1, depth = 1, devices = 2;  // depth: boxes in flight per transform process; devices: those with staging buffers
  int source_devices = 1, target_devices = 1;
  int others_devices = 0;  // of these, those that the job did not make
  bool copy = false;
  FftMemory memory = {};

  [[nodiscard]] Box box_of(const FftPass& pass, std::int64_t index) const;  // C order over the grid of boxes
  [[nodiscard]] std::string text() const;                                   // what `octavo fft --plan` prints
  template <class Archive>
  void serialize(Archive& archive) {
    archive(shape, type, out_type, axes, inverse, norm, passes, target_chunk, uses_scratch, scratch_chunk, scratch_bytes, transforms, depth, devices, memory);
    archive(source_devices, target_devices, others_devices, copy);
  }
};

FftPlan plan_fft(const FftRequest& request, const Kernel& kernel = default_kernel());
// The least memory (a multiple of 4096) that plan_fft accepts for this request, whatever request.memory says.
std::int64_t least_memory(const FftRequest& request, const Kernel& kernel = default_kernel());
// How a refusal for want of memory ends: "at least 12 MiB; the least that would do is 11534336 bytes".
std::string least_text(std::int64_t least);
// box ∩ page for each page it meets, in C order.
std::vector<Box> tiles_of(const Box& box, const Shape& page);

}  // namespace octavo::fft
