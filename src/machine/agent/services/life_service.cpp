// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/services/life_service.hpp"

#include <signal.h>
#include <sys/socket.h>

#include <array>
#include <memory>

#include "base/overloaded.hpp"
#include "octavo/base/clock.hpp"
#include "octavo/base/error.hpp"

namespace octavo::agent {

namespace {
std::string title_of(const control::Spawn& request) { return "octavo:" + request.class_name; }

// With which program an object ends that this one asks for.
std::uint64_t guest_of(const Requester& requester) {
  if (const PeerAgent* peer = requester.peer(); peer != nullptr) return peer->is_guest() ? peer->number : 0;
  const Child* asking = requester.child();
  return asking != nullptr ? asking->guest : 0;
}
}  // namespace

void LifeService::take(const RequesterPtr& requester, const control::LifeNotice& notice) {
  std::visit(overloaded{[&](const control::Spawn& request) { spawn(requester, request); }, [&](const control::Kill& request) { kill(requester, request); },
                        [&](const control::List&) { list(requester); }, [&](const control::AskFacts& request) { say_facts(requester, request); },
                        [&](const control::Bye& bye) {
                          hear_bye(own_process(requester), bye);
                          if (bye.request != 0) requester->answer(control::Done{bye.request});
                        },
                        [](const control::Welcome&) { refuse_told_to_processes(); }, [](const control::Host&) { refuse_told_to_processes(); },
                        [](const control::Listing&) { refuse_told_to_processes(); }, [](const control::Facts&) { refuse_told_to_processes(); }},
             notice);
}

void LifeService::hear_bye(Child& from, const control::Bye& bye) {
  from.said_bye = true;
  from.resting = bye.resting;
  if (from.named != nullptr && !from.resting) objects_->destroyed(from.facts.address.object);
}

void LifeService::spawn(const RequesterPtr& requester, const control::Spawn& request) {
  const bool named = !request.where.name.empty();
  const auto to = named ? routes_.names_of(request.where.machine) : request.where.on_thread ? Routes::To(nullptr) : routes_.machine(request.where);
  if (const Child* asking = requester->child(); asking != nullptr && asking->keeps_children && !request.where.keeps_children) {
    auto keeping = request;
    keeping.where.keeps_children = true;
    return spawn(requester, keeping);
  }
  if (routes_.forward(to, requester, request)) return;
  if (!request.where.fork_server.empty() && !named && !request.where.on_thread) make_by_fork(requester, request);
  else requester->connect(make(*requester, request));
}

Child& LifeService::make(const Requester& requester, const control::Spawn& request) {
  if (!request.where.name.empty() && objects_ != nullptr) return objects_->make(request);
  if (request.where.on_thread) {
    Child* asking = requester.child();
    if (asking == nullptr) throw usage_error("an object is put on a thread only of the program that asks");
    return make_on_thread(*asking, request);
  }
  return adopt(guest_of(requester), start_(request.command, title_of(request), {}, {}), request);
}

void LifeService::make_by_fork(const RequesterPtr& requester, const control::Spawn& request) {
  forks_.start(request.where.fork_server, request.command, title_of(request),
               [this, requester, guest = guest_of(*requester), request](const ForkServers::Take& take) {
                 try {
                   requester->connect(adopt(guest, take(), request));
                 } catch (const std::exception& e) {
                   requester->refuse(e);
                 }
               });
}

Child& LifeService::adopt(std::uint64_t guest, spawn::Started run, const control::Spawn& request) {
  const auto pid = run.pid;
  if (mark_ && !request.where.keeps_children) run.mark = mark_(request.command.front());
  Child& child = processes_.adopt({{}, request.class_name, self_.machine, pid, now_seconds()}, std::move(run), 0, {});
  child.keeps_children = request.where.keeps_children;
  child.guest = guest;
  if (guest != 0 && peers_.find(Listener::agent(guest)) == nullptr) ::kill(pid, SIGKILL);  // it has left meanwhile
  return child;
}

void LifeService::guest_left(std::uint64_t link) {
  for (const auto& [object, child] : processes_.all())
    if (child.guest == link && child.run.pidfd) ::kill(child.run.pid, SIGKILL);
}

// The asking process gets the socket before it hears of the object: its first call finds a server.
Child& LifeService::make_on_thread(Child& asking, const control::Spawn& request) {
  auto [ours, theirs] = socket_pair(SOCK_SEQPACKET, "placing " + request.class_name + " on a thread");
  spawn::Started run;
  run.pid = static_cast<pid_t>(asking.facts.pid);
  run.control = std::move(ours);
  const auto host = asking.host != 0 ? asking.host : asking.facts.address.object;
  Child& child = processes_.adopt({{}, request.class_name, self_.machine, asking.facts.pid, now_seconds()}, std::move(run), host, {});
  child.keeps_children = asking.keeps_children;
  processes_.tell(asking, control::Host{child.facts.address.object}, std::array{theirs.get()});
  return child;
}

void LifeService::kill(const RequesterPtr& requester, const control::Kill& request) {
  if (!routes_.forward(routes_.agent(request.who.agent, request.who.lasting()), requester, request)) kill_here(requester, request);
}

void LifeService::kill_here(const RequesterPtr& requester, const control::Kill& request) {
  const Child* child = processes_.living(request.who);
  if (child == nullptr) throw gone_error("there is no process " + std::to_string(request.who.object) + " to kill");
  if (!child->run.pidfd)
    throw usage_error(child->facts.class_name + " (object " + std::to_string(request.who.object) + ") has no process of its own, so it cannot be killed",
                      "Destroy it, or kill its process");
  if (::kill(child->run.pid, request.signal) != 0)
    throw usage_error("process " + std::to_string(child->run.pid) + " takes no signal " + std::to_string(request.signal));
  if (request.until_dead) killed_.emplace(request.who, requester);
  else requester->answer(control::Done{request.request});
}

void LifeService::process_died(const Address& who) {
  for (auto [at, last] = killed_.equal_range(who); at != last; at = killed_.erase(at)) at->second->answer(control::Done{});
}

// Of this machine, then of those whose agents this one has a link with, as they answer. What belongs to other programs is not for the requester.
void LifeService::list(const RequesterPtr& requester) {
  struct Gathered {
    control::Listing listing;
    std::size_t missing = 1;  // this agent itself
  };
  auto all = std::make_shared<Gathered>();
  if (processes_.find(1) == nullptr) all->listing.processes.push_back(self_.facts());  // an agent of a machine of its own
  for (const auto& [object, child] : processes_.all()) all->listing.processes.push_back(child.facts);
  auto one_more = [all, requester] {
    if (--all->missing == 0) requester->answer(all->listing);
  };
  for (const auto& other : peers_.all()) {
    if (other.get() == requester->peer() || other->is_guest()) continue;
    ++all->missing;
    peers_.ask(*other, requester, control::List{}, [all, one_more](PeerAgent&, const control::Notice& said, const PeerAgent::FarEnd&) {
      if (const auto* more = control::get_if<control::Listing>(&said))
        all->listing.processes.insert(all->listing.processes.end(), more->processes.begin(), more->processes.end());
      one_more();
    });
  }
  one_more();
}

void LifeService::say_facts(const RequesterPtr& requester, const control::AskFacts& request) {
  if (routes_.forward(routes_.machine(request.machine), requester, request)) return;
  control::Facts here{0, machine_facts()};
  here.facts.name = self_.machine;
  requester->answer(std::move(here));
}

}  // namespace octavo::agent
