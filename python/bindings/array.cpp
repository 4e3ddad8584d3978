// SPDX-License-Identifier: Apache-2.0
// An array on disk behind octavo.Array: its devices run in processes of their own from the first read or write on.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <mutex>
#include <thread>

#include "octavo/base/bytes.hpp"
#include "octavo/base/error.hpp"
#include "octavo/data/open_array.hpp"
#include "values.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace octavo::bindings {

dtype dtype_of_array(nb::dlpack::dtype type) {
  using code = nb::dlpack::dtype_code;
  for (int i = 0; i < dtype_count; ++i) {
    auto known = dlpack_of(static_cast<dtype>(i));
    if (known == type) return static_cast<dtype>(i);
  }
  const char* kind = type.code == static_cast<std::uint8_t>(code::Bool) ? "bool" : type.code == static_cast<std::uint8_t>(code::Float) ? "float" : "an";
  throw not_supported(std::string(kind) + " element type of " + std::to_string(type.bits) + " bits",
                      "Use int8 to int64, uint8 to uint64, float32, float64, complex64 or complex128");
}

nb::dlpack::dtype dlpack_of(dtype type) {
  return with_type(type, [](auto value) { return nb::dtype<decltype(value)>(); });
}

namespace {

constexpr std::int64_t most_staging = 8 * MiB, least_memory = 4 * MiB, least_pool = MiB, most_servers = 8;

class ArrayHandle {
 public:
  ArrayHandle(Storage stored, std::string form, std::int64_t memory, bool writable)
      : storage(std::move(stored)), format(std::move(form)), writable_(writable), memory_(memory) {
    if (memory < least_memory) throw refused("an array within " + format_bytes(memory), "Give memory at least " + format_bytes(least_memory));
  }
  ~ArrayHandle() { close(); }
  ArrayHandle(const ArrayHandle&) = delete;
  ArrayHandle& operator=(const ArrayHandle&) = delete;

  void read(const Integers& lo, const Integers& step, const nb::ndarray<>& out) {
    auto type = dtype_of_array(out.dtype());
    Selection selection{shape_of(lo), extents_of(out), shape_of(step)};
    work([&] { array_.read_into(selection, static_cast<std::byte*>(out.data()), strides_of(out), type, window_, attend); });
  }

  void write(const Integers& lo, const Integers& step, const nb::ndarray<nb::ro>& data) {
    if (!writable_) throw usage_error("'" + storage.path + "' was opened for reading", "Open it with mode='r+'");
    auto type = dtype_of_array(data.dtype());
    Selection selection{shape_of(lo), extents_of(data), shape_of(step)};
    work([&] { array_.write_from(selection, static_cast<const std::byte*>(data.data()), strides_of(data), type, window_, attend); });
  }

  void flush() {
    if (runtime_) work([&] { array_.flush(); });
  }

  // Ends the processes; what was written is flushed by flush(), which octavo.Array calls first.
  void close() {
    std::lock_guard lock(mutex_);
    array_ = Array();
    runtime_.reset();
  }

  [[nodiscard]] std::vector<ProcessFacts> processes() const { return runtime_ ? runtime_->processes() : std::vector<ProcessFacts>(); }

  Storage storage;
  std::string format;  // as users know it
  [[nodiscard]] bool writable() const { return writable_; }
  [[nodiscard]] Shape page() const { return storage.format == storage_format::pages ? storage.chunk : default_page(storage); }

  // What begin() accepts; whole MiB.
  [[nodiscard]] std::int64_t least() const {
    std::int64_t memory = least_memory;
    while (shares_of(memory).pool < least_pool) memory = round_up(memory + least_pool - shares_of(memory).pool, MiB);
    return memory;
  }

 private:
  // Without the interpreter's lock, one at a time, in the scope of this array's processes.
  template <class Work>
  void work(Work&& work) {
    nb::gil_scoped_release unlocked;
    std::lock_guard lock(mutex_);
    begin();
    auto mine = runtime_->use();
    work();
  }

  void begin() {
    if (runtime_) return;
    Shares shares = shares_of(memory_);
    if (shares.pool < least_pool) {
      auto devices = std::max<std::size_t>(1, storage.files.size());
      throw refused("'" + storage.path + "' within " + format_bytes(memory_) + ": its " + std::to_string(devices) +
                        (devices == 1 ? " device takes" : " devices take") + " nearly all of it",
                    "Give memory at least " + format_bytes(least()));
    }
    auto made = std::make_unique<Runtime>(RuntimeOptions{.memory = round_down(shares.pool, 4096), .reach = runtime_reach::scope});
    auto mine = made->use();
    array_ = open_array(made->machine(), storage, page(), {shares.staging, 0}, shares.servers);
    window_ = shares.pool / 2;
    runtime_ = std::move(made);
  }

  struct Shares {
    std::int64_t staging, pool;
    int servers;
  };

  [[nodiscard]] Shares shares_of(std::int64_t memory) const {
    auto devices = static_cast<std::int64_t>(std::max<std::size_t>(1, storage.files.size()));
    bool staged = storage.format != storage_format::store;
    std::int64_t staging = staged ? std::clamp(round_down(memory / 4 / devices, 4096), 64 * KiB, most_staging) : 0;
    int servers = staged ? 1 : servers_to_read(memory);
    return {staging, memory - devices * (staging + 128 * KiB) - servers * (storage.unit_bytes + 128 * KiB), servers};
  }

  // Another library decodes on one core. Two that write might meet in one shard, so who writes has one server.
  [[nodiscard]] int servers_to_read(std::int64_t memory) const {
    auto cores = static_cast<std::int64_t>(std::thread::hardware_concurrency());
    std::int64_t fit = memory / 4 / std::max<std::int64_t>(1, storage.unit_bytes);
    return writable_ ? 1 : static_cast<int>(std::clamp<std::int64_t>(std::min(cores, fit), 1, most_servers));
  }

  static void attend() {
    nb::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }

  template <class Given>
  static Shape extents_of(const Given& given) {
    Shape extents;
    for (std::size_t i = 0; i < given.ndim(); ++i) extents.push_back(static_cast<std::int64_t>(given.shape(i)));
    return extents;
  }
  template <class Given>
  static Shape strides_of(const Given& given) {
    Shape strides;
    for (std::size_t i = 0; i < given.ndim(); ++i) strides.push_back(given.stride(i) * static_cast<std::int64_t>(given.itemsize()));
    return strides;
  }

  bool writable_;
  std::int64_t memory_, window_ = 0;
  std::mutex mutex_;
  std::unique_ptr<Runtime> runtime_;
  Array array_;
};

}  // namespace

void add_array(nb::module_& m) {
  nb::class_<ArrayHandle>(m, "ArrayHandle")
      .def(nb::init<Storage, std::string, std::int64_t, bool>(), "storage"_a, "format"_a, "memory"_a, "writable"_a)
      .def_ro("storage", &ArrayHandle::storage)
      .def_ro("format", &ArrayHandle::format)
      .def_prop_ro("path", [](const ArrayHandle& a) { return a.storage.path; })
      .def_prop_ro("least_memory", &ArrayHandle::least)
      .def_prop_ro("shape", [](const ArrayHandle& a) { return integers(a.storage.shape); })
      .def_prop_ro("page", [](const ArrayHandle& a) { return integers(a.storage.chunk); })
      .def_prop_ro("dtype", [](const ArrayHandle& a) { return std::string(name_of(a.storage.type)); })
      .def_prop_ro("writable", &ArrayHandle::writable)
      .def_prop_ro("attributes_json", [](const ArrayHandle& a) { return a.storage.attributes_json; })
      .def_prop_ro("dimension_names_json", [](const ArrayHandle& a) { return a.storage.dimension_names_json; })
      .def_prop_ro("processes", &ArrayHandle::processes)
      .def("read", &ArrayHandle::read, "lo"_a, "step"_a, "out"_a)
      .def("write", &ArrayHandle::write, "lo"_a, "step"_a, "data"_a)
      .def("flush", &ArrayHandle::flush)
      .def("close", &ArrayHandle::close, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace octavo::bindings
