// SPDX-License-Identifier: Apache-2.0
#include "process/remote/machine_load.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "octavo/base/error.hpp"

namespace octavo::detail {

namespace {

// Run by a worker on the machine that is asked.
double load_of_this_machine() {
  double last_minute = 0;
  if (::getloadavg(&last_minute, 1) != 1) throw not_supported("this machine does not say its load");
  return last_minute / static_cast<double>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

}  // namespace

MachineLoad::MachineLoad(std::size_t machines, LoadSource source) : machines_(machines), source_(std::move(source)) {
  if (!source_.ask) source_.ask = [](const remote_ptr<Worker>& idle) { return start(idle, load_of_this_machine); };
}

void MachineLoad::hear() {
  for (auto& machine : machines_) {
    if (!machine.answer.valid() || !machine.answer.ready()) continue;
    machine.asking = false;
    try {
      machine.load = machine.answer.get();
    } catch (const std::exception&) {  // it says nothing; what was known before counts on
    }
  }
}

bool MachineLoad::due(std::size_t machine) {
  auto& it = machines_[machine];
  auto now = std::chrono::steady_clock::now();
  if (it.asking || now < it.next) return false;
  it.asking = true;
  it.next = now + source_.every;
  return true;
}

future<double> MachineLoad::ask(const remote_ptr<Worker>& idle) const {
  try {
    return source_.ask(idle);
  } catch (...) {
    promise<double> none;
    auto answer = none.get_future();
    none.set_exception(std::current_exception());
    return answer;
  }
}

void MachineLoad::asked(std::size_t machine, future<double> answer) {
  machines_[machine].asking = answer.valid();
  machines_[machine].answer = std::move(answer);
}

}  // namespace octavo::detail
