// SPDX-License-Identifier: Apache-2.0
// What runs on this machine, what it keeps, what it has: plain dictionaries, which octavo.watching makes its dataclasses of.
#include "octavo/machine/status.hpp"

#include <nanobind/nanobind.h>

#include <algorithm>

#include "octavo/base/error.hpp"
#include "octavo/machine/facts.hpp"
#include "octavo/machine/home_mailboxes.hpp"
#include "octavo/machine/saved_objects.hpp"
#include "octavo/stream/status.hpp"
#include "values.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace octavo::bindings {

namespace {

nb::object address_of(const Address& who) { return who ? nb::object(nb::make_tuple(who.agent, who.incarnation, who.object)) : nb::object(nb::none()); }

std::string text_of(std::string_view text) { return std::string(text); }

nb::dict dict_of(const ProcessStatus& status) {
  nb::dict all;
  all["pid"] = status.facts.pid;
  all["object"] = status.facts.address.object;
  all["class_name"] = status.facts.class_name;
  all["name"] = status.name;
  all["machine"] = status.facts.machine;
  all["state"] = text_of(to_string(status.state));
  all["method"] = status.method;
  all["method_seconds"] = status.method_seconds;
  all["waits_for"] = address_of(status.waits_for);
  all["waits_in"] = status.waits_in;
  all["waits_seconds"] = status.waits_seconds;
  all["calls_done"] = status.calls_done;
  all["calls_waiting"] = status.calls_waiting;
  all["calls_owed"] = status.calls_owed;
  all["bytes_received"] = status.bytes_received;
  all["bytes_sent"] = status.bytes_sent;
  all["memory_bytes"] = status.memory_bytes;
  all["started"] = status.facts.started;
  all["on_thread"] = status.on_thread;
  all["agent"] = text_of(to_string(status.agent));
  all["agent_pid"] = status.agent_pid;
  all["agent_id"] = status.facts.address.agent;
  all["incarnation"] = status.facts.address.incarnation;
  return all;
}

nb::dict dict_of(const SavedObject& object) {
  nb::dict all;
  all["name"] = object.name;
  all["class_name"] = object.class_name;
  all["object"] = object.object;
  all["made"] = object.made;
  all["saved"] = object.saved;
  all["generation"] = object.generation;
  all["bytes"] = object.bytes;
  all["pid"] = object.pid;
  all["trouble"] = object.trouble;
  return all;
}

nb::dict dict_of(const MailboxStatus& box) {
  nb::dict all;
  all["name"] = box.name;
  all["type"] = box.type;
  all["reader"] = box.reader.class_name;
  all["pid"] = box.reader.pid;
  all["machine"] = box.reader.machine;
  all["unread"] = box.unread ? nb::object(nb::int_(*box.unread)) : nb::object(nb::none());
  return all;
}

nb::dict dict_of(const MachineFacts& facts) {
  nb::dict all;
  all["name"] = facts.name;
  all["cores"] = facts.cores;
  all["memory_bytes"] = facts.memory_bytes;
  all["memory_available"] = facts.memory_available;
  all["load"] = facts.load;
  nb::list disks;
  for (const auto& disk : facts.disks) disks.append(nb::make_tuple(disk.path, disk.bytes, disk.free_bytes));
  all["disks"] = disks;
  return all;
}

nb::dict dict_of(const RoadStatus& status) {
  auto address = [](const Address& of) { return nb::make_tuple(of.agent, of.incarnation, of.object); };
  nb::dict all;
  all["first"] = address(status.first);
  all["second"] = address(status.second);
  all["road"] = std::string(road::to_string(status.road));
  all["why"] = std::string(road::reason_for(status.road));
  return all;
}

nb::dict dict_of(const StageStatus& stage) {
  nb::dict all;
  all["name"] = stage.name;
  all["place"] = stage.place;
  all["workers"] = stage.workers;
  all["taken"] = stage.taken;
  all["given"] = stage.given;
  all["left"] = stage.left;
  all["busy"] = stage.busy;
  all["waited_for_input"] = stage.waited_for_input;
  all["waited_for_room"] = stage.waited_for_room;
  all["waiting_for_input"] = stage.waiting_for_input;
  all["waiting_for_room"] = stage.waiting_for_room;
  all["waits_seconds"] = stage.waits_seconds;
  return all;
}

nb::dict dict_of(const StreamStatus& stream) {
  nb::dict all;
  all["pid"] = stream.pid;
  all["address"] = address_of(stream.address);
  all["class_name"] = stream.class_name;
  all["agent_pid"] = stream.agent_pid;
  all["started"] = stream.started;
  all["came"] = stream.came;
  all["delivered"] = stream.delivered;
  nb::list stages;
  for (const auto& each : stream.stages) stages.append(dict_of(each));
  all["stages"] = stages;
  return all;
}

template <class All>
nb::list list_of(const All& all) {
  nb::list list;
  for (const auto& each : all) list.append(dict_of(each));
  return list;
}

// Of the object that `ps` showed: not of another that has its pid by now.
void signal_object(std::uint64_t agent, std::uint32_t incarnation, std::uint64_t object, std::int64_t pid, int signal) {
  auto all = all_processes();
  auto found = std::find_if(all.begin(), all.end(), [&](const auto& each) {
    return each.facts.address == Address{agent, incarnation, object} && each.facts.pid == pid;
  });
  if (found == all.end()) throw gone_error("process " + std::to_string(pid) + " has ended");
  send_signal(*found, signal);
}

}  // namespace

void add_status(nb::module_& m) {
  m.def("all_processes", [] { return list_of(all_processes()); });
  m.def("all_roads", [] { return list_of(all_roads()); });
  m.def("all_streams", [] { return list_of(all_streams()); });
  m.def("send_signal", &signal_object, "agent"_a, "incarnation"_a, "object"_a, "pid"_a, "signal"_a);
  m.def("machine_facts", [] { return dict_of(machine_facts()); });
  m.def(
      "saved_objects", [](const std::string& prefix, const std::string& home) { return list_of(saved_objects(prefix, home)); }, "prefix"_a, "home"_a);
  m.def(
      "home_mailboxes", [](const std::string& prefix, const std::string& home) { return list_of(home_mailboxes(prefix, home)); }, "prefix"_a, "home"_a);
  m.def(
      "restore_saved", [](const std::string& name, const std::string& home) { return dict_of(restore_saved(name, home)); }, "name"_a, "home"_a);
}

}  // namespace octavo::bindings
