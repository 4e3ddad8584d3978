// SPDX-License-Identifier: Apache-2.0
#include "octavo/fft/transform.hpp"

#include <algorithm>

#include "data/permute.hpp"
#include "data/phases/phase_meter.hpp"
#include "fft/tile_transform.hpp"
#include "machine/pool/reservation.hpp"
#include "octavo/base/bytes.hpp"
#include "octavo/base/error.hpp"
#include "octavo/machine/pool.hpp"
#include "process/endpoint.hpp"

namespace octavo::fft {

namespace {
constexpr std::int64_t few_elements = 1 << 22;  // that take less time than measuring how to take less: about 20 ms for each axis

// What it is to wait for this array: its disks, or the network where all of them are on other machines.
phase waits_for(const Array& array, phase disks) {
  const std::uint64_t here = detail::Endpoint::require().around().self.address.agent;
  return std::ranges::any_of(array.devices(), [&](const auto& device) { return device.address().agent == here; }) ? disks : phase::network;
}
}  // namespace

void check_fits(const FftPlan& plan, std::int64_t pool_bytes) {
  if (pool_bytes < plan.memory.pool)
    throw refused("the boxes of this plan take " + format_bytes(plan.memory.pool) + ", and the pool of pages of its arrays has " + format_bytes(pool_bytes),
                  "Give the job less memory, or the Runtime of its arrays more");
}

struct Transform::Work {
  std::unique_ptr<Pool::Reservation> room;
  FftPass pass;
  Array from, to;
  std::vector<AxisTransform> axes;  // of pass.axes, in their order
  TransformReport report;
  std::shared_ptr<PhaseMeter> meter;
  phase reads = phase::reading, writes = phase::writing;
};

Transform::Transform(FftPlan plan, bool timeline) : plan_(std::move(plan)), work_(std::make_unique<Work>()) {
  work_->meter = std::make_shared<PhaseMeter>(timeline ? most_spans : 0);
}
Transform::~Transform() = default;

bool Transform::reserve(std::int64_t milliseconds) {
  check_fits(plan_, job_pool().bytes());
  if (!work_->room)
    work_->room = Pool::Reservation::make(job_pool().shared_from_this(), plan_.memory.pool, road::Clock::now() + std::chrono::milliseconds(milliseconds));
  return work_->room != nullptr;
}

void Transform::begin(int pass, const Array& from, const Array& to) {
  check_fits(plan_, job_pool().bytes());
  work_->pass = plan_.passes.at(static_cast<std::size_t>(pass));
  work_->from = from;
  work_->to = to;
  work_->reads = waits_for(from, phase::reading);
  work_->writes = waits_for(to, phase::writing);
  work_->axes.clear();
  const auto computes = work_->meter->doing(phase::computing);
  effort how = plan_.shape.count() <= few_elements ? effort::quick : effort::measured;
  for (std::size_t i = 0; i < work_->pass.axes.size(); ++i) {
    int axis = work_->pass.axes[i];
    double scale = i == 0 ? work_->pass.scale : 1.0;
    work_->axes.emplace_back(default_kernel(), plan_.out_type, plan_.shape[axis], plan_.inverse, scale, work_->pass.work[i], how);
  }
}

std::vector<TileFuture> Transform::begin_reading(const Box& box) const {
  std::vector<TileFuture> incoming;
  for (const auto& tile : tiles_of(box, work_->pass.read_page))
    for (auto& part : work_->from.start_read(tile, plan_.out_type)) incoming.push_back(std::move(part));
  return incoming;
}

future<std::int64_t> Transform::transform(std::int64_t index) {
  const FftPass& pass = work_->pass;
  Box box = plan_.box_of(pass, index);
  std::vector<Piece> pieces;
  {
    const auto reads = work_->meter->while_open(work_->reads);
    auto incoming = begin_reading(box);
    for (auto& part : incoming) {
      ArrayPage block = co_await part.block;  // on its own line: g++ 12 destroys temporaries beside a co_await twice
      pieces.push_back({part.box, std::move(block)});
    }
  }
  compute(box, pieces);
  if (pass.regroup) pieces = regrouped(box, pieces);
  {
    const auto writes = work_->meter->while_open(work_->writes);
    std::vector<future<void>> outgoing;
    outgoing.reserve(pieces.size());
    for (auto& piece : pieces) outgoing.push_back(work_->to.start_write(piece.box, std::move(piece.block)));
    for (auto& written : outgoing) co_await written;
  }
  std::int64_t elements = box.count();
  std::int64_t bytes = elements * (size_of(work_->from.type()) + size_of(work_->to.type()));
  work_->meter->moved(work_->reads, elements * size_of(plan_.out_type));
  work_->meter->moved(work_->writes, elements * size_of(plan_.out_type));
  ++work_->report.boxes;
  work_->report.bytes += bytes;
  co_return bytes;
}

void Transform::compute(const Box& box, std::vector<Piece>& pieces) {
  const auto computes = work_->meter->doing(phase::computing);
  std::vector<BoxTile> tiles;
  tiles.reserve(pieces.size());
  for (auto& piece : pieces) tiles.push_back({piece.box, piece.block.mutable_data()});
  for (std::size_t i = 0; i < work_->axes.size(); ++i) work_->axes[i].run(tiles, box, work_->pass.axes[i]);
  if (!work_->axes.empty()) work_->meter->moved(phase::computing, box.count() * size_of(plan_.out_type));
}

ArrayPage Transform::page_for(const Box& tile) const {
  if (auto page = ArrayPage::try_make(plan_.out_type, tile.extents())) return std::move(*page);
  const auto waits = work_->meter->doing(phase::waiting);
  return {plan_.out_type, tile.extents()};
}

std::vector<Transform::Piece> Transform::regrouped(const Box& box, const std::vector<Piece>& pieces) const {
  const std::int64_t size = size_of(plan_.out_type);
  const auto copies = work_->meter->doing(phase::caching);
  work_->meter->moved(phase::caching, box.count() * size);
  std::vector<Piece> result;
  for (const auto& tile : tiles_of(box, work_->pass.write_page)) {
    Piece made{tile, page_for(tile)};
    for (const auto& piece : pieces) {
      Box meet = tile.intersect(piece.box);
      if (meet.empty()) continue;
      Shape to = dense_byte_strides(tile.extents(), size), from = dense_byte_strides(piece.box.extents(), size);
      copy_strided(made.block.mutable_data() + byte_offset(meet.shifted(tile.lo, -1).lo, to), to,
                   piece.block.data() + byte_offset(meet.shifted(piece.box.lo, -1).lo, from), from, meet.extents(), size);
    }
    result.push_back(std::move(made));
  }
  return result;
}

TransformReport Transform::report() {
  work_->report.road_bytes = road_bytes_sent();
  work_->report.phases = work_->meter->sums();
  return work_->report;
}

Timeline Transform::timeline() { return work_->meter->timeline(); }

namespace {
[[maybe_unused]] const bool served = detail::serve_built_in(detail::ConstructorOf<Transform, FftPlan, bool>::entry);
}

}  // namespace octavo::fft
