// SPDX-License-Identifier: Apache-2.0
#include "process/peers/agent_client.hpp"

#include <utility>

#include "base/delay_point.hpp"
#include "octavo/base/log.hpp"
#include "octavo/process/detail/other_languages.hpp"
#include "octavo/process/errors.hpp"

namespace octavo::detail {

void AgentClient::forget_and_raise(std::uint64_t request) {
  std::lock_guard lock(mutex_);
  asked_.erase(request);
  throw gone_error(gone_text());
}

void AgentClient::raise_other(const Answer& answer) {
  const auto* failed = std::get_if<control::Failed>(&answer);
  if (failed == nullptr) throw io_error("its agent gave an answer of another kind (" + std::to_string(answer.index()) + ")");
  if (failed->obituary) throw process_died(*failed->obituary);
  throw_error(failed->kind, failed->message, failed->cure);
}

std::uint64_t AgentClient::enter(Told then) {
  std::lock_guard lock(mutex_);
  if (closed_) throw gone_error(gone_text());
  const auto request = next_request_++;
  asked_[request].then = std::move(then);
  return request;
}

AgentClient::Answer AgentClient::wait_for(std::uint64_t request) {
  const auto is_answered = [&] {
    std::lock_guard lock(mutex_);
    return asked_.at(request).answer.has_value();
  };
  if (sleep_) sleep_(is_answered, road::Clock::duration::max());
  std::unique_lock lock(mutex_);
  auto& asked = asked_[request];
  answered_.wait(lock, [&] { return asked.answer.has_value(); });
  Answer answer = std::move(*asked.answer);
  asked_.erase(request);
  return answer;
}

void AgentClient::answer(std::uint64_t request, Answer answer) {
  delay_point("peers: an answer of the agent came");
  Told told;
  {
    std::lock_guard lock(mutex_);
    auto found = asked_.find(request);
    if (found == asked_.end() && closed_) return;  // the thread that asked has heard that there is no answer
    if (found == asked_.end()) return log_line("the agent answers request " + std::to_string(request) + ", for which nobody waits");
    if (!found->second.then) {
      found->second.answer = std::move(answer);
      return answered_.notify_all();
    }
    told = std::move(found->second.then);
    asked_.erase(found);
  }
  told(answer);
}

bool AgentClient::take(const control::Notice& notice) {
  return control::visit(
      [this]<class T>(const T& said) {
        if constexpr (control::is_one_of<T, Answer>) answer(said.request, said);
        return control::is_one_of<T, Answer>;
      },
      notice);
}

void AgentClient::close() {
  std::vector<Told> told;
  const Answer gone = control::Failed{0, error_kind::gone, gone_text(), {}, {}};
  {
    std::lock_guard lock(mutex_);
    closed_ = true;
    for (auto at = asked_.begin(); at != asked_.end();) {
      if (!at->second.then) {
        at->second.answer = gone;
        ++at;
        continue;
      }
      told.push_back(std::move(at->second.then));
      at = asked_.erase(at);
    }
    answered_.notify_all();
  }
  for (const auto& each : told) each(gone);
}

}  // namespace octavo::detail
