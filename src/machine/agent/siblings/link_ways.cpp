// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/siblings/link_ways.hpp"

#include <pthread.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/start_thread.hpp"
#include "machine/engine/callers.hpp"
#include "machine/engine/invitation.hpp"
#include "machine/host/interfaces.hpp"
#include "machine/spawn.hpp"
#include "octavo/base/error.hpp"
#include "road/net/kinds/link_kinds.hpp"
#include "road/net/tls/host_and_port.hpp"

namespace octavo::agent {

namespace {

// Both run already: what takes longer is a firewall that drops, and then the hub is the way. Files are seen late, and sftp logs in, on both sides.
constexpr std::chrono::seconds soon{3}, seen_late{20};
constexpr std::chrono::milliseconds longest_end{1000}, a_moment{1};

road::LinkTerms terms_of(std::chrono::milliseconds silence, const std::string& machine) {
  return {
      .silence = engine::carrier_silence(silence), .machine = machine, .run = [](const std::vector<std::string>& words) { return spawn::run_command(words); }};
}

constexpr std::string_view command_mark = " by ";

}  // namespace

std::function<std::string()> LinkWays::place_beside(const std::string& program, const std::string& machine) {
  const auto& kind = road::link_kind_of(program);
  if (kind.by_command) return {};
  const std::string scheme = std::string(kind.scheme) + "://", where = program.substr(scheme.size());
  if (kind.takes_command) {  // sftp://HOST/DIRECTORY by COMMAND
    const auto mark = where.rfind(command_mark);
    return [place = scheme + road::host_and_port(machine, 0) + (mark == std::string::npos ? "" : where.substr(mark))] { return place; };
  }
  if (kind.needs_address)
    return [scheme, host = road::host_and_port(where).first] {
      const auto own = address_towards(host);
      if (own.empty()) throw io_error("no address of this machine leads to '" + host + "'");
      return scheme + road::host_and_port(own, 0);
    };
  if (kind.scheme == "files") return [place = scheme + std::filesystem::path(where).parent_path().string()] { return place; };
  return [scheme] { return scheme; };
}

LinkWays::LinkWays(Terms terms) : terms_(std::move(terms)) {}

// The program has ended. What the links still had to say nobody hears, and what their directories are must be gone before the process is.
LinkWays::~LinkWays() {
  if (beginning_.joinable()) beginning_.join();
  callers_.reset();
  for (const auto& each : links_)
    if (const auto carriers = each.lock()) carriers->fail("the agent has ended");
  const auto until = road::Clock::now() + longest_end;
  const auto is_gone = [](const auto& each) { return each.expired(); };
  while (!std::ranges::all_of(links_, is_gone) && road::Clock::now() < until) std::this_thread::sleep_for(a_moment);  // by threads of theirs
}

void LinkWays::note(const road::SteadyLink& link) {
  std::lock_guard lock(mutex_);
  std::erase_if(links_, [](const auto& each) { return each.expired(); });
  links_.push_back(link.carriers());
}

void LinkWays::invite(Ready ready, Came came) {
  const Asked asked{std::move(ready), std::move(came)};
  {
    std::lock_guard lock(mutex_);
    if (!callers_ && why_none_.empty()) {
      waiting_.push_back(asked);
      if (!std::exchange(begun_, true)) beginning_ = start_thread<std::jthread>("that begins to listen for other agents", [this] { listen(); });
      return;
    }
  }
  answer(asked);
}

void LinkWays::listen() {
  pthread_setname_np(pthread_self(), "octavo-siblings");
  std::unique_ptr<engine::Callers> callers;
  std::string why;
  try {
    callers = std::make_unique<engine::Callers>(terms_.place(), terms_.key, terms_of(terms_.silence, terms_.machine));
  } catch (const std::exception& e) {
    why = std::string("it listens nowhere: ") + e.what();
  }
  std::vector<Asked> waiting;
  {
    std::lock_guard lock(mutex_);
    callers_ = std::move(callers);
    why_none_ = why;
    waiting.swap(waiting_);
  }
  for (const auto& each : waiting) answer(each);
}

// It is known by now whether it listens.
void LinkWays::answer(const Asked& asked) {
  if (!callers_) return asked.ready({}, why_none_);
  const auto link = std::make_shared<std::unique_ptr<road::Link>>();
  auto expected = callers_->expect([link, came = asked.came] { came(std::move(*link), {}); });
  note(*expected.link);
  *link = std::move(expected.link);
  asked.ready({callers_->address(), expected.session}, {});
}

// From the first try to the link, or to giving it up. Shared by the agent, which waits, and the link, whose thread calls.
class LinkWays::Calling : public std::enable_shared_from_this<Calling> {
 public:
  Calling(const Terms& terms, Place place, Came came)
      : key_(terms.key),
        carrier_(terms_of(terms.silence, terms.machine)),
        place_(std::move(place)),
        kind_(road::link_kind_of(place_.address)),
        until_(road::Clock::now() + (kind_.least_silence.count() != 0 ? seen_late : soon)),
        came_(std::move(came)) {}
  void begin(LinkWays& of) {
    std::lock_guard lock(mutex_);
    link_ = std::make_unique<road::SteadyLink>(
        place_.session, [self = shared_from_this()] { return self->dial(); }, road::SteadyOptions{.least_silence = kind_.least_silence});
    of.note(*link_);
  }

 private:
  std::unique_ptr<road::Link> dial() {
    const auto now = road::Clock::now(), one_try = now + carrier_.silence;
    try {
      auto carrier = road::dial(place_.address, key_, told_ ? one_try : std::min(one_try, until_), carrier_);
      tell({});
      return carrier;
    } catch (const refused& e) {
      tell(e.what());
      throw;
    } catch (const error& e) {
      if (!given_up_ && (told_ || road::Clock::now() < until_)) throw;
      tell(e.what());
      throw refused(std::string("it is given up: ") + e.what());
    }
  }
  void tell(const std::string& why_none) {
    if (std::exchange(told_, true)) return;
    given_up_ = !why_none.empty();
    std::unique_lock lock(mutex_);
    auto link = std::move(link_);
    lock.unlock();
    std::exchange(came_, {})(std::move(link), why_none);
  }

  const road::ClusterKey key_;
  const road::LinkTerms carrier_;
  const Place place_;
  const road::LinkKind& kind_;
  const road::Deadline until_;
  bool told_ = false, given_up_ = false;  // of the thread that calls
  std::mutex mutex_;                      // until the link is here whose thread calls already
  std::unique_ptr<road::SteadyLink> link_;
  Came came_;
};

void LinkWays::call(const Place& place, Came came) {
  try {
    std::make_shared<Calling>(terms_, place, came)->begin(*this);
  } catch (const error& e) {
    came(nullptr, e.what());
  }
}

}  // namespace octavo::agent
