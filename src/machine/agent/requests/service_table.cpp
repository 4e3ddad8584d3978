// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/requests/service_table.hpp"

#include <string>
#include <utility>

#include "octavo/base/error.hpp"

namespace octavo::agent {

namespace {

control::service service_of_notice(const control::Notice& notice) {
  return std::visit([]<class Of>(const Of&) { return control::service_of<Of>; }, notice);
}

}  // namespace

ServiceTable::ServiceTable(std::vector<Door> doors) {
  for (auto& each : doors) {
    const auto of = each.of;
    if (!doors_.emplace(of, std::move(each)).second)
      throw usage_error("two parts of an agent take service " + std::to_string(static_cast<int>(of)), "Give each service one line in services.cpp");
  }
}

const ServiceTable::Door* ServiceTable::door_of(const control::Notice& notice) const {
  auto found = doors_.find(service_of_notice(notice));
  return found == doors_.end() ? nullptr : &found->second;
}

void ServiceTable::take(const RequesterPtr& requester, const control::Notice& notice) const {
  try {
    const Door* door = door_of(notice);
    if (door == nullptr) refuse_told_to_processes();
    door->take(requester, notice);
  } catch (const std::exception& e) {
    if (requester->peer() == nullptr && control::number_of(notice) == 0) throw;  // nobody waits for an answer
    requester->refuse(e);
  }
}

void ServiceTable::take_last_word(Child& dead, const control::Notice& notice) const {
  const Door* door = door_of(notice);
  if (door != nullptr && door->take_last_word) door->take_last_word(dead, notice);
}

void refuse_told_to_processes() { throw usage_error("an agent was asked for what only processes are told"); }

Child& own_process(const RequesterPtr& requester) {
  Child* child = requester->child();
  if (child == nullptr) throw usage_error("an agent was told what only its own processes tell it");
  return *child;
}

}  // namespace octavo::agent
