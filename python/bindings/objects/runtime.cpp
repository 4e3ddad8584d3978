// SPDX-License-Identifier: Apache-2.0
#include "objects/runtime.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include "lock.hpp"
#include "objects/devices.hpp"
#include "objects/exchange.hpp"
#include "objects/future.hpp"
#include "objects/group/distributed.hpp"
#include "objects/group/group.hpp"
#include "objects/group/member.hpp"
#include "objects/mailbox/mailbox.hpp"
#include "objects/message/locks.hpp"
#include "objects/message/queue.hpp"
#include "objects/method.hpp"
#include "objects/named/objects.hpp"
#include "objects/pointer.hpp"
#include "objects/stream/joint.hpp"
#include "objects/stream/shown.hpp"
#include "objects/value/block.hpp"
#include "objects/value/channel.hpp"
#include "objects/value/codec.hpp"
#include "octavo/base/error.hpp"
#include "octavo/machine/engine_named.hpp"
#include "octavo/machine/slurm.hpp"
#include "octavo/machine/ssh.hpp"
#include "octavo/message/detail/other_languages.hpp"
#include "octavo/process/detail/environment.hpp"
#include "octavo/process/detail/other_languages.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace octavo::bindings {

namespace {

// The Runtime of a program. In a process that was forked off it, it is left as it lies.
class RuntimeBase {
 public:
  RuntimeBase(std::int64_t memory, std::string home, std::shared_ptr<Engine> engine, bool keep_children) : owner_(::getpid()) {
    RuntimeOptions options;
    options.memory = memory;
    options.home = std::move(home);
    options.engine = std::move(engine);
    options.keep_children = keep_children;
    runtime_ = std::make_unique<Runtime>(options);
  }
  ~RuntimeBase() { close(); }
  RuntimeBase(const RuntimeBase&) = delete;
  RuntimeBase& operator=(const RuntimeBase&) = delete;

  void close() {
    if (::getpid() != owner_) (void)runtime_.release();
    runtime_.reset();
  }
  [[nodiscard]] std::vector<std::string> machines() const {
    if (!runtime_) throw usage_error("this Runtime has ended", "Make another");
    return runtime_->machines();
  }

 private:
  pid_t owner_;
  std::unique_ptr<Runtime> runtime_;
};

std::chrono::milliseconds milliseconds(double seconds) { return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000)); }

Placement placement_of(bool on_thread, const std::string& machine, nb::handle beside, std::vector<std::string> server, std::vector<std::string> fork_server) {
  Placement where;
  where.on_thread = on_thread;
  where.machine = machine;
  if (!beside.is_none()) where.beside = address_of(beside);
  if (on_thread) return where;
  where.server = std::move(server);
  where.fork_server = std::move(fork_server);
  return where;
}

// As octavo::start(place).make(), without a coroutine: the thread of methods would resume it, and may stand in an event loop of its method's.
future<remote_ptr<PythonObject>> start_making(const Placement& where, Value value) {
  auto constructed = std::make_shared<detail::State<void>>();
  promise<remote_ptr<PythonObject>> made;
  auto result = made.get_future();
  detail::Inside::of(made).need({.of = {constructed}});
  const Address address = detail::send_construction<PythonObject>(constructed, where, std::move(value));
  constructed->on_ready([state = constructed.get(), made = std::move(made), address]() mutable {  // it lives while it tells
    try {
      state->take();
      made.set_value(remote_ptr<PythonObject>(address));
    } catch (...) {
      made.set_exception(std::current_exception());
    }
  });
  return result;
}

nb::object make(bool on_thread, const std::string& machine, nb::handle beside, std::vector<std::string> server, std::vector<std::string> fork_server,
                nb::handle what, nb::handle title, nb::handle names) {
  return begin_making(placement_of(on_thread, machine, beside, std::move(server), std::move(fork_server)), what, title, names);
}

// Ends an object and its process when it has done what it computes: a wait for that can be interrupted, and what was asked for stays. So does it where
// `seconds` are over; none: for ever.
void destroy_object(nb::handle pointer, bool waits, std::optional<double> seconds) {
  const Address to = address_of(pointer);
  auto ended = std::make_shared<detail::State<void>>();
  {
    const Unlocked unlocked;
    const detail::Visit visit;
    detail::begin_destroy(ended, to);
  }
  const auto deadline = seconds ? detail::deadline_after(std::chrono::duration<double>(*seconds)) : detail::forever();
  bool is_over = false;
  try {
    if (!waits) return ended->abandon();
    is_over = wait_with_signals(*ended, deadline);
  } catch (...) {
    ended->abandon();
    throw;
  }
  if (!is_over) detail::raise_not_destroyed(to);  // how it ends then is nobody's affair
  try {
    const Unlocked unlocked;
    const detail::Visit visit;
    detail::finish_destroy(*ended);
    detail::raise_lost_errors(to);
  } catch (const PythonRaised& raised) {  // of a future that was dropped
    raise_in_python(raised);
  }
}

void kill_object(nb::handle pointer) {
  const Address to = address_of(pointer);
  const Unlocked unlocked;
  const detail::Visit visit;
  detail::kill(to);
}

}  // namespace

nb::object begin_making(Placement where, nb::handle what, nb::handle title, nb::handle names) {
  where.title = nb::cast<std::string>(title);
  Value value;
  ValueEncoder(value, tools()).put(what);
  future<remote_ptr<PythonObject>> made;
  if (!where.on_thread) detail::note_environment();  // while no other thread of Python changes it
  {
    const Unlocked unlocked;
    const detail::Visit visit;
    made = start_making(where, std::move(value));
  }
  return make_future(std::move(made), title, names);
}

bool is_in_force() {
  try {
    (void)job_pool();
    return true;
  } catch (const usage_error&) {
    return false;
  }
}

void add_runtime(nb::module_& m) {
  nb::class_<Engine>(m, "Engine");
  m.def("played", &played, "machines"_a, "directory"_a = "");
  m.def(
      "ssh",
      [](std::vector<std::string> machines, std::string address, std::uint16_t port, const std::vector<std::string>& shell, std::string program,
         std::map<std::string, std::string> addresses, double patience, std::string link) {
        SshOptions options;
        options.address = std::move(address);
        options.addresses = std::move(addresses);
        options.port = port;
        if (!shell.empty()) options.shell = shell;
        options.program = std::move(program);
        options.patience = milliseconds(patience);
        options.link = std::move(link);
        return ssh(std::move(machines), std::move(options));
      },
      "machines"_a, "address"_a = "", "port"_a = 0, "shell"_a = std::vector<std::string>(), "program"_a = "",
      "addresses"_a = std::map<std::string, std::string>(), "patience"_a = 20.0, "link"_a = "");
  m.def(
      "slurm",
      [](std::vector<std::string> args, std::string address, std::uint16_t port, std::string program, double patience, std::string link) {
        return slurm({.args = std::move(args),
                      .link = std::move(link),
                      .address = std::move(address),
                      .port = port,
                      .program = std::move(program),
                      .patience = milliseconds(patience)});
      },
      "args"_a = std::vector<std::string>(), "address"_a = "", "port"_a = 0, "program"_a = "", "patience"_a = 60.0, "link"_a = "tls");
  m.def("engine_named", &engine_named, "name"_a);
  nb::class_<RuntimeBase>(m, "RuntimeBase")
      .def(nb::init<std::int64_t, std::string, std::shared_ptr<Engine>, bool>(), "memory"_a = 0, "home"_a = "", "engine"_a.none() = nb::none(),
           "keep_children"_a = false, nb::call_guard<Unlocked>())
      .def("close", &RuntimeBase::close, nb::call_guard<Unlocked>())
      .def("machines", &RuntimeBase::machines);
  m.def("is_in_force", &is_in_force);
  m.def("refuse_names_of_parent", &detail::refuse_names_of_parent);
  m.def("make", &make, "on_thread"_a, "machine"_a, "beside"_a.none(), "server"_a, "fork_server"_a, "what"_a, "title"_a, "names"_a.none());
  m.def("destroy", &destroy_object, "pointer"_a, "waits"_a, "seconds"_a.none() = nb::none());
  m.def("kill", &kill_object, "pointer"_a);
}

void add_objects(nb::module_& m) {
  add_block(m);
  add_channel(m);
  add_mailbox(m);
  add_group(m);
  add_member(m);
  add_distributed(m);
  add_locks(m);
  add_queue(m);
  add_joint(m);
  add_shown(m);
  add_segment(m);
  add_pointer(m);
  add_method(m);
  add_future(m);
  add_exchange(m);
  add_hosting(m);
  add_devices(m);
  add_named_objects(m);
  add_runtime(m);
}

}  // namespace octavo::bindings
