// SPDX-License-Identifier: Apache-2.0
#include "octavo/message/detail/box.hpp"

#include "base/delay_point.hpp"
#include "message/office.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"
#include "octavo/process/errors.hpp"

namespace octavo::detail {

BoxBase::BoxBase(std::string name, std::string type, MailboxBound bound) : name_(std::move(name)), type_(std::move(type)), id_(hash_of(name_)), bound_(bound) {}

std::shared_ptr<BoxBase> find_box(const std::string& name, std::string_view type, const std::function<std::shared_ptr<BoxBase>()>& make) {
  if (name.empty()) throw usage_error("a mailbox without a name was used", "Give it one: octavo::Mailbox<T> box(\"name\")");
  auto office = std::static_pointer_cast<Office>(post_office([] { return std::make_shared<Office>(); }));
  return office->find(name, type, make);
}

// --- who reads it ---

void BoxBase::become_reader() {
  own_mailbox(name_, type_);
  delay_point("mailbox: about to be read here");
  std::lock_guard lock(mutex_);
  owner_ = {};
  state_.store(state::mine, std::memory_order_release);
}

bool BoxBase::lands() {
  std::lock_guard lock(mutex_);
  return place_ != nullptr && place_->thread == std::this_thread::get_id() && !place_->taken && arrivals_.size() == 0;
}

// What lands() has promised, on the same thread.
void BoxBase::land(wire::Message& message, const Address& from) {
  Place* place = nullptr;
  {
    std::lock_guard lock(mutex_);
    place = place_;
  }
  place->taken = true;
  try {
    place->decode(message, from);
  } catch (const gone_error&) {  // its poster died meanwhile: half a message is none
    place->taken = false;
  } catch (...) {
    place->error = std::current_exception();
  }
}

void BoxBase::arrived(wire::Message message, const Address& from) {
  if (message.coming) return land(message, from);
  {
    std::lock_guard lock(mutex_);
    arrivals_.push({std::move(message), from});
    arrivals_left_.store(arrivals_.size(), std::memory_order_release);
  }
  wake_waiters();
}

std::optional<BoxBase::Arrival> BoxBase::take_first_arrival() {
  std::lock_guard lock(mutex_);
  if (arrivals_.size() == 0) return std::nullopt;
  Arrival first = arrivals_.pop();
  arrivals_left_.store(arrivals_.size(), std::memory_order_release);
  return first;
}

// Its poster hears of it a quarter of his bound at a time, or of the reader's.
void BoxBase::count_taken(const Address& from, std::size_t bytes, bool asked) {
  Owed taken;
  {
    std::lock_guard lock(mutex_);
    if (last_owed_ == nullptr || last_owed_->first != from) last_owed_ = &*owed_.try_emplace(from).first;
    auto& owed = last_owed_->second;
    ++owed.messages;
    owed.bytes += bytes;
    if (!asked && !is_a_quarter(owed)) return;
    taken = std::exchange(owed, {});
  }
  wire::SmallFrame frame;
  frame.kind = wire::frame_kind::taken;
  frame.method = id_;
  frame.call = taken.messages;
  frame.root = taken.bytes;
  try {
    post_soon(from, frame);
  } catch (const error&) {  // the poster is dead: nobody waits for this
  } catch (const std::exception& e) {
    log_line(std::string("telling a poster that its messages were taken: ") + e.what());
  }
}

void BoxBase::raise_undecoded(const Address& from, const error& why) const {
  throw io_error("a message in mailbox '" + name_ + "' from process " + std::to_string(from.object) + " is no " + type_ + ": " + why.what(),
                 "Build both programs from the same source");
}

// --- who posts to it ---

void BoxBase::posted_here() {
  delay_point("mailbox: posted, about to look where it is read");
  switch (where()) {
    case state::mine: return wake_waiters();
    case state::unknown: return ask();
    case state::asked: return;
    case state::found:
    case state::theirs: return forward();  // since we looked
  }
}

void BoxBase::ask() {
  Address lost;
  {
    std::lock_guard lock(mutex_);
    if (where() != state::unknown) return;
    state_.store(state::asked, std::memory_order_release);
    lost = lost_;
  }
  try {
    auto office = post_office([] { return std::make_shared<Office>(); });
    find_mailbox(name_, type_, lost, [this, office](const Address& owner, const std::exception_ptr& error) { found(owner, error); });
  } catch (...) {
    goes_from(state::asked, state::unknown);
    throw;
  }
}

// By the thread that hears the agent.
void BoxBase::found(const Address& owner, const std::exception_ptr& error) {
  delay_point("mailbox: its reader was found");
  std::lock_guard lock(mutex_);
  if (where() != state::asked) return;  // we read it ourselves
  owner_ = owner;
  if (!error) return;
  error_ = error;
  failed_.store(true, std::memory_order_release);
  state_.store(state::unknown, std::memory_order_release);
}

void BoxBase::look_around() {
  Address owner;
  {
    std::lock_guard lock(mutex_);
    owner = owner_;
  }
  if (where() == state::asked && owner) forward();
  if (where() != state::theirs) return;
  try {
    check_alive(owner);
  } catch (const process_died&) {
    lose(owner);
    keep_error(std::current_exception());
  } catch (const error&) {  // those who wait see themselves that the agent is gone
  }
  wake_waiters();
}

// What was posted before he was found goes first; then he is known to all. Who posts meanwhile forwards it himself, so that what he posts next comes after it.
void BoxBase::forward() {
  delay_point("mailbox: about to be forwarded");
  std::lock_guard forwarding(forwarding_);
  {
    std::lock_guard lock(mutex_);
    if (where() == state::asked && owner_) state_.store(state::found, std::memory_order_release);
  }
  while (is_elsewhere() && !ring_is_empty()) {
    try {
      if (!forward_one()) std::this_thread::yield();  // another thread is just posting it
    } catch (const gone_error&) {
      keep_error(std::current_exception());
    } catch (const std::exception& e) {  // the message cannot be sent; those behind it can
      log_line("a message that waited for the reader of mailbox '" + name_ + "' is lost: " + e.what());
    }
  }
  delay_point("mailbox: was forwarded");
  goes_from(state::found, state::theirs);
  if (!ring_is_empty()) ask_for_rest();
}

// The reader died before all was forwarded: the rest is the next reader's.
void BoxBase::ask_for_rest() {
  try {
    ask_again();
  } catch (const error&) {
    keep_error(std::current_exception());
  }
}

bool BoxBase::is_elsewhere() const noexcept { return where() == state::found || where() == state::theirs; }

void BoxBase::goes_from(state before, state now) {
  std::lock_guard lock(mutex_);
  if (where() == before) state_.store(now, std::memory_order_release);
}

// For the next who posts.
void BoxBase::keep_error(std::exception_ptr error) {
  std::lock_guard lock(mutex_);
  error_ = std::move(error);
  failed_.store(true, std::memory_order_release);
}

void BoxBase::lose(const Address& owner) {
  std::lock_guard lock(mutex_);
  if (owner_ != owner) return;
  lost_ = std::exchange(owner_, {});
  under_way_ = {};
  state_.store(state::unknown, std::memory_order_release);
}

void BoxBase::raise_failed() {
  std::exception_ptr error;
  {
    std::lock_guard lock(mutex_);
    failed_.store(false, std::memory_order_release);
    error = std::exchange(error_, nullptr);
  }
  if (!error) return;
  try {
    std::rethrow_exception(error);
  } catch (octavo::error& e) {
    e.add_context("posting to mailbox '" + name_ + "'");
    throw;
  }
}

bool BoxBase::wait_to_land(Place& place, const Glance& here, std::chrono::steady_clock::time_point deadline) {
  {
    std::lock_guard lock(mutex_);
    if (place_ == nullptr) place_ = &place;  // of several who wait, the first
  }
  struct Leave {
    BoxBase& box;
    Place& place;
    ~Leave() {
      std::lock_guard lock(box.mutex_);
      if (box.place_ == &place) box.place_ = nullptr;
    }
  } leave{*this, place};
  bool came = wait([&] { return place.taken || here(); }, deadline);
  if (place.error) std::rethrow_exception(place.error);
  return came;
}

bool BoxBase::wait(const std::function<bool()>& done, std::chrono::steady_clock::time_point deadline) {
  const bool is_done = wait_until([&] { return done() || agent_is_gone(); }, deadline);
  if (agent_is_gone()) throw gone_error("waiting at mailbox '" + name_ + "': the agent of this program is gone");
  return is_done;
}

bool BoxBase::take_credit(std::uint64_t bytes, room how, Address& owner, std::uint8_t& flags) {
  std::lock_guard lock(mutex_);
  if (!owner_) return false;
  const bool full = under_way_.messages >= bound_.messages || (under_way_.messages != 0 && under_way_.bytes + bytes > bound_.bytes);
  if (full && how != room::beyond) return false;
  ++under_way_.messages;
  under_way_.bytes += bytes;
  ++unasked_.messages;
  unasked_.bytes += bytes;
  if (is_a_quarter(unasked_)) {
    unasked_ = {};
    flags = 1;
  }
  owner = owner_;
  return true;
}

// Looks once where `how` does not wait. The reader says over the connection with him how much he took: once it is lost, nothing comes any more.
bool BoxBase::await_credit(std::uint64_t bytes, room how, Address& owner, std::uint8_t& flags) {
  Address reader;
  {
    std::lock_guard lock(mutex_);
    reader = owner_;
  }
  CutOff cut_off(reader);
  bool may = false;
  auto settled = [&] { return where() != state::theirs || may || (may = take_credit(bytes, how, owner, flags)) || cut_off.look(); };
  if (how == room::wait) wait(settled, forever());
  else settled();
  if (may || where() != state::theirs || !cut_off.look()) return may;
  try {
    cut_off.raise();
  } catch (octavo::error& e) {
    lose(reader);
    wake_waiters();
    e.add_context("posting to mailbox '" + name_ + "'");
    throw;
  }
}

// Of what was not posted after all.
void BoxBase::give_back_credit(std::uint64_t bytes, std::uint8_t flags) {
  if (flags != 0) {
    std::lock_guard lock(mutex_);
    unasked_.messages = bound_.messages;  // the next one asks
  }
  were_taken(1, bytes);
}

void BoxBase::were_taken(std::uint64_t messages, std::uint64_t bytes) {
  {
    std::lock_guard lock(mutex_);
    under_way_.messages -= std::min(under_way_.messages, messages);
    under_way_.bytes -= std::min(under_way_.bytes, bytes);
  }
  wake_waiters();
}

namespace {
void ask_for_receipt(wire::SmallFrame& frame, std::uint8_t flags) { frame.flags = flags; }
void ask_for_receipt(wire::Outgoing& frame, std::uint8_t flags) { frame.header.flags = flags; }
}  // namespace

template <class Frame>
bool BoxBase::send_within(Frame& frame, std::uint64_t bytes, room how) {
  Address to;
  std::uint8_t flags = 0;
  const bool may = take_credit(bytes, how, to, flags) || (how != room::beyond && await_credit(bytes, how, to, flags));
  delay_point("mailbox: may send");
  if (!may) return false;
  ask_for_receipt(frame, flags);
  try {
    if (how == room::beyond) post_soon(to, frame);
    else post(to, frame);
  } catch (octavo::error& e) {
    if (e.kind() == error_kind::gone) {
      lose(to);
      wake_waiters();
    } else {
      give_back_credit(bytes, flags);
    }
    e.add_context("posting to mailbox '" + name_ + "'");
    throw;
  } catch (...) {
    give_back_credit(bytes, flags);
    throw;
  }
  return true;
}

bool BoxBase::send(wire::SmallFrame& frame, room how) {
  frame.kind = wire::frame_kind::post;
  frame.method = id_;
  return send_within(frame, frame.size, how);
}

bool BoxBase::send(wire::Outgoing& frame, room how) {
  frame.header.kind = wire::frame_kind::post;
  frame.header.method = id_;
  std::uint64_t bytes = frame.body.size();
  for (auto part : frame.bulk) bytes += part.size();
  return send_within(frame, bytes, how);
}

}  // namespace octavo::detail
