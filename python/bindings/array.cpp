// SPDX-License-Identifier: Apache-2.0
// An array on disk behind octavo.Array: its devices run in processes of their own from the first read or write on.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include <cstring>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

#include "lock.hpp"
#include "objects/runtime.hpp"
#include "octavo/base/bytes.hpp"
#include "octavo/base/error.hpp"
#include "octavo/data/open_array.hpp"
#include "octavo/machine/budget.hpp"
#include "signals.hpp"
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
constexpr std::int64_t usual_window = 64 * MiB, pages_of_core = 4;
constexpr std::int64_t most_by_value = 64 * KiB;  // of a part among many
constexpr std::size_t most_under_way = 1024;      // such parts

class ArrayHandle {
 public:
  ArrayHandle(Storage stored, std::string form, std::int64_t memory, bool writable)
      : storage(std::move(stored)), format(std::move(form)), writable_(writable), memory_(memory), owner_(::getpid()) {
    if (memory < least_memory) throw refused("an array within " + format_bytes(memory), "Give memory at least " + format_bytes(least_memory), least_memory);
    check_budget(memory, "an array's memory");
  }
  // Of devices that are there; `name`: what it is called.
  ArrayHandle(Array given, const std::string& name, std::int64_t memory, bool writable)
      : ArrayHandle({.format = storage_format::pages, .path = name, .shape = given.shape(), .chunk = given.page(), .type = given.type()}, "pages", memory,
                    writable) {
    given_ = std::move(given);
  }
  ~ArrayHandle() { close(); }
  ArrayHandle(const ArrayHandle&) = delete;
  ArrayHandle& operator=(const ArrayHandle&) = delete;

  void read(const Integers& lo, const Integers& step, const nb::ndarray<>& out) {
    auto type = dtype_of_array(out.dtype());
    Selection selection{shape_of(lo), extents_of(out), shape_of(step)};
    work(pages_of(selection),
         [&](Running& now) { now.array.read_into(selection, static_cast<std::byte*>(out.data()), strides_of(out), type, now.window, now.attend()); });
  }

  void write(const Integers& lo, const Integers& step, const nb::ndarray<nb::ro>& data) {
    if (!writable_) throw usage_error("'" + storage.path + "' was opened for reading", "Open it with mode='r+'");
    auto type = dtype_of_array(data.dtype());
    Selection selection{shape_of(lo), extents_of(data), shape_of(step)};
    work(pages_of(selection),
         [&](Running& now) { now.array.write_from(selection, static_cast<const std::byte*>(data.data()), strides_of(data), type, now.window, now.attend()); });
  }

  // Many small boxes, of the stored type: under way together, so that a device takes those of one chunk together.
  using Part = nb::ndarray<nb::ro>;
  void write_parts(const std::vector<Integers>& lo, const std::vector<Part>& parts) {
    if (!writable_) throw usage_error("'" + storage.path + "' was opened for reading", "Open it with mode='r+'");
    if (lo.size() != parts.size()) throw usage_error("parts without a place each");
    std::vector<SmallPart> all;
    all.reserve(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (dtype_of_array(parts[i].dtype()) != storage.type) throw usage_error("a part that is not of the type of '" + storage.path + "'");
      const Selection selection{shape_of(lo[i]), extents_of(parts[i]), Shape::filled(static_cast<int>(lo[i].size()), 1)};
      all.push_back({selection, static_cast<const std::byte*>(parts[i].data()), strides_of(parts[i])});
    }
    work(0, [&](Running& now) { write_small(now, all); });
  }

  void flush() {
    if (running_) work(0, [](Running& now) { now.array.flush(now.attend()); });
  }

  // Ends the processes; what was written is flushed by flush(), which octavo.Array calls first. In a process that was forked off the owner
  // they are not ours to end: what is known of them is left as it lies.
  void close() {
    if (::getpid() != owner_) {
      (void)running_.release();
      return;
    }
    std::lock_guard lock(mutex_);
    running_.reset();
  }

  [[nodiscard]] std::vector<ProcessFacts> processes() const {
    return running_ && running_->runtime ? running_->runtime->processes() : std::vector<ProcessFacts>();
  }

  Storage storage;
  std::string format;  // as users know it
  [[nodiscard]] bool writable() const { return writable_; }
  [[nodiscard]] Shape page() const { return storage.is_paged() ? storage.chunk : default_page(storage, memory_ / 8); }

  // What begin() accepts; whole MiB.
  [[nodiscard]] std::int64_t least() const {
    std::int64_t memory = least_memory;
    if (is_array_name(storage.path)) return memory;
    auto pool = [&] { return shares_of(memory, !storage.is_served() ? 1 : servers_to_read(memory)).pool; };
    while (pool() < least_pool) memory = round_up(memory + least_pool - pool(), MiB);
    return memory;
  }

 private:
  struct Running {
    Running() : pool(job_pool().weak_from_this()) {}
    Running(const RuntimeOptions& options, int how_many) : runtime(std::make_unique<Runtime>(options)), servers(how_many) {}
    [[nodiscard]] bool is_there() const { return runtime || (is_in_force() && pool.lock().get() == &job_pool()); }
    [[nodiscard]] std::unique_ptr<Runtime::Use> use() const { return std::unique_ptr<Runtime::Use>(runtime ? new Runtime::Use(runtime->use()) : nullptr); }

    [[nodiscard]] Array::Attend attend() const {
      if (runtime) return look_at_signals;
      return [] {
        check_runtime_goes_on();
        look_at_signals();
      };
    }

    std::unique_ptr<Runtime> runtime;  // null: that of the program, to which the pool belongs
    std::weak_ptr<Pool> pool;
    int servers = 0;
    Array array;
    std::int64_t window = 0;
  };

  struct SmallPart {
    Selection selection;
    const std::byte* from;
    Shape strides;  // bytes
  };

  // By private pages, which travel with their calls.
  void write_small(Running& now, const std::vector<SmallPart>& parts) const {
    const auto attend = now.attend();
    std::deque<future<void>> under_way;
    auto finish = [&](std::size_t most) {
      for (; under_way.size() > most; under_way.pop_front()) under_way.front().get();
    };
    for (const auto& each : parts) {
      if (each.selection.count.count() * size_of(storage.type) > most_by_value) {
        now.array.write_from(each.selection, each.from, each.strides, storage.type, now.window, attend);
        continue;
      }
      Box box{each.selection.lo, each.selection.lo};
      for (int i = 0; i < box.dims(); ++i) box.hi[i] += each.selection.count[i];
      for_each_tile(box, now.array.page(), [&](const Shape&, const Box& meet) {
        if (under_way.size() >= most_under_way) {
          attend();
          finish(most_under_way / 2);
        }
        under_way.push_back(now.array.start_write(meet, page_of(each, meet)));
      });
    }
    finish(0);
  }

  [[nodiscard]] ArrayPage page_of(const SmallPart& part, const Box& box) const {
    ArrayPage page = ArrayPage::make_private(storage.type, box.extents());
    const auto size = static_cast<std::size_t>(size_of(storage.type));
    std::byte* to = page.mutable_data();
    for_each_index(box.extents(), [&](const Shape& at) {
      std::int64_t first = 0;
      for (int i = 0; i < at.size(); ++i) first += (at[i] + box.lo[i] - part.selection.lo[i]) * part.strides[i];
      std::memcpy(to, part.from + first, size);
      to += size;
    });
    return page;
  }

  // Without the interpreter's lock, one at a time, in the scope of this array's processes.
  template <class Work>
  void work(std::int64_t pages, Work&& work) {
    if (::getpid() != owner_)
      throw usage_error("'" + storage.path + "' was opened by process " + std::to_string(owner_) + ", which forked this one", "Open it again in this process");
    const Unlocked unlocked;
    std::lock_guard lock(mutex_);
    if (is_array_name(storage.path)) begin_named();
    else begin(pages);
    std::optional<detail::Visit> visit;
    if (!running_->runtime) visit.emplace();
    auto mine = running_->use();
    work(*running_);
  }

  // A server of another library is an interpreter that imports it, half a second's work: for one page there is one, the others begin with
  // the first read of more. Then all are made anew, for nothing is kept in them between reads; an array that is written has one in any case.
  void begin(std::int64_t pages) {
    bool staged = !storage.is_served();
    int servers = staged ? 1 : static_cast<int>(std::min<std::int64_t>(servers_to_read(memory_), std::max<std::int64_t>(1, pages)));
    if (running_ && (writable_ || servers <= running_->servers)) return;
    running_.reset();
    Shares shares = shares_of(memory_, servers);
    if (shares.pool < least_pool) {
      auto devices = std::max<std::size_t>(1, storage.files.size());
      refused error("'" + storage.path + "' within " + format_bytes(memory_) + ": its " + std::to_string(devices) +
                        (devices == 1 ? " device takes" : " devices take") + " nearly all of it",
                    "Give memory at least " + format_bytes(least()), least());
      error.path = storage.path;
      throw error;
    }
    auto made = std::make_unique<Running>(RuntimeOptions{.memory = round_down(shares.pool, 4096), .reach = runtime_reach::scope}, servers);
    auto mine = made->use();
    made->array = open_array(made->runtime->machine(), storage, page(), {shares.staging, 0}, servers);
    made->window = std::min(shares.pool / 2, most_in_flight());
    running_ = std::move(made);
  }

  // More would keep nobody busier, and each page that was never used before has to be cleared by the system.
  [[nodiscard]] std::int64_t most_in_flight() const {
    const auto cores = static_cast<std::int64_t>(std::thread::hardware_concurrency());
    return std::max(usual_window, pages_of_core * cores * page().count() * size_of(dtype::complex128));
  }

  // Its devices are there already, and others use them: they are not within this array's memory. Where the program has a Runtime, the name is one of
  // that Runtime's home and machines.
  void begin_named() {
    if (running_ && running_->is_there()) return;
    running_.reset();
    if (given_ && !is_in_force()) throw usage_error("the devices of '" + storage.path + "' ended with their Runtime", "Use the array within it");
    const auto own = RuntimeOptions{.memory = round_down(memory_, 4096), .reach = runtime_reach::scope};
    auto made = is_in_force() ? std::make_unique<Running>() : std::make_unique<Running>(own, 0);
    auto mine = made->use();
    made->array = given_ ? *given_ : open_array(storage.path);
    if (made->array.shape() != storage.shape || made->array.page() != storage.chunk || made->array.type() != storage.type)
      throw usage_error("'" + storage.path + "' is another array than the one that was opened", "Open it again");
    made->window = std::min(memory_, job_pool().bytes()) / 2;
    running_ = std::move(made);
  }

  // That a selection lies in.
  [[nodiscard]] std::int64_t pages_of(const Selection& selection) const {
    Shape size = page();
    std::int64_t pages = 1;
    for (int i = 0; i < size.size(); ++i) {
      if (selection.count[i] < 1) return 0;
      std::int64_t last = selection.lo[i] + (selection.count[i] - 1) * selection.step[i];
      pages *= last / size[i] - selection.lo[i] / size[i] + 1;
    }
    return pages;
  }

  struct Shares {
    std::int64_t staging, pool;
  };

  [[nodiscard]] Shares shares_of(std::int64_t memory, int servers) const {
    auto devices = static_cast<std::int64_t>(std::max<std::size_t>(1, storage.files.size()));
    bool staged = !storage.is_served();
    if (storage.is_encoded()) {
      const std::int64_t coding = round_up(encoding_memory(storage, writable_, static_cast<int>(std::thread::hardware_concurrency()), memory / 2), 4096);
      return {coding, memory - coding - 256 * KiB};
    }
    std::int64_t staging = staged ? std::clamp(round_down(memory / 4 / devices, 4096), 64 * KiB, most_staging) : 0;
    return {staging, memory - devices * (staging + 128 * KiB) - servers * (storage.unit_bytes + 128 * KiB)};
  }

  // Another library decodes on one core. Two that write might meet in one shard, so an array that is written has one server.
  [[nodiscard]] int servers_to_read(std::int64_t memory) const {
    auto cores = static_cast<std::int64_t>(std::thread::hardware_concurrency());
    std::int64_t fit = memory / 4 / std::max<std::int64_t>(1, storage.unit_bytes);
    return writable_ ? 1 : static_cast<int>(std::clamp<std::int64_t>(std::min(cores, fit), 1, most_servers));
  }

  template <class Given>
  static Shape strides_of(const Given& given) {
    Shape strides;
    for (std::size_t i = 0; i < given.ndim(); ++i) strides.push_back(given.stride(i) * static_cast<std::int64_t>(given.itemsize()));
    return strides;
  }

  bool writable_;
  std::optional<Array> given_;
  std::int64_t memory_;
  pid_t owner_;
  std::mutex mutex_;
  std::unique_ptr<Running> running_;
};

}  // namespace

void add_array(nb::module_& m) {
  nb::class_<ArrayHandle>(m, "ArrayHandle")
      .def(nb::init<Storage, std::string, std::int64_t, bool>(), "storage"_a, "format"_a, "memory"_a, "writable"_a)
      .def(nb::init<Array, std::string, std::int64_t, bool>(), "given"_a, "name"_a, "memory"_a, "writable"_a)
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
      .def("write_parts", &ArrayHandle::write_parts, "lo"_a, "parts"_a)
      .def("flush", &ArrayHandle::flush)
      .def("close", &ArrayHandle::close, nb::call_guard<Unlocked>());
}

}  // namespace octavo::bindings
