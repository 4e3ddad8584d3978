// SPDX-License-Identifier: Apache-2.0
// Objects with names whose processes died by accident: what brings them back, and when that is enough.
#include <array>
#include <cstdio>

#include "machine/lasting/named_objects.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"

namespace octavo::agent {

namespace {

std::string so_often(const Keeping& policy) {
  std::array<char, 32> seconds{};
  std::snprintf(seconds.data(), seconds.size(), "%g", policy.restart_seconds);
  return std::to_string(policy.restarts) + " times in " + seconds.data() + " s";
}

}  // namespace

// The object comes back now, or waits for a call, or to be opened.
void NamedObjects::after_accident(const Obituary& obituary) {
  try {
    auto entry = registry_.find(obituary.facts.address.object);
    if (!entry) return;
    RestartBudget& budget = budgets_[entry->object];
    budget.add(obituary);
    if (entry->policy.restarting != restart_policy::always || ending_) return;
    if (budget.come_back(entry->policy)) start(*entry, recorded(*entry), false);
    else log_line("ov://" + entry->name + " is not brought back again after " + so_often(entry->policy) + ": " + obituary.text());
  } catch (const error& e) {  // the next call hears the same
    log_line("bringing back " + obituary.facts.class_name + " after an accident: " + e.what());
  }
}

// Why its next life is not for a call to begin.
std::optional<control::Failed> NamedObjects::why_down(const NamedEntry& entry) {
  auto found = budgets_.find(entry.object);
  if (found == budgets_.end() || !found->second.down()) return std::nullopt;
  const Obituary& last = found->second.last();
  if (entry.policy.restarting == restart_policy::never) return control::Failed{0, error_kind::gone, last.text(), {}, last};
  if (found->second.come_back(entry.policy)) return std::nullopt;
  return control::Failed{
      0,
      error_kind::refused,
      "ov://" + printable(entry.name) + " is not brought back: it came back " + so_often(entry.policy) + " and died again. The last time " + last.text(),
      "Mend the cause, then open it: ov::open<" + entry.class_name + ">(\"" + entry.name +
          "\"); from Python by octavo.open(name, Class), or octavo.open_array(name) of its array",
      {}};
}

}  // namespace octavo::agent
