// SPDX-License-Identifier: Apache-2.0
// What comes in a town, in any order that the links and sockets allow: notices of processes and agents, and the ends of processes.
#include <utility>

#include "schedule/home/town.hpp"

namespace octavo::schedule {

void Town::deliver() {
  while (!over_) {
    turns_.sleep([&] { return over_ || !all_events().empty(); }, road::never);
    for (auto n = turns_.draw(lazy_); n > 0 && !over_; --n) turns_.step();
    auto events = all_events();
    if (!events.empty()) events[turns_.draw(events.size())]();
    turns_.step();
  }
}

std::vector<Town::Event> Town::all_events() {
  std::vector<Event> events;
  for (auto& each : processes_) add_events_of(each, events);
  for (auto& each : programs_) add_events_of(each, events);
  return events;
}

void Town::tell(Process& process) {
  const auto notice = std::move(process.told.front());
  process.told.pop_front();
  if (const auto* died = control::get_if<control::Died>(&notice)) process.around->links.died(died->obituary);
  else process.around->agent.take(notice);
}

void Town::add_events_of(Process& process, std::vector<Event>& events) {
  auto& agent = programs_[process.program].agent;
  if (process.dead) {
    if (agent != nullptr && !process.reaped)
      events.emplace_back([&] {
        process.reaped = true;
        agent->reap(process.around->self.address, process.destroyed);
      });
    return;
  }
  while (auto notice = process.around->told()) process.said.push_back(std::move(*notice));
  if (!process.said.empty())
    events.emplace_back([&] {
      const auto notice = std::move(process.said.front());
      process.said.pop_front();
      agent->take(process.around->self.address, notice);
    });
  if (!process.told.empty()) events.emplace_back([&] { tell(process); });
  if (process.end_to_hear)
    events.emplace_back([&] {
      process.end_to_hear = false;
      process.around->links.something_changed();
    });
}

void Town::add_events_of(Program& program, std::vector<Event>& events) {
  if (program.agent != nullptr && program.agent->wants_lasting()) events.emplace_back([&] { program.wire = program.agent->join(*lasting_); });
  if (program.wire == nullptr) return;
  for (const std::size_t side : {std::size_t{0}, std::size_t{1}})
    if (program.wire->waits_for(side)) events.emplace_back([&, side] { program.wire->deliver(side); });
}

}  // namespace octavo::schedule
