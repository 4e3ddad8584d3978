// SPDX-License-Identifier: Apache-2.0
#include "objects/value/block.hpp"

#include <chrono>

#include "lock.hpp"
#include "objects/value/channel.hpp"
#include "octavo/base/error.hpp"
#include "octavo/process/detail/other_languages.hpp"
#include "signals.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace octavo::bindings {

namespace {

class Block {
 public:
  explicit Block(ValuePart part) : part_(std::move(part)) {
    if (part_.page) pool_ = job_pool().weak_from_this().lock();
  }
  // While the pool is full it waits for room.
  explicit Block(std::int64_t bytes) {
    constexpr std::chrono::milliseconds between_looks{100};
    const detail::Visit visit;
    pool_ = job_pool().weak_from_this().lock();
    while (!part_.page) try {
        part_.page = Page::make_by(bytes, std::chrono::steady_clock::now() + between_looks);
      } catch (const timed_out&) {
        check_runtime_goes_on();
        look_at_signals();
      }
  }

  [[nodiscard]] const Page& page() const noexcept { return part_.page; }
  [[nodiscard]] bool is_of_pool() const noexcept { return part_.page && part_.use != page_use::value; }
  [[nodiscard]] bool is_readonly() const { return part_.page && part_.use == page_use::shared && part_.page.shared(); }
  void check_is_ours() const {
    if (given_away_ && given_away_->load())
      throw usage_error("this array was given to another process by octavo.give()", "Send a copy of it before, or do not give it");
  }
  void give() {
    if (!given_away_) given_away_ = std::make_shared<std::atomic<bool>>(false);
  }
  [[nodiscard]] bool is_to_be_given() const noexcept { return given_away_ != nullptr; }
  // For one that it is sent to.
  void send_as(ValuePart& part) const {
    check_is_ours();
    part.page = part_.page;
    if (is_to_be_given()) part.use = page_use::given;
    part.given_away = given_away_;
  }
  [[nodiscard]] ByteView bytes() const noexcept { return part_.bytes(); }

 private:
  std::shared_ptr<std::atomic<bool>> given_away_;  // of one to be given
  std::shared_ptr<Pool> pool_;                     // of its page: an array may outlive the Runtime
  ValuePart part_;
};

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  const auto& block = *nb::inst_ptr<Block>(self);
  auto bytes = block.bytes();
  return PyBuffer_FillInfo(view, self, const_cast<std::byte*>(bytes.data()), static_cast<Py_ssize_t>(bytes.size()), block.is_readonly() ? 1 : 0, flags);
}

}  // namespace

nb::object make_block(ValuePart part) {
  if (part.segment) return make_segment(std::move(part));
  if (part.end) return make_channel_end(std::move(part));
  return nb::cast(new Block(std::move(part)), nb::rv_policy::take_ownership);
}

namespace {
Block* whole_block_of(nb::handle object) {
  nb::object owner = nb::borrow(object);
  if (!nb::hasattr(owner, "base")) return nullptr;
  while (!owner.is_none() && !nb::isinstance<Block>(owner)) {
    nb::object next = nb::getattr(owner, "base", nb::none());
    if (next.is_none() && PyMemoryView_Check(owner.ptr()) != 0) next = owner.attr("obj");
    owner = std::move(next);
  }
  if (owner.is_none()) return nullptr;
  auto& block = nb::cast<Block&>(owner);
  if (!block.is_of_pool()) return nullptr;
  auto size = nb::cast<std::int64_t>(object.attr("nbytes"));
  auto first = nb::cast<std::uintptr_t>(object.attr("ctypes").attr("data"));
  return size == block.page().size() && first == reinterpret_cast<std::uintptr_t>(block.page().data()) ? &block : nullptr;
}
}  // namespace

const Page* whole_page_of(nb::handle object) {
  const Block* block = whole_block_of(object);
  return block == nullptr ? nullptr : &block->page();
}

bool take_page_of(nb::handle object, ValuePart& into) {
  if (take_segment_of(object, into) || take_channel_end_of(object, into)) return true;
  Block* block = whole_block_of(object);
  if (block != nullptr) block->send_as(into);
  return block != nullptr;
}

void add_block(nb::module_& m) {
  m.def(
      "give",
      [](nb::handle array) {
        Block* block = whole_block_of(array);
        if (block == nullptr)
          throw usage_error("give() takes a whole array in the pool, not a part of one or one in other memory", "Make it with octavo.empty()");
        block->check_is_ours();
        if (!block->is_to_be_given() && !nb::cast<bool>(array.attr("flags").attr("writeable")))
          throw usage_error("give() takes an array that may be written, and this one is shared with whoever made it", "Give a copy of it");
        block->give();
      },
      "array"_a);
  m.def(
      "is_to_be_given",
      [](nb::handle array) {
        const Block* block = whole_block_of(array);
        return block != nullptr && block->is_to_be_given();
      },
      "array"_a);
  static PyType_Slot slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)}, {0, nullptr}};
  nb::class_<Block>(m, "Block", nb::type_slots(slots))
      .def(nb::init<std::int64_t>(), "bytes"_a, nb::call_guard<Unlocked>())
      .def_prop_ro("readonly", &Block::is_readonly)
      .def_prop_ro("nbytes", [](const Block& b) { return b.bytes().size(); });
}

}  // namespace octavo::bindings
