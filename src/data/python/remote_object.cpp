// SPDX-License-Identifier: Apache-2.0
// Calls by name at the caller's end.
#include "octavo/data/python/object.hpp"

namespace octavo {

namespace detail {

namespace {
constexpr std::string_view class_of_python = "octavo::bindings::PythonObject";
}  // namespace

void raise_misfit(const TaggedReader& came, const std::string& wanted) {
  throw usage_error("a value of Python's type " + came.described() + " came where C++ wants " + wanted,
                    "Give one of the same type on both sides: docs/groups.md, \"Python and C++ in one group\", has the table");
}

void put_integer(TaggedValue& to, std::uint64_t value) {
  if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    throw usage_error("the number " + std::to_string(value) + " does not fit the 64 bits with a sign that go to Python", "Give it as a double, or as text");
  to.put_integer(static_cast<std::int64_t>(value));
}

void put_object(TaggedValue& to, const python::object& object) { to.put_pointer(object.address(), object.title()); }

python::object take_object(TaggedReader& from) {
  std::string title;
  const auto address = from.take_pointer(title);
  return {address, title};
}

ArrayPage take_array_page(TaggedReader& from) {
  const auto array = from.take_array();
  if (array.page != nullptr) return {array.type, array.shape, *array.page};
  auto made = ArrayPage::make_private(array.type, array.shape);
  if (!array.elements.empty()) std::memcpy(made.mutable_data(), array.elements.data(), array.elements.size());
  return made;
}

RequestByName::RequestByName(std::string_view method, std::size_t arguments) {
  value.put_byte(static_cast<std::uint8_t>(named_request::call));
  value.put_text(method);
  value.put_count(arguments);
  value.put_count(0);  // by their names
}

future<TaggedValue> start_by_name(const Address& to, const RequestByName& request, const CallToAll& which) {
  if (!to) throw usage_error("a pointer that points nowhere was called", "Make or open the object first");
  auto state = std::make_shared<State<TaggedValue>>();
  wire::Outgoing out;
  wire::Encoder encoder(out);
  encoder(request.value);
  if (which) append_call_to_all(out, which);
  begin_call(state, to, wire::frame_kind::call, call_by_name(), out);
  return future<TaggedValue>(std::move(state));
}

}  // namespace detail

namespace python {

object open(const Machine& machine, std::string_view name) {
  const auto address = octavo::detail::open_named(machine.name(), name);
  octavo::detail::check_class(address, octavo::detail::class_of_python);
  return {address, "Python object"};
}
object open(std::string_view name) { return open(Machine("local"), name); }

}  // namespace python
}  // namespace octavo
