// SPDX-License-Identifier: Apache-2.0
// A store whose library is Python's: the server's side of octavo::StoreDevice. Its contract is data/store.hpp; the stores themselves are
// octavo/_src/stores.
#include "octavo/data/store.hpp"

#include "errors.hpp"
#include "lock.hpp"
#include "values.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace octavo::bindings {

namespace {

nb::tuple tuple_of(const Shape& shape) {
  nb::list list;
  for (auto value : shape) list.append(value);
  return nb::tuple(list);
}

// Memory of the page pool as a NumPy array. The store must not keep it.
nb::object array_over(std::byte* memory, const Shape& shape, dtype type) {
  std::vector<std::size_t> extents(shape.begin(), shape.end());
  nb::ndarray<nb::numpy> view(memory, extents.size(), extents.data(), nb::handle(), nullptr, dlpack_of(type));
  return nb::cast(view, nb::rv_policy::reference);
}

class PythonStore : public Store {
 public:
  explicit PythonStore(nb::object store) : store_(std::move(store)) {}
  ~PythonStore() override {
    with_lock([&] { store_.reset(); });
  }
  void read(const Box& box, dtype as, std::byte* to) override {
    call([&] { store_.attr("read")(tuple_of(box.lo), array_over(to, box.extents(), as)); });
  }
  void write(const Box& box, dtype from, const std::byte* data) override {
    // NumPy has no other way to lend memory; a store only reads it (S-4).
    call([&] { store_.attr("write")(tuple_of(box.lo), array_over(const_cast<std::byte*>(data), box.extents(), from)); });
  }
  void flush() override {
    call([&] { store_.attr("flush")(); });
  }

 private:
  template <class Work>
  static void call(Work&& work) {
    with_lock([&] { as_octavo_errors(work); });
  }
  nb::object store_;
};

}  // namespace

void add_store(nb::module_& m) {
  // Serves StoreDevices if this program was started as a server (and then never returns). `open` makes a store from Storage::spec.
  m.def(
      "serve_stores",
      [](nb::callable open) {
        // Kept for ever: a server ends without taking its interpreter down.
        auto* opener = new nb::callable(std::move(open));
        serve_stores([opener](const Storage& storage) -> std::unique_ptr<Store> {
          std::unique_ptr<Store> store;
          with_lock([&] { as_octavo_errors([&] { store = std::make_unique<PythonStore>((*opener)(storage.spec)); }); });
          return store;
        });
        const Unlocked unlocked;
        serve_if_asked();
      },
      "open"_a);
}

}  // namespace octavo::bindings
