// SPDX-License-Identifier: Apache-2.0
#include "objects/value/block.hpp"

#include "octavo/base/error.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace octavo::bindings {

namespace {

class Block {
 public:
  explicit Block(ValuePart part) : part_(std::move(part)) {
    if (part_.page) pool_ = job_pool().weak_from_this().lock();
  }
  explicit Block(std::int64_t bytes) {
    part_.page = Page(bytes);
    pool_ = job_pool().weak_from_this().lock();
  }

  [[nodiscard]] const Page& page() const noexcept { return part_.page; }
  [[nodiscard]] bool is_readonly() const { return part_.page && part_.page.shared(); }
  [[nodiscard]] ByteView bytes() const noexcept { return part_.bytes(); }

 private:
  std::shared_ptr<Pool> pool_;  // of its page: an array may outlive the Runtime
  ValuePart part_;
};

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  const auto& block = *nb::inst_ptr<Block>(self);
  auto bytes = block.bytes();
  return PyBuffer_FillInfo(view, self, const_cast<std::byte*>(bytes.data()), static_cast<Py_ssize_t>(bytes.size()), block.is_readonly() ? 1 : 0, flags);
}

}  // namespace

nb::object make_block(ValuePart part) { return nb::cast(new Block(std::move(part)), nb::rv_policy::take_ownership); }

const Page* whole_page_of(nb::handle object) {
  nb::object owner = nb::borrow(object);
  if (!nb::hasattr(owner, "base")) return nullptr;
  while (!owner.is_none() && !nb::isinstance<Block>(owner)) {
    nb::object next = nb::getattr(owner, "base", nb::none());
    if (next.is_none() && PyMemoryView_Check(owner.ptr()) != 0) next = owner.attr("obj");
    owner = std::move(next);
  }
  if (owner.is_none()) return nullptr;
  const auto& block = nb::cast<const Block&>(owner);
  if (!block.page()) return nullptr;
  auto size = nb::cast<std::int64_t>(object.attr("nbytes"));
  auto first = nb::cast<std::uintptr_t>(object.attr("ctypes").attr("data"));
  return size == block.page().size() && first == reinterpret_cast<std::uintptr_t>(block.page().data()) ? &block.page() : nullptr;
}

void add_block(nb::module_& m) {
  static PyType_Slot slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)}, {0, nullptr}};
  nb::class_<Block>(m, "Block", nb::type_slots(slots))
      .def(nb::init<std::int64_t>(), "bytes"_a, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("readonly", &Block::is_readonly)
      .def_prop_ro("nbytes", [](const Block& b) { return b.bytes().size(); });
}

}  // namespace octavo::bindings
