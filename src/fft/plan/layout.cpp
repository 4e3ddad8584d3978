// SPDX-License-Identifier: Apache-2.0
#include "fft/plan/layout.hpp"

#include <algorithm>

#include "fft/plan/geometry.hpp"
#include "octavo/base/bytes.hpp"
#include "octavo/machine/pool.hpp"

namespace octavo::fft {

namespace {

// A request costs about what 128 KiB take; regrouping is a copy in memory; pages of an array that may be cut anywhere are cut to 8 MiB;
// beyond 64 MiB a chunk is a burden for the programs that read the result.
// A chunk is a file: made, reserved, opened and synced, each about as dear as this many bytes.
constexpr double file_cost = 256 * KiB;
constexpr double request_cost = 128 * KiB, regroup_cost = 0.15, large_box = 256 * MiB, large_box_cost = 0.02;
constexpr std::int64_t slab_bytes = 8 * MiB, largest_chunk = 64 * MiB, flat_box_bytes = 32 * MiB;
constexpr std::int64_t stacked_bytes = 4 * MiB, disk_block = 4096;

// One end of a pass: how the array is stored, and the page to use, free where the array is flat.
struct End {
  Shape chunk, page;
  bool flat;
  std::int64_t element;
};

PassLayout measure(const Problem& problem, const Shape& box, const End& read, const End& write) {
  const Shape& shape = problem.request.shape;
  PassLayout pass{.read_page = read.page, .write_page = write.page};
  pass.regroup = !same_tiles(shape, box, read.page, write.page);
  std::int64_t out = problem.out_size();
  std::int64_t step = pool_block_bytes(problem.request.memory);
  pass.box_memory = tile_memory(shape, box, read.page, out, step) + (pass.regroup ? tile_memory(shape, box, write.page, out, step) : 0);
  pass.read_run = run_bytes(shape, box, read.page, read.chunk, read.element);
  pass.write_run = run_bytes(shape, box, write.page, write.chunk, write.element);
  auto count = static_cast<double>(shape.count()), box_bytes = static_cast<double>(box.count() * out);
  double bytes_in = count * static_cast<double>(read.element), bytes_out = count * static_cast<double>(write.element);
  pass.cost = bytes_in * (1 + request_cost / static_cast<double>(pass.read_run)) + bytes_out * (1 + request_cost / static_cast<double>(pass.write_run));
  if (pass.regroup) pass.cost += regroup_cost * bytes_out;
  // The first box's reading and the last one's writing overlap with nothing.
  pass.cost *= 1 + 1 / static_cast<double>(grid_of(shape, box).count());
  pass.cost *= 1 + large_box_cost * box_bytes / large_box;
  return pass;
}

// Of the pages free to choose, the cheapest that fit.
std::optional<PassLayout> best_pass(const Problem& problem, const Shape& box, End read, End write, std::int64_t budget) {
  std::optional<PassLayout> best;
  auto consider = [&](const Shape& read_page, const Shape& write_page) {
    read.page = read_page, write.page = write_page;
    PassLayout pass = measure(problem, box, read, write);
    if (pass.box_memory <= budget && (!best || pass.cost < best->cost)) best = pass;
  };
  Shape slab = slab_page(problem.request.shape, box, problem.out_size(), slab_bytes);
  if (read.flat && write.flat) {
    consider(slab, slab);
    if (box.count() * problem.out_size() <= flat_box_bytes) consider(box, box);
  } else if (read.flat) {
    Shape other = write.page;
    consider(other, other);
    consider(slab, other);
  } else if (write.flat) {
    Shape other = read.page;
    consider(other, other);
    consider(other, slab);
  } else {
    consider(Shape(read.page), Shape(write.page));
  }
  return best;
}

// Boxes become whole pages: no page is shared by two boxes then.
bool round_to_pages(const Shape& shape, Shape& box, const Shape& page) {
  for (int i = 0; i < shape.size(); ++i)
    if (box[i] < shape[i]) {
      if (box[i] < page[i]) return false;
      box[i] = round_down(box[i], page[i]);
    }
  return true;
}

// Which pages of an intermediate the boxes are made of: any; whole ones, so that no two boxes share one; whole ones of which several, one behind the
// other along the first axis, make a chunk.
enum class box_pages : std::uint8_t { any, whole, stacked };

// A chunk is a file, and a part of it along the first axis is contiguous in it. So few files hold what as many boxes write as before, in as long runs.
Shape stacked(const Shape& shape, Shape page, std::int64_t element) {
  const std::int64_t bytes = page.count() * element;
  if (bytes == 0 || bytes % disk_block != 0 || 2 * bytes > stacked_bytes) return page;  // else the boxes would share blocks of the disk
  auto divided = [](std::int64_t count, std::int64_t by) { return (count + by - 1) / by; };
  const std::int64_t parts = divided(shape[0], page[0]), chunks = divided(parts, stacked_bytes / bytes);
  page[0] = std::min(shape[0], page[0] * divided(parts, chunks));  // as even as can be: a chunk at the edge is stored whole
  return page;
}

class LayoutSearch {
 public:
  LayoutSearch(const Problem& problem, via_kind via, std::int64_t budget) : problem_(problem), request_(problem.request), via_(via), budget_(budget) {}

  void consider(std::vector<Shape> boxes, const Shape& between, const Shape& target_chunk, box_pages pages) {
    Layout layout{.boxes = std::move(boxes), .passes = {}, .between = between, .target_chunk = target_chunk};
    if (pages != box_pages::any)
      for (auto& box : layout.boxes)
        if (!round_to_pages(request_.shape, box, between)) return;
    if (pages == box_pages::stacked) layout.between = layout.target_chunk = stacked(request_.shape, between, problem_.out_size());
    std::size_t last = layout.boxes.size() - 1;
    if (!request_.target_flat && layout.target_chunk.size() == 0) layout.target_chunk = part_of(layout.boxes[last]);
    if (request_.source.whole_chunks && !octavo::fft::whole_chunks(request_.shape, layout.boxes[0], request_.source_chunk)) return;
    if (request_.target.whole_chunks && !octavo::fft::whole_chunks(request_.shape, layout.boxes[last], layout.target_chunk)) return;
    if (!request_.target_flat && !request_.target.paged) {
      layout.cost += file_cost * static_cast<double>(grid_of(request_.shape, layout.target_chunk).count());
    }
    for (std::size_t i = 0; i <= last; ++i) {
      const Shape& box = layout.boxes[i];
      End read = i == 0 ? source(box) : middle(layout.between), write = i == last ? target(layout.target_chunk) : middle(layout.between);
      auto pass = best_pass(problem_, box, read, write, budget_);
      if (!pass) return;
      layout.cost += pass->cost;
      if (best && layout.cost >= best->cost) return;
      layout.passes.push_back(*pass);
    }
    best = std::move(layout);
  }

  [[nodiscard]] End source(const Shape& box) const {
    if (request_.source_flat) return {request_.shape, request_.shape, true, problem_.in_size()};
    const Shape& chunk = request_.source_chunk;
    return {chunk, request_.source.paged ? chunk : grouped_page(request_.shape, box, chunk, problem_.in_size()), false, problem_.in_size()};
  }
  [[nodiscard]] End target(const Shape& chunk) const { return {chunk, chunk, request_.target_flat, problem_.out_size()}; }
  [[nodiscard]] End middle(const Shape& page) const {
    if (via_ == via_kind::target) return target(page);
    return {page, page, false, problem_.out_size()};
  }

  std::optional<Layout> best;

 private:
  // A chunk for a box that is not rounded any more.
  [[nodiscard]] Shape part_of(const Shape& box) const {
    Shape chunk = slab_page(request_.shape, box, problem_.out_size(), slab_bytes);
    for (int i = 0; i < chunk.size(); ++i)
      if (box[i] < request_.shape[i]) chunk[i] = divisor_upto(box[i], chunk[i]);
    return chunk;
  }

  const Problem& problem_;
  const FftRequest& request_;
  via_kind via_;
  std::int64_t budget_;
};

// A free target of a single pass keeps the source's chunks, or groups of them, unless they are very large.
void single_pass(const Problem& problem, const std::vector<Shape>& boxes, LayoutSearch& layouts) {
  const auto& request = problem.request;
  if (request.target_flat) return layouts.consider(boxes, request.shape, request.shape, box_pages::any);
  if (request.target_chunk) return layouts.consider(boxes, *request.target_chunk, *request.target_chunk, box_pages::any);
  End source = layouts.source(boxes[0]);
  Shape page = source.flat ? boxes[0] : source.page;
  for (int i = 0; i < page.size(); ++i)
    // A page that reaches over a box's edge would be written twice; cut to what both share.
    if (boxes[0][i] < request.shape[i] && (page[i] > boxes[0][i] || boxes[0][i] % page[i] != 0)) page[i] = std::min(page[i], boxes[0][i]);
  page = slab_page(request.shape, page, problem.out_size(), source.flat ? slab_bytes : largest_chunk);
  layouts.consider(boxes, page, page, box_pages::whole);
}

}  // namespace

bool whole_chunks(const Shape& shape, const Shape& box, const Shape& chunk) {
  for (int i = 0; i < shape.size(); ++i)
    if (box[i] < shape[i] && box[i] % chunk[i] != 0) return false;
  return true;
}

std::optional<Layout> best_layout(const Problem& problem, const std::vector<Shape>& boxes, via_kind via, std::int64_t budget) {
  const auto& request = problem.request;
  LayoutSearch layouts(problem, via, budget);
  if (boxes.size() == 1) {
    single_pass(problem, boxes, layouts);
    return layouts.best;
  }
  bool free = via == via_kind::scratch || (!request.target_flat && !request.target_chunk);
  if (!free) {
    Shape chunk = request.target_flat ? request.shape : *request.target_chunk;
    layouts.consider(boxes, chunk, chunk, box_pages::any);
    return layouts.best;
  }
  Shape target_chunk = request.target_flat ? request.shape : request.target_chunk.value_or(Shape{});
  auto consider = [&](const Shape& between) {
    Shape page = slab_page(request.shape, between, problem.out_size(), largest_chunk);
    layouts.consider(boxes, page, via == via_kind::scratch ? target_chunk : page, box_pages::whole);
    if (via == via_kind::target && !request.target.paged) layouts.consider(boxes, page, page, box_pages::stacked);
  };
  Shape shared = boxes[0];
  for (const auto& box : boxes) shared = least_of(shared, box);
  consider(shared);
  // Pages that are parts of the source's, or of the target's: the tiles read are the tiles written, and a box lies in memory only once.
  Shape with_source = request.source_flat ? shared : least_of(shared, layouts.source(boxes[0]).page);
  if (with_source != shared) consider(with_source);
  if (via == via_kind::scratch && request.target_chunk) {
    Shape with_target = least_of(shared, *request.target_chunk);
    if (with_target != shared && with_target != with_source) consider(with_target);
  }
  return layouts.best;
}

}  // namespace octavo::fft
