// SPDX-License-Identifier: Apache-2.0
#include "schedule/canal/canal.hpp"

#include <algorithm>
#include <utility>

#include "message/channel/edges.hpp"
#include "octavo/base/error.hpp"
#include "octavo/process/errors.hpp"
#include "schedule/stepped_connection.hpp"

namespace octavo::schedule {

namespace {

using namespace std::chrono_literals;
constexpr std::uint64_t program = 100;
constexpr ChannelBound bound{8, 2000};
constexpr auto a_while = 500ms;

// Of a length of its own: by the short way, and by the usual one.
std::string value_of(std::uint64_t number) { return std::to_string(number) + std::string(number * 37 % 11 == 0 ? 600 : number % 5, 'x'); }

}  // namespace

Canal::Canal(std::uint64_t seed, const CanalOptions& options)
    : options_(options),
      turns_(seed),
      full_(turns_.one_in(2) ? 3 : 100),
      lazy_(turns_.one_in(3) ? 40 : 4),
      killing_(turns_.one_in(2) ? 100 : 600),
      cancel_at_(turns_.draw(options.values)),
      machine_([this](const kit::BareSurroundings&,
                      std::shared_ptr<road::Connection> end) { return std::make_shared<SteppedConnection>(turns_, full_, std::move(end)); },
               [this](kit::BareSurroundings& asking, const Address& to) { return connect(asking, to); }) {
  turns_.on_step = [this] {
    if (!over_ && killed_ < options_.kills && turns_.one_in(killing_)) kill_one();
  };
  turns_.on_stuck = [this] {
    fail("something waits, and nothing goes on: " + std::to_string(posted_) + " were posted, " + std::to_string(retrieved_) + " retrieved");
    end_all();
  };
  for (unsigned i = 0; i < options_.processes; ++i) {
    auto& made = processes_.emplace_back();
    made.number = i;
    made.around = &machine_.add();
    made.around->self.address.agent = program;
    made.clock = std::make_unique<TurnsClock>(turns_);
    made.around->clock = made.clock.get();
    made.endpoint = std::make_unique<detail::Endpoint>(made.around->around(), runtime_reach::scope, detail::FeatureList{detail::feature_of<detail::Edges>()});
  }
  agent_ = std::make_unique<HomeAgent>(agent::Identity{program, 1, "here"}, machine_.rows(),
                                       [this](const Address& who, const control::Notice& notice, std::span<const int>) {
                                         if (auto& process = process_of(who); !process.dead) process.told.push_back(notice);
                                       });
  for (auto& each : processes_) agent_->add(each.around->self, static_cast<unsigned>(each.number + 1));
}

Canal::~Canal() = default;

void Canal::fail(const std::string& what) {
  if (failure_.empty()) failure_ = what + " (step " + std::to_string(turns_.steps()) + ")";
}

void Canal::run() {
  {
    const detail::Endpoint::Use its(*processes_[0].endpoint);
    const auto edge = detail::open_channel<std::string>(detail::new_channel(), bound);
    edge->begin();
    processes_[0].writer = processes_[0].reader = edge;
  }
  std::vector<std::function<void()>> bodies;
  for (auto& each : processes_) bodies.emplace_back([this, &each] { live(each); });
  bodies.emplace_back([this] { deliver(); });
  turns_.run(bodies);
  for (auto& each : processes_) each.endpoint->end();
}

// --- what comes, in any order that sockets allow ---

void Canal::deliver() {
  while (!over_) {
    turns_.sleep([&] { return over_ || !all_events().empty(); }, road::never);
    for (auto n = turns_.draw(lazy_); n > 0 && !over_; --n) turns_.step();
    const auto events = all_events();
    if (!events.empty()) events[turns_.draw(events.size())]();
    turns_.step();
  }
}

std::vector<std::function<void()>> Canal::all_events() {
  std::vector<std::function<void()>> events;
  for (auto& each : processes_) {
    while (auto notice = each.around->told()) each.said.push_back(std::move(*notice));
    if (!each.said.empty())  // also of one that is dead: its socket is read to the end
      events.emplace_back([this, &each] {
        const auto notice = std::move(each.said.front());
        each.said.pop_front();
        agent_->take(each.around->self.address, notice);
      });
    else if (each.dead && !each.reaped)
      events.emplace_back([this, &each] {
        each.reaped = true;
        agent_->reap(each.around->self.address, each.leaves);
      });
    if (!each.dead && !each.told.empty())
      events.emplace_back([&each] {
        const auto notice = std::move(each.told.front());
        each.told.pop_front();
        if (const auto* died = control::get_if<control::Died>(&notice)) each.around->links.died(died->obituary);
        else each.around->agent.take(notice);
      });
    if (!each.dead && each.end_to_hear)
      events.emplace_back([&each] {
        each.end_to_hear = false;
        each.around->links.something_changed();
      });
  }
  return events;
}

detail::PeerLink Canal::connect(kit::BareSurroundings& asking, const Address& to) {
  auto &me = process_of(asking.self.address), &other = process_of(to);
  turns_.step();
  turns_.sleep([&] { return over_ || me.dead || !other.dead || other.reaped; }, road::never);
  if (over_ || me.dead) throw gone_error("the canal ends");
  if (const auto* death = agent_->death_of(to)) throw process_died(*death);
  auto link = machine_.connect(asking, *other.around).first;
  agent_->connected(asking.self, other.around->self);
  agent_->connected(other.around->self, asking.self);
  return link;
}

// --- what the processes do ---

void Canal::live(Process& me) {
  const detail::Endpoint::Use mine(*me.endpoint);
  me.endpoint->context().serve_here();
  me.endpoint->sender().background()->end();  // its thread is none of the Turns; what it does this thread does when it reads
  (void)me.endpoint->poller().waiters().try_read();
  try {
    while (!over_ && !me.dead) {
      take_ends(me);
      if (me.writer) write(me);
      if (me.reader) read(me);
      check_over();
      if (leave(me)) return;
      if (!over_)
        me.endpoint->wait([&] { return over_ || !me.writers.empty() || !me.readers.empty(); }, turns_.now() + std::chrono::microseconds(turns_.draw(200)));
    }
  } catch (const std::exception& e) {
    if (!over_ && !me.dead) fail("process " + std::to_string(me.number) + " ended by: " + e.what());
    end_all();
  }
}

void Canal::take_ends(Process& me) {
  if (!me.writers.empty()) {
    const auto came = me.writers.front();
    auto edge = detail::open_channel<std::string>(came.channel, came.bound);
    edge->writer_arrives(came);
    if (over_ || me.dead) return;
    me.writers.pop_front();
    --given_;
    me.writer = std::move(edge);
    turns_.something_done();
  }
  if (!me.readers.empty()) {
    const auto came = me.readers.front();
    auto edge = detail::open_channel<std::string>(came.channel, came.bound);
    edge->reader_arrives(came);
    if (over_ || me.dead) return;
    me.readers.pop_front();
    --given_;
    me.reader = std::move(edge);
    turns_.something_done();
  }
}

Canal::Process* Canal::next_holder() {
  auto& to = processes_[turns_.draw(processes_.size())];
  return to.dead || to.leaves ? nullptr : &to;
}

void Canal::end_writer(Process& me) {
  if (me.writer) me.writer->close();
  me.writer.reset();
  writer_over_ = true;
}

void Canal::end_reader(Process& me) {
  if (me.reader) me.reader->cancel();
  me.reader.reset();
  reader_over_ = true;
}

void Canal::write(Process& me) {
  try {
    for (auto n = turns_.draw(12); n > 0 && posted_ < options_.values && !over_ && !me.dead; --n) {
      auto value = value_of(posted_ + 1);
      if (!me.writer->post(value, false) || over_ || me.dead) break;
      me.writer->was_posted();
      ++posted_;
      turns_.something_done();
    }
    if (over_ || me.dead) return;
    if (posted_ == options_.values) return end_writer(me);
    if (moves_of_writer_ >= options_.moves || !turns_.one_in(3)) return;
    auto* to = next_holder();
    if (to == nullptr) return;
    ++moves_of_writer_;
    ++given_;
    me.gives_writer = true;
    auto writer = std::exchange(me.writer, nullptr)->give_writer();
    detail::custody_of_end(writer.channel, true, writer.hop)->leaves_for(to->around->self);
    me.gives_writer = false;
    to->writers.push_back(std::move(writer));
    writer_over_ = writer_over_ || to->dead;
    turns_.something_done();
  } catch (const error& e) {
    if (over_ || me.dead) return;
    const bool is_right = e.kind() == error_kind::gone && (killed_ != 0 || (cancelled_ && dynamic_cast<const channel_cancelled*>(&e) != nullptr));
    if (!is_right) fail(std::string("CH-4, CH-5: to post throws ") + e.what());
    me.writer->post_failed(e);
    end_writer(me);
  }
}

void Canal::read(Process& me) {
  try {
    for (auto n = turns_.draw(12); n > 0 && !over_ && !me.dead; --n) {
      std::string value;
      if (!me.reader->take(value, turns_.now() + std::chrono::microseconds(turns_.draw(50))) || over_ || me.dead) break;
      turns_.something_done();
      if (value != value_of(++retrieved_)) fail("CH-1: value " + std::to_string(retrieved_) + " is " + value.substr(0, 8));
    }
    if (over_ || me.dead) return;
    if (options_.cancels && retrieved_ > cancel_at_) cancelled_ = true;
    if (me.reader->inlet().is_over()) me.reader->inlet().raise_broken_off();
    if (cancelled_) return end_reader(me);
    if (me.reader->inlet().is_over()) {
      if (killed_ == 0 && retrieved_ != options_.values) fail("CH-3: at its end " + std::to_string(retrieved_) + " have come");
      return end_reader(me);
    }
    if (moves_of_reader_ >= options_.moves || !turns_.one_in(3)) return;
    auto* to = next_holder();
    if (to == nullptr) return;
    ++moves_of_reader_;
    ++given_;
    me.gives_reader = true;
    auto reader = std::exchange(me.reader, nullptr)->give_reader();
    detail::custody_of_end(reader.channel, false, reader.hop)->leaves_for(to->around->self);
    me.gives_reader = false;
    to->readers.push_back(std::move(reader));
    reader_over_ = reader_over_ || to->dead;
    turns_.something_done();
  } catch (const error& e) {
    if (over_ || me.dead) return;
    if (e.kind() != error_kind::gone || killed_ == 0) fail(std::string("CH-5: to retrieve throws ") + e.what());
    end_reader(me);
  }
}

// --- ends ---

void Canal::kill_one() {
  auto& one = processes_[1 + turns_.draw(processes_.size() - 1)];
  if (one.dead) return;
  ++killed_;
  writer_over_ = writer_over_ || one.writer || one.gives_writer || !one.writers.empty();
  reader_over_ = reader_over_ || one.reader || one.gives_reader || !one.readers.empty();
  is_gone(one);
  turns_.park(one.number);
}

void Canal::is_gone(Process& one) {
  one.dead = true;
  machine_.crash(*one.around);
  for (auto& each : processes_)
    if (!each.dead && each.around->links.way_to(one.around->self.address) != nullptr) each.end_to_hear = true;
}

// No end is on its way: what takes it along would have told the agent whom it goes to.
bool Canal::leave(Process& me) {
  if (over_ || me.number == 0 || me.writer || me.reader || given_ != 0 || left_ == options_.leaves || !turns_.one_in(8)) return false;
  ++left_;
  me.leaves = true;
  const auto begun = turns_.now();
  me.endpoint->feature<detail::Edges>().ending();
  if (!over_ && turns_.now() - begun > a_while)
    fail("CH-7: a process that both ends have left waits " + std::to_string((turns_.now() - begun) / 1ms) + " ms at its end");
  if (!over_ && !me.dead) is_gone(me);
  return true;
}

// When both ends are, nothing is left of them after a while.
void Canal::check_over() {
  if (over_ || !writer_over_ || !reader_over_) return;
  const bool all_forgotten = std::all_of(processes_.begin(), processes_.end(),
                                         [](const auto& each) { return each.dead || each.endpoint->template feature<detail::Edges>().known() == 0; });
  if (killed_ != 0 || (all_forgotten && agent_->channels_known() == 0)) return end_all();
  if (over_since_ == road::Clock::time_point()) over_since_ = turns_.now();
  if (turns_.now() - over_since_ < a_while) return;
  std::string left;
  for (const auto& each : processes_) left += " " + std::to_string(each.endpoint->feature<detail::Edges>().known());
  fail("CH-7: both ends are gone, and these know of the channel:" + left + ", the agent " + std::to_string(agent_->channels_known()));
  end_all();
}

void Canal::end_all() {
  over_ = true;
  for (auto& each : processes_) {
    each.around->links.lose_agent();
    each.around->agent.close();
  }
  turns_.release_all();
}

}  // namespace octavo::schedule
