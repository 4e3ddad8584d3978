// SPDX-License-Identifier: Apache-2.0
// Where a process that moves data spends its time (Givelberg 5.3), in sums and as a timeline.
//
//   octavo::Phases p = device->counters().phases;
//   std::cout << p.reading.seconds << " s for reads, at " << p.reading.mb_per_second() << " MB/s; idle " << p.idle << " of " << p.wall << " s\n";
//   auto device = machine.make<octavo::PageFile>(path, 1024, page, type, octavo::DeviceOptions{.timeline = true});
//   octavo::write_timeline("device.json", {{.name = "device", .timeline = octavo::timeline_of(device)}});   // for Perfetto
//
// PH-1  A process is in one phase at a time: the seconds of all phases and `idle` are together `wall`, and none is negative.
// PH-2  A timeline has at most most_spans spans, in order and without overlap: where there would be more, neighbours become one of the phase that
//       took most of it. It is kept by those only that were told to.
// Of a device, reading and writing are what its disk thread waits for, caching and computing what it does: so the disk may be at work while it copies, and
// `under_way` has that time, too. Of a transform process they are what it waits for while it computes nothing. network: it waits for nothing but
// devices on other machines; their disks are in that, too. waiting: for room in the pool. Time is that of steady_clock, which all processes of a
// machine share; spans of another machine are moved by what the clocks were apart when they were fetched, to half a round trip.
// Threading: values. Failure: usage_error for a file that does not end in .json; io_error.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace octavo {

// In the order of Phases. Of a device: reading and writing its disk; copying between disk buffers and pages, or turning pages; converting elements.
enum class phase : std::uint8_t { reading, caching, computing, network, writing, waiting, idle };
inline constexpr std::size_t phase_count = 7;
[[nodiscard]] const char* name_of(phase which) noexcept;

struct Phase {
  double seconds = 0;      // in which the process did, or waited for, this and nothing else
  double under_way = 0;    // in which something of the kind was under way
  std::int64_t bytes = 0;  // moved or worked on; of a disk: with the gaps that were read
  // 10^6 bytes, in the time in which it was under way.
  [[nodiscard]] double mb_per_second() const noexcept { return under_way > 0 ? static_cast<double>(bytes) / 1e6 / under_way : 0; }
};

struct Phases {
  Phase reading = {}, caching = {}, computing = {}, network = {}, writing = {}, waiting = {};
  double idle = 0;  // nothing was asked of it
  double wall = 0;  // since it was made
  // Of the time after `before`, which the same process told.
  [[nodiscard]] Phases since(const Phases& before) const;
  // But for idle, of which there is nothing else to tell.
  [[nodiscard]] std::array<const Phase*, phase_count - 1> all() const noexcept { return {&reading, &caching, &computing, &network, &writing, &waiting}; }
};

struct PhaseSpan {
  std::int64_t begin = 0, end = 0;  // nanoseconds of steady_clock
  phase what = phase::idle;
  bool operator==(const PhaseSpan&) const = default;
};

inline constexpr int most_spans = 4096;

struct Timeline {
  std::int64_t now = 0;  // of the process, as it told this
  std::vector<PhaseSpan> spans = {};
};

// The timeline of one process, and how it is called there.
struct ProcessTimeline {
  std::string name = {}, machine = {};
  std::int64_t pid = 0;
  Timeline timeline = {};
};

// A .json file in Chrome's trace format, for Perfetto or chrome://tracing. There whole or not at all; a file that is there is replaced.
void write_timeline(const std::string& file, const std::vector<ProcessTimeline>& processes);
// Throws usage_error, io_error where write_timeline could not but fail.
void check_timeline(const std::string& file);

}  // namespace octavo
