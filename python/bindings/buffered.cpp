// SPDX-License-Identifier: Apache-2.0
// The buffers behind octavo.buffered: over what Octavo reads itself, in this process; else over calls of Python that read and write whole chunks.
// Threading: any, one at a time; the interpreter's lock is free meanwhile.
#include <nanobind/stl/vector.h>

#include <chrono>
#include <mutex>

#include "lock.hpp"
#include "octavo/data/buffered/detail/buffers.hpp"
#include "octavo/data/buffered/detail/moved.hpp"
#include "signals.hpp"
#include "values.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace octavo::bindings {

namespace {

// read(lo, out) and write(lo, data): of NumPy arrays that lie in a buffer.
class CallBacking : public detail::Backing {
 public:
  CallBacking(std::string name, dtype type, nb::callable read, nb::callable write, nb::callable flush)
      : name_(std::move(name)), type_(type), read_(std::move(read)), write_(std::move(write)), flush_(std::move(flush)) {}
  ~CallBacking() override {
    with_lock([this] { read_ = write_ = flush_ = nb::object(); });
  }
  CallBacking(const CallBacking&) = delete;
  CallBacking& operator=(const CallBacking&) = delete;

  std::unique_ptr<detail::Moving> start(const detail::BlockMove& move, const Shape& tile) override {
    return detail::moved([&] {
      with_lock([&] {
        for (const auto& part : move.parts) (move.writing ? write_ : read_)(integers(part.lo), view_of(move, part, tile));
      });
    });
  }
  void flush() override {
    with_lock([this] { flush_(); });
  }
  [[nodiscard]] const std::string& name() const override { return name_; }

 private:
  [[nodiscard]] nb::object view_of(const detail::BlockMove& move, const Box& part, const Shape& tile) const {
    const Shape strides = dense_strides(tile), extents = part.extents();
    std::int64_t first = 0;
    std::vector<std::size_t> counts;
    for (int i = 0; i < part.dims(); ++i) {
      first += (part.lo[i] - move.block.lo[i]) * strides[i];
      counts.push_back(static_cast<std::size_t>(extents[i]));
    }
    std::byte* data = move.data + first * size_of(type_);
    // Its owner is there for as long as the call is.
    return nb::cast(nb::ndarray<nb::numpy>(data, counts.size(), counts.data(), nb::none(), strides.begin(), dlpack_of(type_)), nb::rv_policy::reference);
  }
  std::string name_;
  dtype type_;
  nb::object read_, write_, flush_;
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
               nb::callable flush)
      : buffers_(
            std::make_unique<detail::Buffers>(std::make_unique<CallBacking>(storage.path, storage.type, std::move(read), std::move(write), std::move(flush)),
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
      .def(nb::init<const Storage&, const Integers&, std::int64_t, bool, const Integers&, nb::callable, nb::callable, nb::callable>(), "storage"_a, "chunk"_a,
           "memory"_a, "writable"_a, "block"_a, "read"_a, "write"_a, "flush"_a)
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
