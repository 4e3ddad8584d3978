// SPDX-License-Identifier: Apache-2.0
#include "objects/group/member.hpp"

#include <utility>

#include "lock.hpp"
#include "objects/exchange.hpp"
#include "objects/group/group.hpp"
#include "objects/tools.hpp"
#include "objects/turn.hpp"
#include "objects/value/codec.hpp"
#include "octavo/data/python/detail/joined.hpp"
#include "octavo/process/detail/other_languages.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace octavo::bindings {

namespace {

using detail::Collective, detail::spacing;

// A Python value that several of the messages, or of the parts, of a collective have.
struct SharedValue {
  std::shared_ptr<Value> value = std::make_shared<Value>();
  void save(wire::Encoder& out) const {
    const bool giving = std::exchange(out.giving, out.giving && value.use_count() == 1);
    value->save_sized(out);
    out.giving = giving;
  }
  void load(wire::Decoder& in) {
    value = std::make_shared<Value>();
    value->load_sized(in);
  }
};

SharedValue encoded(nb::handle object) {
  SharedValue made;
  ValueEncoder(*made.value, tools()).put(object);
  return made;
}
// A decoder takes the parts of a value away.
nb::object decoded(const SharedValue& from) {
  if (from.value.use_count() == 1) return ValueDecoder(*from.value, tools()).get();
  Value copy = from.value->clone();
  return ValueDecoder(copy, tools()).get();
}
nb::object list_of(const std::vector<SharedValue>& values) {
  nb::list all;
  for (const auto& each : values) all.append(decoded(each));
  return all;
}
std::vector<SharedValue> values_in(nb::handle sequence) {
  std::vector<SharedValue> values;
  for (auto each : nb::iter(sequence)) values.push_back(encoded(each));
  return values;
}

// A function of Python that makes one value of two. Called without the interpreter's lock.
struct PythonOp {
  nb::handle function;
  SharedValue operator()(const SharedValue& left, const SharedValue& right) const {
    return with_python({}, [&] {
      nb::object both = function(decoded(left), decoded(right));
      return encoded(both);
    });
  }
};

// A float, or an int of 64 bits, as members share it.
struct Number {
  double real = 0;
  std::int64_t integer = 0;
  std::int64_t is_real = 1;
  static std::optional<Number> of(nb::handle value) {
    if (PyFloat_CheckExact(value.ptr())) return Number{PyFloat_AsDouble(value.ptr())};
    int overflow = 0;
    if (!PyLong_CheckExact(value.ptr())) return std::nullopt;
    const auto integer = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
    return overflow != 0 ? std::nullopt : std::optional(Number{0, integer, 0});
  }
  [[nodiscard]] ByteView bytes() const noexcept { return {reinterpret_cast<const std::byte*>(this), sizeof *this}; }
  [[nodiscard]] nb::object object() const { return is_real != 0 ? nb::object(nb::float_(real)) : nb::object(nb::int_(integer)); }
};

// Memory of an array that is C-contiguous.
class Numbers {
 public:
  Numbers(nb::handle array, bool writes) {
    if (PyObject_GetBuffer(array.ptr(), &view_, writes ? PyBUF_WRITABLE : PyBUF_SIMPLE) != 0) throw nb::python_error();
  }
  ~Numbers() { PyBuffer_Release(&view_); }
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;
  [[nodiscard]] ByteSpan bytes() const noexcept { return {static_cast<std::byte*>(view_.buf), static_cast<std::size_t>(view_.len)}; }

 private:
  Py_buffer view_{};
};

// The lock is not kept while members wait for each other.
template <class Work>
auto run(detail::Membership& in, std::string text, spacing how, Work work) {
  check_thread(in);
  return wait_as_member([&] { return detail::in_collective(in, std::move(text), how, std::move(work)); });
}

class Member {
 public:
  explicit Member(std::shared_ptr<detail::Membership> in) : in_(std::move(in)) {}

  [[nodiscard]] std::size_t index() const { return in_->index(); }
  [[nodiscard]] std::size_t size() const { return in_->size(); }
  [[nodiscard]] GroupFacts group() const { return {{in_, &in_->of()}}; }

  void barrier() const {
    run(*in_, "barrier", spacing::together, [](Collective& c) { c.meet(); });
  }
  [[nodiscard]] nb::object broadcast(nb::handle value, std::size_t root) const {
    check(root);
    auto mine = is_root(root) ? encoded(value) : SharedValue();
    return decoded(run(*in_, detail::collective_text::broadcast(root), spacing::bounded,
                       [&](Collective& c) { return detail::send_down(c, c.tree(at(root)), std::move(mine)); }));
  }
  [[nodiscard]] nb::object scatter(nb::handle values, std::size_t root) const {
    check(root);
    auto mine = is_root(root) ? values_in(values) : std::vector<SharedValue>();
    return decoded(run(*in_, detail::collective_text::scatter(root), spacing::bounded, [&](Collective& c) {
      detail::Bundle<SharedValue> all;
      if (is_root(root)) all = detail::bundle_of(std::move(mine), *in_);
      return detail::scatter_down(c, c.tree(at(root)), std::move(all));
    }));
  }
  // None elsewhere.
  [[nodiscard]] nb::object gather(nb::handle value, std::size_t root) const {
    check(root);
    auto all = run(*in_, detail::collective_text::gather(root), spacing::bounded,
                   [&, mine = encoded(value)](Collective& c) mutable { return detail::gather_up(c, c.tree(at(root)), std::move(mine)); });
    return is_root(root) ? list_of(detail::vector_of(std::move(all))) : nb::none();
  }
  [[nodiscard]] nb::object all_gather(nb::handle value) const {
    return list_of(run(*in_, detail::collective_text::all_gather, spacing::together, [&, mine = encoded(value)](Collective& c) mutable {
      auto all = detail::gather_up(c, c.tree(0), std::move(mine));
      return detail::send_down(c, c.tree(0), detail::vector_of(std::move(all)));
    }));
  }
  // None elsewhere.
  [[nodiscard]] nb::object reduce(nb::handle value, nb::handle function, std::size_t root) const {
    check(root);
    PythonOp op{function};
    detail::Joining<SharedValue, PythonOp> join{op};
    auto all = run(*in_, detail::collective_text::reduce(root), spacing::bounded,
                   [&, mine = encoded(value)](Collective& c) mutable { return detail::reduce_up(c, c.tree(at(root)), std::move(mine), join); });
    return all ? decoded(std::move(*all)) : nb::none();
  }
  // `gives_same`: wherever the function is called with the same two numbers.
  [[nodiscard]] nb::object all_reduce(nb::handle value, nb::handle function, bool gives_same) const {
    PythonOp op{function};
    detail::Joining<SharedValue, PythonOp> join{op};
    const auto number = gives_same ? Number::of(value) : std::nullopt;
    std::vector<Number> numbers;
    auto all = run(*in_, detail::collective_text::all_reduce, spacing::together, [&](Collective& c) {
      if (c.share(number ? std::optional(number->bytes()) : std::nullopt)) {
        for (std::uint32_t i = 0; i < in_->size(); ++i) numbers.push_back(c.shared_by<Number>(i));
        return SharedValue();
      }
      auto mine = with_python({}, [&] { return encoded(value); });
      auto joined = detail::reduce_up(c, c.tree(0), std::move(mine), join);
      return detail::send_down(c, c.tree(0), joined ? std::move(*joined) : SharedValue());
    });
    if (numbers.empty()) return decoded(all);
    nb::object together = numbers.front().object();
    for (std::size_t i = 1; i < numbers.size(); ++i) together = function(together, numbers[i].object());
    return together;
  }
  [[nodiscard]] nb::object scan(nb::handle value, nb::handle function) const {
    PythonOp op{function};
    auto all = run(*in_, detail::collective_text::scan, spacing::together, [&, mine = encoded(value)](Collective& c) {
      const auto so_far = before(c, op, mine);
      return so_far.end == 0 ? mine : op(so_far.value, mine);
    });
    return decoded(all);
  }
  [[nodiscard]] nb::object exclusive_scan(nb::handle value, nb::handle init, nb::handle function) const {
    PythonOp op{function};
    const auto mine = encoded(value), first = encoded(init);
    auto all = run(*in_, detail::collective_text::exclusive_scan, spacing::together, [&](Collective& c) {
      const auto so_far = before(c, op, mine);
      return so_far.end == 0 ? first : op(first, so_far.value);
    });
    return decoded(all);
  }
  [[nodiscard]] nb::object all_to_all(nb::handle values) const {
    return list_of(run(*in_, detail::collective_text::all_to_all, spacing::together,
                       [&, mine = values_in(values)](Collective& c) mutable { return detail::exchange_with_each(c, std::move(mine)); }));
  }
  // Of arrays of numbers: `array` has this member's, and then the result; at the root only, where one is given. True where it is.
  bool reduce_numbers(nb::handle array, const std::string& dtype, const std::string& operation, std::int64_t root) const {
    const auto* how = detail::reduction_of(dtype, operation);
    if (how == nullptr) throw usage_error("no reduction '" + operation + "' of " + dtype, "Give a function");
    const Numbers numbers(array, true);
    const auto data = numbers.bytes();
    check_thread(*in_);
    return wait_as_member([&] { return detail::reduce_numbers(*in_, data, *how, root); });
  }
  [[nodiscard]] Member split(std::int64_t color, std::int64_t key) const {
    return Member(run(*in_, "split", spacing::together, [&](Collective& c) { return detail::split_of(c, color, key); }));
  }

 private:
  void check(std::size_t root) const { in_->check_index(root, "root"); }
  [[nodiscard]] bool is_root(std::size_t root) const noexcept { return in_->index() == root; }
  static std::uint32_t at(std::size_t root) { return static_cast<std::uint32_t>(root); }
  static detail::Partial<SharedValue> before(Collective& c, PythonOp& op, const SharedValue& mine) {
    detail::Joining<SharedValue, PythonOp> join{op};
    return detail::Scan<SharedValue, decltype(join)>(c, c.tree(0), join).before(mine);
  }
  std::shared_ptr<detail::Membership> in_;
};

// The membership in this group, or for 0 in the one that was made last.
Member member_of(std::uint64_t group) {
  auto in = detail::membership_in(group);
  if (!in) detail::raise_no_member(group);
  return Member(std::move(in));
}

}  // namespace

// On octavo.thread other threads are the program's, where no message of the group comes.
void check_thread(const detail::Membership& in) {
  bool is_of_object = false;
  try {
    is_of_object = detail::facts_of_object().address == in.of().members[in.index()];
  } catch (const usage_error&) {  // of none
  }
  if (!is_of_object)
    throw usage_error("a collective was called by a thread that does not belong to the member's object",
                      "Call it in the method itself; or make the members on octavo.process, where all threads are the object's");
}

void add_member(nb::module_& m) {
  nb::class_<Member>(m, "Member")
      .def_prop_ro("index", &Member::index)
      .def_prop_ro("size", &Member::size)
      .def_prop_ro("group", &Member::group)
      .def("barrier", &Member::barrier)
      .def("broadcast", &Member::broadcast, "value"_a.none(), "root"_a)
      .def("scatter", &Member::scatter, "values"_a.none(), "root"_a)
      .def("gather", &Member::gather, "value"_a.none(), "root"_a)
      .def("all_gather", &Member::all_gather, "value"_a.none())
      .def("reduce", &Member::reduce, "value"_a.none(), "function"_a, "root"_a)
      .def("all_reduce", &Member::all_reduce, "value"_a.none(), "function"_a, "gives_same"_a)
      .def("scan", &Member::scan, "value"_a.none(), "function"_a)
      .def("exclusive_scan", &Member::exclusive_scan, "value"_a.none(), "init"_a.none(), "function"_a)
      .def("all_to_all", &Member::all_to_all, "values"_a)
      .def("reduce_numbers", &Member::reduce_numbers, "array"_a, "dtype"_a, "operation"_a, "root"_a)
      .def("split", &Member::split, "color"_a, "key"_a);
  m.def("member_of", &member_of, "group"_a);
  m.def(
      "reduces_numbers", [](const std::string& dtype, const std::string& operation) { return detail::reduction_of(dtype, operation) != nullptr; }, "dtype"_a,
      "operation"_a);
  m.def("machine_of_object", [] { return detail::facts_of_object().machine; });
}

}  // namespace octavo::bindings
