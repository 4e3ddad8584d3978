// SPDX-License-Identifier: Apache-2.0
// What the processes of a town do.
#include <algorithm>
#include <utility>

#include "message/channel/edges.hpp"
#include "octavo/base/error.hpp"
#include "octavo/process/errors.hpp"
#include "schedule/home/town.hpp"

namespace octavo::schedule {

namespace {
using namespace std::chrono_literals;
using Box = detail::MailboxEndpoint<std::string>;

constexpr MailboxBound bound{8, 2000};
constexpr auto a_while = 100ms;  // passes only where nobody has anything to do
constexpr auto longest = 4s;     // of what does not wait for another process to do something of itself; a wait for an agent gives up after 5
constexpr std::uint64_t most_text = 700;

bool has_any(const std::map<std::string, std::shared_ptr<Box>>& reads) {
  return std::any_of(reads.begin(), reads.end(), [](const auto& each) { return each.second->has(); });
}
}  // namespace

template <class Do>
void Town::in_time(Process& me, const char* what, const Do& work) {
  const auto since = turns_.now();
  work();
  if (!over_ && turns_.now() - since > longest) fail("process " + std::to_string(me.number) + " waited for long: " + what);
}

std::shared_ptr<Box> Town::box(const std::string& name) {
  const std::string type(detail::type_name<std::string>());
  return std::static_pointer_cast<Box>(detail::mailbox_endpoint(name, type, [&] { return std::make_shared<Box>(name, type, bound); }));
}

bool Town::post(Process& me, const std::string& name, bool may_wait) {
  auto text = ledger_.begin_post(me.number, name) + std::string(turns_.one_in(3) ? turns_.draw(most_text) : 0, 'x');
  try {
    bool done = false;
    in_time(me, "to post", [&] { done = box(name)->post(text, may_wait); });
    turns_.something_done();
    if (over_) return true;
    if (done) ledger_.posted(me.number, name);
    else ledger_.threw(me.number, name, std::nullopt);
    return done;
  } catch (const process_died& e) {
    if (!over_) ledger_.threw(me.number, name, process_of(e.obituary().facts.address).number);
    return false;
  } catch (const gone_error&) {
    if (!over_) ledger_.threw_gone(me.number, name);
    return false;
  }
}

bool Town::read(Process& me, const std::string& name) {
  if (me.reads.contains(name)) return true;
  auto mine = box(name);
  ledger_.asks(me.number, name);
  try {
    in_time(me, "to read", [&] { mine->own(); });
  } catch (const refused&) {
    if (!over_) ledger_.refused(me.number, name);
    return false;
  }
  if (over_) return false;
  ledger_.reads(me.number, name);
  me.reads.emplace(name, std::move(mine));
  return true;
}

void Town::take(Process& me, const std::string& name, road::Clock::duration patience) {
  if (!read(me, name)) return;
  std::string text;
  if (!me.reads[name]->take(text, turns_.now() + patience) || over_) return;
  turns_.something_done();
  ledger_.taken(me.number, name, text);
}

void Town::take_all(Process& me) {
  for (const auto& [name, box] : me.reads)
    while (box->has() && !over_) take(me, name, 0s);
}

void Town::live(Process& me) {
  const detail::Endpoint::Use mine(*me.endpoint);
  me.endpoint->context().serve_here();
  me.endpoint->sender().background()->end();  // its thread is none of the Turns; what it does this thread does when it reads
  (void)me.endpoint->poller().waiters().try_read();
  try {
    if (turns_.one_in(2)) turns_.sleep([this] { return over_; }, turns_.now() + std::chrono::microseconds(turns_.draw(5000)));
    for (int i = 0; i < options_.actions && !over_ && !me.dead; ++i) act(me);
    if (me.dead || over_) return;
    if (me.number == 0) return close_down(me);
    me.rests = true;
    rest(me, [this] { return round_ == 2; });
    if (!over_) post_last(me);
    rest(me, [] { return false; });
  } catch (const std::exception& e) {
    if (over_) return;
    fail("process " + std::to_string(me.number) + " ended by: " + e.what());
    end_all();
  }
}

// Who reads does not wait to post: two that wait for each other would do so for ever.
void Town::act(Process& me) {
  const std::size_t at = turns_.draw(boxes.size());
  const std::string name = boxes[at];
  const auto kind = turns_.draw(13);
  if (kind < 6) (void)post(me, name, me.number != 0 && me.reads.empty() && turns_.one_in(2));
  else if (kind < 10 && (me.number + at) % 3 != 0) take(me, name, std::chrono::microseconds(turns_.draw(200)));
  else if (kind < 12) me.endpoint->wait([this] { return over_; }, turns_.now() + std::chrono::microseconds(turns_.draw(300)));
  else if (options_.ends && me.number != 0 && turns_.one_in(3)) end(me);
  else (void)post(me, unread, false);
}

// Of a program, or of an object by destroy().
void Town::end(Process& me) {
  ledger_.ends(me.number);
  in_time(me, "to end", [&] {
    if (me.is_object) me.endpoint->feature<detail::Edges>().object_destroyed();
    me.endpoint->end();
  });
  me.destroyed = me.is_object;
  if (over_) return;
  ledger_.has_ended(me.number);
  kill(me);
}

void Town::rest(Process& me, const std::function<bool()>& until) {
  while (!over_ && !until()) {
    take_all(me);
    me.endpoint->wait([&] { return over_ || until() || has_any(me.reads); }, road::never);
  }
}

// The first says that a reader is gone, where one is; but none says so for ever.
void Town::post_last(Process& me) {
  for (const std::string name : boxes) {
    if (!ledger_.has_posted(me.number, name)) continue;
    std::size_t tries = 0;
    while (!over_ && !post(me, name, true))
      if (++tries > processes_.size()) {
        if (!ledger_.may_be_lost_to_a_reader(me.number, name)) fail("MB-3: posts go on to throw");
        break;
      }
  }
  me.round = 1;
}

bool Town::all_rest(int round) const {
  return std::all_of(processes_.begin(), processes_.end(),
                     [&](const auto& each) { return each.number == 0 || each.dead || (each.rests && each.round >= round); });
}

// Each box has a reader, and all that was to come has come.
void Town::check_calm() {
  for (auto& each : processes_) {
    if (each.dead || over_) continue;
    const detail::Endpoint::Use its(*each.endpoint);
    for (const std::string name : boxes)
      if (box(name)->holds_something()) fail("MB-4: what process " + std::to_string(each.number) + " has posted to " + name + " waits, though it has a reader");
  }
}

// Of process 0. What nobody reads it reads; when all has come that was to come, each posts once more.
void Town::close_down(Process& me) {
  constexpr int most_whiles = 100;
  const auto settle = [&](int round) {
    for (int whiles = 0, calm = 0; calm < 2 && !over_;) {
      take_all(me);
      if (me.endpoint->wait([&] { return over_ || has_any(me.reads); }, turns_.now() + a_while)) continue;
      for (const auto* name : boxes) static_cast<void>(read(me, name));
      calm = all_rest(round) ? calm + 1 : 0;
      if (++whiles < most_whiles) continue;
      fail("a process does not come to rest");
      return end_all();
    }
  };
  settle(0);
  round_ = 1;  // nobody is killed from now on
  settle(0);
  check_calm();
  round_ = 2;
  post_last(me);
  settle(1);
  if (!over_) ledger_.check_rest();
  end_all();
}

}  // namespace octavo::schedule
