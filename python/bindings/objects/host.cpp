// SPDX-License-Identifier: Apache-2.0
#include "objects/host.hpp"

#include <cstdlib>

#include "errors.hpp"
#include "lock.hpp"
#include "objects/devices.hpp"
#include "objects/tools.hpp"
#include "objects/turn.hpp"
#include "objects/value/codec.hpp"
#include "octavo/base/error.hpp"
#include "octavo/data/page_device.hpp"
#include "octavo/data/python/callable.hpp"
#include "octavo/machine/fork_server.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace octavo::bindings {

OCTAVO_ERROR(PythonRaised)

namespace {
[[maybe_unused]] const bool is_device =
    detail::register_base(typeid(PythonObject), typeid(PageDevice), [](void* object) -> void* { return static_cast<PythonObject*>(object)->device(); });

// Of C++ programs, which call methods by their names.
[[maybe_unused]] const bool by_name =
    detail::register_all_by_name(typeid(PythonObject), [](detail::Hosted& object, wire::Message& message, const detail::Reply& reply) {
      detail::MethodOf<&PythonObject::call>::entry->run(object, message, reply);
    });

constexpr std::size_t most_names = 4096;

}  // namespace

PythonRaised raised_of(nb::handle error, nb::handle object) {
  PythonRaised raised;
  nb::tuple facts = nb::cast<nb::tuple>(tools().describe_exception(error));  // (type name, text, traceback, pickled, first)
  raised.type_name = nb::cast<std::string>(facts[0]);
  raised.text = nb::cast<std::string>(facts[1]);
  raised.traceback = nb::cast<std::string>(facts[2]);
  if (object.is_valid()) raised.object = nb::cast<std::string>(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(object.ptr()))).attr("__qualname__"));
  raised.first = nb::cast<std::string>(facts[4]);
  auto pickled = nb::cast<nb::bytes>(facts[3]);
  const auto* bytes = static_cast<const std::byte*>(pickled.data());
  raised.pickled.assign(bytes, bytes + pickled.size());
  return raised;
}

namespace {

// Of a type that is surely no generator: asked without a call of Python.
bool is_plain(nb::handle result) {
  auto* o = result.ptr();
  return is_unchangeable(o) || PyTuple_CheckExact(o) || PyList_CheckExact(o) || PyDict_CheckExact(o);
}

// life: of the process that has the object. In another, which it forked, what it returned or raised is the end, and no answer to anybody.
void end_if_forked(unsigned life, nb::handle raised) {
  if (life != detail::forks()) nb::module_::import_("octavo.objects.server.forked").attr("end_with")(raised);
}

template <class Work>
nb::object in_process(unsigned life, Work work) {
  try {
    nb::object result = work();
    end_if_forked(life, nb::none());
    return result;
  } catch (nb::python_error& error) {
    end_if_forked(life, error.value());
    throw;
  }
}

// From the event loop's thread, with the lock.
void answer(promise<Value>& reply, bool worked, nb::handle outcome, nb::handle object) {
  try {
    if (!worked) throw raised_of(outcome, object);
    Value value;
    try {
      ValueEncoder(value, tools()).put(outcome);
    } catch (nb::python_error& error) {
      throw raised_of(error.value(), object);
    }
    const Unlocked unlocked;
    reply.set_value(std::move(value));
  } catch (...) {
    auto error = std::current_exception();
    const Unlocked unlocked;
    reply.set_exception(error);
  }
}

// What fails is shown, and no reason to end.
void call_aside(const nb::callable& what, const char* doing) {
  try {
    what();
  } catch (nb::python_error& error) {
    error.discard_as_unraisable(doing);
  }
}

bool is_heard(const nb::callable& interrupt) {
  return with_lock([&] {
    try {
      return nb::cast<bool>(interrupt());
    } catch (nb::python_error& error) {
      error.discard_as_unraisable("the end of a method, as its program ends");
      return false;
    }
  });
}

void finish_by(const nb::callable& finish, const std::function<void()>& destroy) {
  with_lock([&] {
    const auto let_go = nb::cpp_function([&destroy] {
      const Unlocked unlocked;
      destroy();
    });
    for (bool late = true; late;) try {
        late = false;
        finish(let_go);
      } catch (nb::python_error& error) {
        late = error.matches(PyExc_SystemExit);  // of a method that had returned meanwhile
        if (!late) error.discard_as_unraisable("the end of a remote object's process");
      }
  });
}

}  // namespace

PythonObject::PythonObject(Value what) {
  with_python({}, [&] { in_process(life_, [&] { return host(ValueDecoder(what, tools()).get()), nb::none(); }); });
}

void PythonObject::host(nb::handle what) {
  hosting_ = tools().host(what);
  object_ = hosting_.attr("object");
  nb::object turn = hosting_.attr("turn");
  if (!turn.is_none()) turn_ = turn;
  base_ = hosting_.attr("device");
  if (!base_.is_none()) device_ = device_of(base_);
}

void PythonObject::save(wire::Encoder& out) const {
  std::string state;
  with_lock([&] {
    as_octavo_errors([&] {
      const Turn turn(turn_);  // no coroutine changes it meanwhile
      const auto bytes = nb::cast<nb::bytes>(hosting_.attr("state")());
      state.assign(bytes.c_str(), bytes.size());
    });
  });
  out(state);
}

void PythonObject::load(wire::Decoder& in) {
  std::string state;
  in(state);
  with_lock([&] { as_octavo_errors([&] { host(nb::bytes(state.data(), state.size())); }); });
}

PythonObject::~PythonObject() {
  if (!hosting_) return;  // it could not be restored
  with_lock([&] {
    names_.clear();
    try {
      hosting_.attr("end")();
    } catch (nb::python_error& error) {
      error.discard_as_unraisable("the end of a remote object");
    }
    turn_.reset();
    base_.reset();
    object_.reset();
    hosting_.reset();
  });
}

// Called with the lock of the method table held: it may not wait for the interpreter's.
PageDevice* PythonObject::device() const {
  if (device_ == nullptr)
    throw usage_error("an object of Python that is no device was called as one",
                      "Make it of a class that is derived from octavo.devices.PageFile or octavo.devices.ZarrDevice");
  return device_;
}

Value PythonObject::call(Value request) {
  return with_python(object_, [&] {
    const Turn turn(turn_);
    nb::object result = in_process(life_, [&] { return run(request); });
    Value reply;
    ValueEncoder(reply, tools()).put(result);
    return reply;
  });
}

future<Value> PythonObject::call_coroutine(Value request) {
  return with_python(object_, [&] {
    if (!turn_.is_valid()) turn_ = hosting_.attr("loop").attr("turn");
    nb::object coroutine;
    {
      const Turn turn(turn_);
      ValueDecoder in(request, tools());
      const auto what = static_cast<operation>(in.get_byte());
      coroutine = in_process(life_, [&] { return what == operation::other ? perform(in) : call_method(what, in); });
    }
    auto reply = std::make_shared<promise<Value>>();
    auto result = reply->get_future();
    hosting_.attr("loop").attr("run")(coroutine, nb::cpp_function(
                                                     [life = life_, reply, object = object_](bool worked, nb::handle outcome) {
                                                       end_if_forked(life, worked ? nb::handle(Py_None) : outcome);
                                                       answer(*reply, worked, outcome, object);
                                                     },
                                                     "worked"_a, "outcome"_a.none()));
    return result;
  });
}

nb::object PythonObject::run(Value& request) {
  ValueDecoder in(request, tools());
  auto what = static_cast<operation>(in.get_byte());
  if (what != operation::other) {
    nb::object result = call_method(what, in);
    return is_plain(result) || !nb::cast<bool>(tools().is_lazy(result)) ? result : hosting_.attr("lazy")(result);
  }
  nb::object result = perform(in);
  object_ = hosting_.attr("object");  // an operator in place may have made another
  return result;
}

nb::object PythonObject::perform(ValueDecoder& in) {
  nb::object name = in.get(), arguments = in.get();
  show(nb::cast<std::string>(name));
  return hosting_.attr("perform")(name, arguments);
}

nb::object PythonObject::call_method(operation what, ValueDecoder& in) {
  const auto text = in.get_text();
  show(text);
  nb::handle name = interned(text);
  if (what == operation::call_with) {
    nb::tuple all = nb::cast<nb::tuple>(in.get());
    return object_.attr(name)(*nb::tuple(all[0]), **nb::dict(all[1]));
  }
  const auto positional = in.get_count(), named = in.get_count();
  std::vector<nb::object> kept;
  std::vector<PyObject*> arguments{object_.ptr()};
  for (auto i = positional; i != 0; --i) arguments.push_back(kept.emplace_back(in.get()).ptr());
  nb::object keywords;
  if (named != 0) {
    nb::list names;
    for (auto i = named; i != 0; --i) {
      names.append(in.get());
      arguments.push_back(kept.emplace_back(in.get()).ptr());
    }
    keywords = nb::tuple(names);
  }
  auto* result =
      PyObject_VectorcallMethod(name.ptr(), arguments.data(), static_cast<std::size_t>(positional + 1) | PY_VECTORCALL_ARGUMENTS_OFFSET, keywords.ptr());
  if (result == nullptr) throw nb::python_error();
  return nb::steal<nb::object>(result);
}

// Of a few thousand names; others are shown as what calls them.
void PythonObject::show(std::string_view method) {
  auto found = shown_.find(method);
  if (found == shown_.end()) {
    if (shown_.size() == most_names) return;
    const auto kind = nb::cast<std::string>(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(object_.ptr()))).attr("__qualname__"));
    found = shown_.emplace(method, kind + "." + std::string(method)).first;
  }
  detail::show_running(found->second);
}

nb::handle PythonObject::interned(std::string_view name) {
  auto found = names_.find(std::string(name));
  if (found != names_.end()) return found->second;
  if (names_.size() == most_names) names_.clear();
  auto* made = PyUnicode_InternFromString(std::string(name).c_str());
  if (made == nullptr) throw nb::python_error();
  return names_.emplace(name, nb::steal<nb::object>(made)).first->second;
}

void add_hosting(nb::module_& m) {
  // Serves Python objects if this program was started as a server, and then never returns. The two are ServerHooks.
  m.def(
      "serve_objects",
      [](const nb::callable& interrupt, const nb::callable& finish) {
        const ServerHooks hooks{.interrupt = [&] { return is_heard(interrupt); }, .finish = [&](const auto& destroy) { finish_by(finish, destroy); }};
        const Unlocked unlocked;
        serve_if_asked(hooks);
      },
      "interrupt"_a, "finish"_a);
  // Forks this program whenever its agent asks; returns in each fork. `in_spare` is called in one whose object is not known yet, `change` with the variables
  // that are others than here.
  m.def(
      "serve_forks",
      [](const std::string& asked, const nb::callable& in_spare, const nb::callable& change) {
        (void)tools();                               // imported once for all
        ::setenv("OCTAVO_FORKS", asked.c_str(), 1);  // os.environ no longer has it, and so no fork has to change it
        auto rehearse = [&] { call_aside(in_spare, "a process that waits for its object"); };
        auto tell = [&](const std::vector<std::string>& changes) {
          nb::list texts;
          for (const auto& each : changes) texts.append(nb::bytes(each.data(), each.size()));
          change(texts);
        };
        serve_forks_if_asked({.before = &PyOS_BeforeFork,
                              .in_server = &PyOS_AfterFork_Parent,
                              .in_fork = &PyOS_AfterFork_Child,
                              .environment_changed = tell,
                              .in_spare = rehearse});
      },
      "asked"_a, "in_spare"_a, "change"_a);
}

}  // namespace octavo::bindings
