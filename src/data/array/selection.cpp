// SPDX-License-Identifier: Apache-2.0
// Selections: which elements of which page go where in the caller's memory, a window at a time.
#include "data/array/in_flight_window.hpp"
#include "data/io/convert.hpp"
#include "data/permute.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

// A part of a selection that lies in one page: `which` are positions in the selection, `bounds` their bounding box in the array.
struct SelectedPart {
  Shape page;
  Box which, bounds;
};

Box bounds_of(const Selection& selection, const Box& which) {
  Box bounds = which;
  for (int i = 0; i < which.dims(); ++i) {
    bounds.lo[i] = selection.lo[i] + which.lo[i] * selection.step[i];
    bounds.hi[i] = selection.lo[i] + (which.hi[i] - 1) * selection.step[i] + 1;
  }
  return bounds;
}

// How many elements may be selected on each axis so that their bounding box has at most `most` elements: all of `which`, or fewer on its first axes.
Shape cut_for(const Selection& selection, const Box& which, std::int64_t most) {
  Shape cut = which.extents(), bounds = bounds_of(selection, which).extents();
  for (int i = 0; i < cut.size() && bounds.count() > most; ++i) {
    std::int64_t room = most / bounds.count(i + 1, bounds.size());
    cut[i] = room < 1 ? 1 : std::min(cut[i], (room - 1) / selection.step[i] + 1);
    bounds[i] = (cut[i] - 1) * selection.step[i] + 1;
  }
  return cut;
}

// Calls visit(const SelectedPart&) for each page that has selected elements, cut so that no bounding box has more than `most` elements.
template <class Visit>
void for_each_part(const Selection& selection, const Shape& page, std::int64_t most, Visit&& visit) {
  const int dims = page.size();
  SelectedPart part{page, Box::whole(selection.count), {}};
  // Enters, on one axis, the page of the element at `from`.
  auto begin = [&](int axis, std::int64_t from) {
    std::int64_t at = selection.lo[axis] + from * selection.step[axis], room = page[axis] - at % page[axis];
    part.page[axis] = at / page[axis];
    part.which.lo[axis] = from;
    part.which.hi[axis] = from + std::min(selection.count[axis] - from, (room - 1) / selection.step[axis] + 1);
  };
  for (int axis = 0; axis < dims; ++axis) begin(axis, 0);
  for (;;) {
    Shape cut = cut_for(selection, part.which, most);
    for_each_tile(Box::whole(part.which.extents()), cut, [&](const Shape&, const Box& tile) {
      Box which = tile.shifted(part.which.lo);
      visit(SelectedPart{part.page, which, bounds_of(selection, which)});
    });
    int axis = dims - 1;
    for (; axis >= 0 && part.which.hi[axis] == selection.count[axis]; --axis) begin(axis, 0);
    if (axis < 0) return;
    begin(axis, part.which.hi[axis]);
  }
}

// Strides of the selected elements within a block that holds their bounding box.
Shape strides_within(const Shape& bounds, const Shape& step, dtype type) {
  Shape strides = dense_byte_strides(bounds, size_of(type));
  for (int i = 0; i < strides.size(); ++i) strides[i] *= step[i];
  return strides;
}

// An axis of one element has no step: reading and writing back what lies between would be for nothing.
Selection simplified(Selection selection) {
  for (int i = 0; i < selection.count.size(); ++i)
    if (selection.count[i] == 1) selection.step[i] = 1;
  return selection;
}

std::int64_t most_elements(std::int64_t window, dtype type) { return std::max<std::int64_t>(1, std::min(window, job_pool().bytes()) / size_of(type)); }

}  // namespace

std::string Selection::text() const {
  std::string result = "[";
  for (int i = 0; i < lo.size(); ++i)
    result += (i ? ", " : "") + std::to_string(lo[i]) + ":" + std::to_string(lo[i] + count[i] * step[i]) + ":" + std::to_string(step[i]);
  return result + "]";
}

void Array::check(const Selection& selection, const Shape& byte_strides, std::int64_t window) const {
  int dims = shape_.size();
  bool ok = !devices_.empty() && selection.lo.size() == dims && selection.count.size() == dims && selection.step.size() == dims;
  for (int i = 0; ok && i < dims; ++i) {
    std::int64_t lo = selection.lo[i], count = selection.count[i], step = selection.step[i];
    ok = step >= 1 && lo >= 0 && count >= 0 && (count == 0 || (lo < shape_[i] && count - 1 <= (shape_[i] - 1 - lo) / step));
  }
  if (!ok)
    throw usage_error("selection of (" + selection.count.text() + ") elements from (" + selection.lo.text() + ") in steps of (" + selection.step.text() +
                          ") of an array of shape " + shape_.text(),
                      "A selection lies within the array, and its steps are at least 1");
  if (byte_strides.size() != dims)
    throw usage_error("(" + byte_strides.text() + ") as strides of a selection of " + std::to_string(dims) + " axes", "Give one for each axis");
  if (window < 1) throw usage_error("a window of " + std::to_string(window) + " bytes", "Give it at least the bytes of one page");
}

void Array::read_into(const Selection& given, const Target& to, const Shape& byte_strides, dtype as, std::int64_t window, const Attend& attend) const {
  check(given, byte_strides, window);
  Converter known({type_}, {as});
  if (Box::whole(given.count).empty()) return;
  Selection selection = simplified(given);
  InFlightWindow flight(window, attend);
  if (to.when_stuck) flight.when_stuck(to.when_stuck);
  for_each_part(selection, page_, most_elements(window, as), [&](const SelectedPart& part) {
    std::int64_t bytes = part.bounds.count() * size_of(as);
    flight.admit(bytes);
    auto place = location_of(part.page, part.bounds);
    auto take = [=, &to, step = selection.step](const ArrayPage& block) -> future<void> {
      copy_strided(to.data + byte_offset(part.which.lo, byte_strides), byte_strides, block.data(), strides_within(block.shape(), step, as),
                   part.which.extents(), size_of(as));
      return {};
    };
    flight.read(bytes, start(place.device)->read(place.page, place.part, as), take);
  });
  flight.finish_all();
}

void Array::write_from(const Selection& given, const std::byte* from, const Shape& byte_strides, dtype from_type, std::int64_t window, const Attend& attend,
                       bool may_be_private) const {
  check(given, byte_strides, window);
  Converter convert({from_type}, {type_});
  if (Box::whole(given.count).empty()) return;
  Selection selection = simplified(given);
  InFlightWindow flight(window, attend);
  if (may_be_private) flight.when_stuck({});
  // A bounding box without steps holds nothing but what is written.
  auto write = [&](const SelectedPart& part, const TileLocation& place, const std::byte* first) {
    ArrayPage block = flight.make(from_type, part.bounds.extents());
    std::int64_t bytes = block.bytes(), size = size_of(from_type);
    copy_strided(block.mutable_data(), dense_byte_strides(block.shape(), size), first, byte_strides, block.shape(), size);
    flight.write(bytes, start(place.device)->write(std::move(block), place.page, place.part));
  };
  auto change = [&](const SelectedPart& part, const TileLocation& place, const std::byte* first) {
    auto then = [=, step = selection.step, type = type_](ArrayPage block) {
      Shape within = strides_within(block.shape(), step, type);
      if (from_type == type) copy_strided(block.mutable_data(), within, first, byte_strides, part.which.extents(), size_of(type));
      else convert.box(block.mutable_data(), within, first, byte_strides, part.which.extents());
      return start(place.device)->write(std::move(block), place.page, place.part);
    };
    flight.read(part.bounds.count() * size_of(type_), start(place.device)->read(place.page, place.part, type_), then);
  };
  std::int64_t most = std::min(most_elements(window, from_type), most_elements(window, type_));
  for_each_part(selection, page_, most, [&](const SelectedPart& part) {
    bool stepped = part.bounds.count() != part.which.count();
    flight.admit(part.bounds.count() * size_of(stepped ? type_ : from_type));
    auto place = location_of(part.page, part.bounds);
    const std::byte* first = from + byte_offset(part.which.lo, byte_strides);
    stepped ? change(part, place, first) : write(part, place, first);
  });
  flight.finish_all();
}

}  // namespace octavo
