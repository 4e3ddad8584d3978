// SPDX-License-Identifier: Apache-2.0
// Calls by name at the end of the object that is called.
#include <map>
#include <mutex>
#include <typeindex>

#include "octavo/data/python/callable.hpp"
#include "octavo/group/detail/built_in.hpp"

namespace octavo::detail {

namespace {

struct ClassByName {
  std::string class_name;
  std::map<std::string, RunByName, std::less<>> methods;
  void (*run_all)(Hosted&, wire::Message&, const Reply&) = nullptr;
};

// Filled before main, and by libraries that are loaded later.
struct TableByName {
  std::mutex mutex;
  std::map<std::type_index, ClassByName> classes;
};
TableByName& by_names() {
  static TableByName it;
  return it;
}

std::string listed(const ClassByName& of) {
  std::string names;
  for (const auto& [name, run] : of.methods) names += (names.empty() ? "" : ", ") + name;
  return names;
}

// Null: the class stands in no line.
const ClassByName* find_class(Hosted& object) {
  std::lock_guard lock(by_names().mutex);
  const auto found = by_names().classes.find(object.type());
  return found == by_names().classes.end() ? nullptr : &found->second;
}

[[noreturn]] void raise_no_line(Hosted& object) {
  const auto name = readable(object.type().name());
  throw usage_error("no method of the C++ class " + name + " can be called from Python", "Name them after the class: OCTAVO_PYTHON(" + name + ", method, ...)");
}

void run_by_name(Hosted& object, wire::Message& message, const Reply& reply) {
  const auto* of = find_class(object);
  if (of == nullptr) raise_no_line(object);
  if (of->run_all != nullptr) return of->run_all(object, message, reply);
  ArgumentsByName arguments(message);
  RunByName run = nullptr;
  {
    std::lock_guard lock(by_names().mutex);
    const auto found = of->methods.find(arguments.method());
    if (found == of->methods.end())
      throw usage_error("the C++ class " + of->class_name + " has no method '" + arguments.method() + "' for Python; it has " + listed(*of),
                        "Name it after the class: OCTAVO_PYTHON(" + of->class_name + ", " + arguments.method() + ", ...)");
    run = found->second;
  }
  run(object, arguments, reply);
}

// The class, and its methods.
void run_names(Hosted& object, wire::Message&, const Reply& reply) {
  const auto* of = find_class(object);
  std::vector<std::string> names{of == nullptr ? readable(object.type().name()) : of->class_name};
  if (of != nullptr) {
    std::lock_guard lock(by_names().mutex);
    for (const auto& [name, run] : of->methods) names.push_back(name);
  }
  answer_by_name(reply, names);
}

const Method* const call_method = register_for_all("octavo::python::call", &run_by_name);
const Method* const names_method = register_for_all("octavo::python::names", &run_names);

}  // namespace

ArgumentsByName::ArgumentsByName(wire::Message& message)
    : value_([&] {
        TaggedValue value;
        wire::Decoder in(message);
        in(value);
        return value;
      }()),
      reader_(value_) {
  const auto how = static_cast<named_request>(reader_.take_byte());
  if (how == named_request::other)
    throw usage_error("something other than a method of a C++ object was asked for from Python", "Call a method that its OCTAVO_PYTHON names");
  method_ = reader_.take_text();
  if (how == named_request::call) {
    count_ = reader_.take_count();
    named_ = reader_.take_count();
    return;
  }
  // All as one value: the tuple of the positional ones, and a dictionary behind it.
  if (reader_.tag() != value_tag::tuple || reader_.take_list() != 2 || reader_.tag() != value_tag::tuple)
    raise_misfit(reader_, "arguments of '" + method_ + "'");
  count_ = reader_.take_list();
}

void ArgumentsByName::check_count(std::size_t wanted) const {
  if (named_ != 0) throw usage_error("'" + method_ + "' of a C++ class was called with names of arguments", "Give them in their order, without names");
  if (count_ != wanted)
    throw usage_error("'" + method_ + "' of a C++ class takes " + std::to_string(wanted) + " arguments, and was given " + std::to_string(count_),
                      "Give as many");
}

bool register_by_name(const std::type_info& type, std::string_view class_name, const char* method, RunByName run) {
  std::lock_guard lock(by_names().mutex);
  auto& of = by_names().classes[type];
  of.class_name = class_name;
  of.methods.insert_or_assign(method, run);
  return true;
}

bool register_all_by_name(const std::type_info& type, void (*run)(Hosted&, wire::Message&, const Reply&)) {
  std::lock_guard lock(by_names().mutex);
  by_names().classes[type].run_all = run;
  return true;
}

const Method& call_by_name() noexcept { return *call_method; }
const Method& names_of_methods() noexcept { return *names_method; }

}  // namespace octavo::detail
