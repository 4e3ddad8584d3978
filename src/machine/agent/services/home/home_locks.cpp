// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/services/home/home_locks.hpp"

#include <utility>
#include <vector>

#include "base/delay_point.hpp"
#include "machine/agent/common/attempt.hpp"
#include "machine/notices/home_name.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"

namespace octavo::agent {

namespace {

// A process that has a lock, which a lasting agent that is lost has given it.
class HoldsAlready final : public Requester {
 public:
  HoldsAlready(RequesterPtr who, std::string lock) : who_(std::move(who)), lock_(std::move(lock)) {}
  [[nodiscard]] const ProcessFacts& facts() const override { return who_->facts(); }
  [[nodiscard]] Child* child() const override { return who_->child(); }
  [[nodiscard]] PeerAgent* peer() const override { return who_->peer(); }
  void answer(control::Notice notice) override {
    const auto* said = control::get_if<control::LockAnswer>(&notice);
    if (said == nullptr || said->outcome != lock_outcome::held)
      log_line("process " + std::to_string(facts().address.object) + " goes on with " + lock_ + ", which another has by now: the lasting agent was killed");
  }
  void hand_to(PeerAgent& other, const control::Notice& request, Otherwise otherwise) override { who_->hand_to(other, request, std::move(otherwise)); }

 private:
  void introduce_to(Child& there) override { who_->connect(there); }

  const RequesterPtr who_;
  const std::string lock_;
};

control::Failed lasting_agent_was_killed(const control::HomeLock& lock) {
  return {0,
          error_kind::gone,
          to_string(lock.kind) + " '" + lock.name + "': the lasting agent of this machine, which kept it, has ended, and who had it is not known for sure",
          "Look at what it protects, then try again",
          {}};
}

}  // namespace

HomeLocks::HomeLocks(bool keeps, const Routes& routes, PeerAgents& peers, DeathRegister& deaths) : routes_(routes), peers_(peers), deaths_(deaths) {
  if (keeps) table_.emplace();
}

void HomeLocks::take(const RequesterPtr& requester, const control::HomeLockNotice& notice) {
  std::visit(
      [&](const auto& request) {
        if (!is_of_home(request.lock.name)) throw usage_error("'" + request.lock.name + "' is no name of a lock of the home", "Begin it with ov://home/");
        if (PeerAgent* from = requester->peer(); from != nullptr) from->theirs.try_emplace(requester->facts().address, requester->facts());
        if (table_) fulfil(requester, request);
        else pass_on(requester, request);
      },
      notice);
}

// The other agent hears of the requester's death.
template <class Request>
void HomeLocks::pass_on(const RequesterPtr& requester, const Request& request) {
  PeerAgent* hub = routes_.hub();
  const auto to = hub != nullptr ? Routes::To(hub) : routes_.names_of({});
  if (!to || *to == nullptr) {
    static_cast<void>(routes_.forward(to, requester, request));  // it comes here again when the lasting agent is reached
    return;
  }
  if (deaths_.find(requester->facts()) != nullptr) return;
  deaths_.watch((*to)->listener(), requester->facts());
  if constexpr (std::is_same_v<Request, control::HomeLockRequest>)
    if (request.lock.kind == lock_kind::condition) let_go(requester->facts().address, lock_kind::mutex, request.mutex, 1);  // it is given up
  peers_.ask(**to, requester, request, [this, requester, request](PeerAgent& by, const control::Notice& said, const PeerAgent::FarEnd&) {
    const auto* no = control::get_if<control::Failed>(&said);
    if (no != nullptr && no->kind == error_kind::gone && by.is_daemon() && by.link == nullptr) return requester->answer(lasting_agent_was_killed(request.lock));
    note(requester, request, said);
    requester->answer(said);
  });
}

void HomeLocks::fulfil(const RequesterPtr& requester, const control::HomeLockRequest& request) {
  table_->request(requester->facts(), request, [requester](lock_outcome outcome, const Obituary* died) {
    control::LockAnswer answer{0, outcome, {}};
    if (died != nullptr) answer.died = *died;
    delay_point("agent: gave a lock of the home, about to answer");
    requester->answer(answer);
  });
}

void HomeLocks::fulfil(const RequesterPtr& requester, const control::HomeLockSaid& said) {
  table_->take(requester->facts(), said);
  requester->answer(control::Done{});
}

void HomeLocks::note(const RequesterPtr& requester, const control::HomeLockRequest& request, const control::Notice& answer) {
  const auto* said = control::get_if<control::LockAnswer>(&answer);
  const auto& who = requester->facts().address;
  const bool waited = request.lock.kind == lock_kind::condition;  // and has its mutex again
  if (said == nullptr || deaths_.find(requester->facts()) != nullptr) return;
  if (said->outcome != lock_outcome::held && said->outcome != lock_outcome::timed_out) return;
  control::HomeLockRequest how = request;
  if (waited) how.lock = {lock_kind::mutex, request.mutex};
  how.at_once = true;
  held_.emplace(Holding(who, how.lock.kind, how.lock.name), Held{requester, how});
}

void HomeLocks::note(const RequesterPtr& requester, const control::HomeLockSaid& said, const control::Notice& /*answer*/) {
  if (said.lock.kind != lock_kind::condition) let_go(requester->facts().address, said.lock.kind, said.lock.name, said.how_many);
}

void HomeLocks::let_go(const Address& who, lock_kind kind, const std::string& name, std::uint64_t how_many) {
  for (auto found = held_.end(); how_many != 0 && (found = held_.find(Holding(who, kind, name))) != held_.end(); --how_many) held_.erase(found);
}

void HomeLocks::process_died(const Obituary& obituary) {
  if (table_) attempt("freeing the locks of the home that a dead process had", [&] { table_->process_died(obituary); });
  std::erase_if(held_, [&](const auto& each) { return std::get<0>(each.first) == obituary.facts.address; });
}

void HomeLocks::tell_held() {
  std::vector<Held> all;
  for (const auto& [which, held] : held_) all.push_back(held);
  held_.clear();  // it is noted again as it is given again
  for (const auto& each : all)
    attempt("telling the next lasting agent what is locked",
            [&] { take(std::make_shared<HoldsAlready>(each.by, to_string(each.how.lock.kind) + " '" + each.how.lock.name + "'"), each.how); });
}

}  // namespace octavo::agent
