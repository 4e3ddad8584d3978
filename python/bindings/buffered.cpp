// SPDX-License-Identifier: Apache-2.0
// The buffers behind octavo.buffered: over what Octavo reads itself, in this process; else over calls of Python that read and write whole chunks.
// Threading: any, one at a time; the interpreter's lock is free meanwhile.
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "lock.hpp"
#include "octavo/data/buffered/detail/buffers.hpp"
#include "octavo/data/buffered/detail/moved.hpp"
#include "signals.hpp"
#include "values.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace octavo::bindings {

namespace {

// Calls of Python by which the blocks move: read(lo, out) and write([lo], [data]) of NumPy arrays that lie in a buffer, and flush().
// `whole`: what the library behind them writes whole, where nobody else writes to it; none: what lies between the parts must not be written.
struct Calls {
  nb::object read, write, flush;
  Shape whole;
};

class CallBacking : public detail::Backing {
 public:
  CallBacking(std::string name, dtype type, Calls calls) : name_(std::move(name)), type_(type), calls_(std::move(calls)) {}
  ~CallBacking() override {
    with_lock([this] { calls_.read = calls_.write = calls_.flush = nb::object(); });
  }
  CallBacking(const CallBacking&) = delete;
  CallBacking& operator=(const CallBacking&) = delete;

  std::unique_ptr<detail::Moving> start(const detail::BlockMove& move, const Shape& tile) override {
    bool interrupted = false;
    auto over = detail::moved([&] {
      const Locked locked;
      try {
        if (move.writing) write(move, tile);
        else
          for (const auto& part : move.parts) calls_.read(integers(part.lo), view_of(move, part, tile));
      } catch (const nb::python_error& error) {
        interrupted = error.matches(PyExc_KeyboardInterrupt);
        throw;
      }
    });
    if (interrupted) over->wait();  // throws, before another block is begun
    return over;
  }
  void flush() override {
    with_lock([this] { calls_.flush(); });
  }
  [[nodiscard]] const std::string& name() const override { return name_; }

 private:
  void write(const detail::BlockMove& move, const Shape& tile) const {
    if (calls_.whole.size() > 0 && move.parts.size() > 1) write_whole(move, tile);
    else write(move, move.parts, tile);
  }

  void write(const detail::BlockMove& move, const std::vector<Box>& parts, const Shape& tile) const {
    nb::list corners, views;
    for (const auto& part : parts) {
      corners.append(integers(part.lo));
      views.append(view_of(move, part, tile));
    }
    calls_.write(corners, views);
  }

  // What lies between several parts of a chunk is read, so that the library encodes the chunk once.
  void write_whole(const detail::BlockMove& move, const Shape& tile) const {
    std::map<std::int64_t, std::pair<Box, std::vector<Box>>> chunks;
    const Shape grid = grid_of(move.block.hi, calls_.whole);
    for (const Box& part : move.parts)
      for_each_tile(part, calls_.whole, [&](const Shape& index, const Box& meet) {
        auto& [chunk, parts] = chunks[flatten(index, grid)];
        chunk = chunk_at(index).intersect(move.block);
        parts.push_back(meet);
      });
    for (const auto& [number, found] : chunks) {
      const auto& [chunk, parts] = found;
      if (parts.size() == 1) write(move, parts, tile);
      else write_between(move, chunk, parts, tile);
    }
  }

  void write_between(const detail::BlockMove& move, const Box& chunk, const std::vector<Box>& parts, const Shape& tile) const {
    const Shape extents = chunk.extents();
    std::vector<std::byte> memory(static_cast<std::size_t>(chunk.count() * size_of(type_)));
    const detail::BlockMove whole{true, chunk, {chunk}, memory.data()};
    calls_.read(integers(chunk.lo), view_of(whole, chunk, extents));
    for (const Box& part : parts) copy(whole, extents, move, tile, part);
    write(whole, whole.parts, extents);
  }

  // Row by row.
  void copy(const detail::BlockMove& to, const Shape& to_tile, const detail::BlockMove& from, const Shape& from_tile, const Box& part) const {
    Shape rows = part.extents();
    const int last = rows.size() - 1;
    const auto bytes = static_cast<std::size_t>((last < 0 ? 1 : std::exchange(rows[last], 1)) * size_of(type_));
    for_each_index(rows, [&](Shape at) {
      for (int i = 0; i <= last; ++i) at[i] += part.lo[i];
      std::memcpy(place_of(to, at, to_tile), place_of(from, at, from_tile), bytes);
    });
  }

  [[nodiscard]] Box chunk_at(const Shape& index) const {
    Box chunk{index, index};
    for (int i = 0; i < index.size(); ++i) {
      chunk.lo[i] = index[i] * calls_.whole[i];
      chunk.hi[i] = chunk.lo[i] + calls_.whole[i];
    }
    return chunk;
  }

  // Of an element of the array.
  [[nodiscard]] std::byte* place_of(const detail::BlockMove& move, const Shape& at, const Shape& tile) const {
    const Shape strides = dense_strides(tile);
    std::int64_t first = 0;
    for (int i = 0; i < at.size(); ++i) first += (at[i] - move.block.lo[i]) * strides[i];
    return move.data + first * size_of(type_);
  }

  [[nodiscard]] nb::object view_of(const detail::BlockMove& move, const Box& part, const Shape& tile) const {
    const Shape strides = dense_strides(tile), extents = part.extents();
    std::vector<std::size_t> counts;
    for (int i = 0; i < part.dims(); ++i) counts.push_back(static_cast<std::size_t>(extents[i]));
    // Its owner is there for as long as the call is.
    return nb::cast(nb::ndarray<nb::numpy>(place_of(move, part.lo, tile), counts.size(), counts.data(), nb::none(), strides.begin(), dlpack_of(type_)),
                    nb::rv_policy::reference);
  }
  std::string name_;
  dtype type_;
  Calls calls_;
};

BufferedOptions options_of(std::int64_t memory, bool writable, const Integers& block) {
  return {.mode = writable ? "r+" : "r", .memory = memory, .block = shape_of(block)};
}

class BufferHandle {
 public:
  BufferHandle(const Storage& storage, std::int64_t memory, bool writable, const Integers& block)
      : buffers_(detail::Buffers::over(storage, storage.type, options_of(memory, writable, block))) {
    attend();
  }
  BufferHandle(const Storage& storage, const Integers& chunk, std::int64_t memory, bool writable, const Integers& block, nb::callable read, nb::callable write,
               nb::callable flush, bool alone)
      : buffers_(std::make_unique<detail::Buffers>(
            std::make_unique<CallBacking>(storage.path, storage.type, Calls{std::move(read), std::move(write), std::move(flush), whole(storage, alone)}),
            storage.shape, shape_of(chunk), false, storage.type, options_of(memory, writable, block))) {
    attend();
  }
  ~BufferHandle() {
    const Unlocked unlocked;
    buffers_.reset();
  }
  BufferHandle(const BufferHandle&) = delete;
  BufferHandle& operator=(const BufferHandle&) = delete;

  template <class Work>
  auto work(Work&& work) {
    const Unlocked unlocked;
    const std::lock_guard lock(mutex_);
    return work();
  }
  void read(const Integers& lo, const Integers& step, const nb::ndarray<>& out) {
    const Selection selection{shape_of(lo), extents_of(out), shape_of(step)};
    const dtype as = dtype_of_array(out.dtype());
    work([&] { buffers_->read(selection, static_cast<std::byte*>(out.data()), strides_of(out), as); });
  }
  void write(const Integers& lo, const Integers& step, const nb::ndarray<nb::ro>& data) {
    const Selection selection{shape_of(lo), extents_of(data), shape_of(step)};
    const dtype from = dtype_of_array(data.dtype());
    work([&] { buffers_->write(selection, static_cast<const std::byte*>(data.data()), strides_of(data), from); });
  }
  // `indices`: a row for each axis.
  using Indices = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig>;
  void gather(const Indices& indices, const nb::ndarray<nb::ndim<1>, nb::c_contig>& out) {
    check(indices, out);
    work([&] { buffers_->gather(numbers_of(indices), extents_of(out)[0], static_cast<std::byte*>(out.data())); });
  }
  void scatter(const Indices& indices, const nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig>& data) {
    check(indices, data);
    work([&] { buffers_->scatter(numbers_of(indices), extents_of(data)[0], static_cast<const std::byte*>(data.data())); });
  }
  // watch(bytes written so far) now and then, unless it is None.
  using Watch = std::function<void(std::int64_t)>;
  template <class Work>
  void write_back(const nb::object& watch, Work&& work) {
    const Watch told = [&](std::int64_t bytes) { with_lock([&] { watch(bytes); }); };
    this->work([&, seen = !watch.is_none()] {
      if (seen) watch_ = &told;
      begun_ = latest_ = Clock::now();
      before_ = buffers_->counters().bytes_written;
      try {
        work();
      } catch (...) {
        watch_ = nullptr;
        throw;
      }
      watch_ = nullptr;
    });
  }
  [[nodiscard]] detail::Buffers& buffers() { return *buffers_; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds at_once{500}, often{100};  // what ends sooner is not shown; how often what is
  void attend() {
    buffers_->attend([this](const BufferedCounters& now) {
      look_at_signals();
      if (watch_ == nullptr || Clock::now() - begun_ < at_once || Clock::now() - latest_ < often) return;
      latest_ = Clock::now();
      (*watch_)(now.bytes_written - before_);
    });
  }
  static Shape whole(const Storage& storage, bool alone) {
    if (!alone) return {};
    return storage.write_chunk.size() > 0 ? storage.write_chunk : storage.chunk;
  }
  static std::span<const std::int64_t> numbers_of(const Indices& indices) { return {indices.data(), indices.size()}; }
  template <class Given>
  void check(const Indices& indices, const Given& elements) {
    if (dtype_of_array(elements.dtype()) != buffers_->type() || static_cast<int>(indices.shape(0)) != buffers_->shape().size() ||
        indices.shape(1) != elements.shape(0))
      throw usage_error("indices or elements that are not those of the array", "Give an index along each axis for each element, of the array's type");
  }
  template <class Given>
  static Shape strides_of(const Given& given) {
    Shape strides;
    for (std::size_t i = 0; i < given.ndim(); ++i) strides.push_back(given.stride(i) * static_cast<std::int64_t>(given.itemsize()));
    return strides;
  }
  std::mutex mutex_;
  std::unique_ptr<detail::Buffers> buffers_;
  const Watch* watch_ = nullptr;
  Clock::time_point begun_, latest_;
  std::int64_t before_ = 0;
};

class SoleWriter {
 public:
  explicit SoleWriter(const std::string& path) : held_(detail::sole_writer(path)) {}
  void release() { held_.reset(); }

 private:
  std::shared_ptr<void> held_;
};

void add_counters(nb::module_& m) {
  nb::class_<BufferedCounters>(m, "BufferedCounters")
      .def_ro("buffers", &BufferedCounters::buffers)
      .def_ro("block_bytes", &BufferedCounters::block_bytes)
      .def_ro("found", &BufferedCounters::found)
      .def_ro("read", &BufferedCounters::read)
      .def_ro("read_ahead", &BufferedCounters::read_ahead)
      .def_ro("read_again", &BufferedCounters::read_again)
      .def_ro("evicted", &BufferedCounters::evicted)
      .def_ro("bytes_read", &BufferedCounters::bytes_read)
      .def_ro("bytes_written", &BufferedCounters::bytes_written)
      .def_ro("waited", &BufferedCounters::waited)
      .def("__str__", &BufferedCounters::text);
}

}  // namespace

void add_buffered(nb::module_& m) {
  add_counters(m);
  nb::class_<SoleWriter>(m, "SoleWriter").def(nb::init<const std::string&>(), "path"_a).def("release", &SoleWriter::release);
  nb::class_<BufferHandle>(m, "BufferHandle")
      .def(nb::init<const Storage&, std::int64_t, bool, const Integers&>(), "storage"_a, "memory"_a, "writable"_a, "block"_a)
      .def(nb::init<const Storage&, const Integers&, std::int64_t, bool, const Integers&, nb::callable, nb::callable, nb::callable, bool>(), "storage"_a,
           "chunk"_a, "memory"_a, "writable"_a, "block"_a, "read"_a, "write"_a, "flush"_a, "alone"_a)
      .def_prop_ro("block", [](BufferHandle& self) { return integers(self.buffers().block()); })
      .def_prop_ro("dirty_elements", [](BufferHandle& self) { return self.work([&] { return self.buffers().dirty_elements(); }); })
      .def("counters", [](BufferHandle& self) { return self.work([&] { return self.buffers().counters(); }); })
      .def("read", &BufferHandle::read, "lo"_a, "step"_a, "out"_a)
      .def("write", &BufferHandle::write, "lo"_a, "step"_a, "data"_a)
      .def("gather", &BufferHandle::gather, "indices"_a, "out"_a)
      .def("scatter", &BufferHandle::scatter, "indices"_a, "data"_a)
      .def(
          "writeback", [](BufferHandle& self, const nb::object& watch) { self.write_back(watch, [&] { self.buffers().writeback(); }); }, "watch"_a = nb::none())
      .def(
          "flush", [](BufferHandle& self, const nb::object& watch) { self.write_back(watch, [&] { self.buffers().flush(); }); }, "watch"_a = nb::none())
      .def(
          "invalidate", [](BufferHandle& self, bool discard) { self.work([&] { self.buffers().invalidate(discard); }); }, "discard"_a)
      .def("close", [](BufferHandle& self) { self.work([&] { self.buffers().close(); }); });
}

}  // namespace octavo::bindings
