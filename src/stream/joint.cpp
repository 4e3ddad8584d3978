// SPDX-License-Identifier: Apache-2.0
#include "octavo/stream/detail/joint/joint.hpp"

#include <array>
#include <cstdio>
#include <random>
#include <utility>
#include <vector>

#include "octavo/base/error.hpp"
#include "octavo/process/errors.hpp"
#include "process/endpoint.hpp"
#include "process/errors/loss.hpp"

namespace octavo::stream {

namespace {

// Of a stream that has failed: for the other one to have heard of it.
constexpr std::chrono::milliseconds patience_with_other{500};

Life here() {
  const auto& self = detail::Endpoint::require().around().self;
  return {self.address, self.pid};
}

std::optional<Obituary> obituary_of(const Life& who) { return detail::Endpoint::require().around().links.obituary_of(who); }

// Of all programs; a process that was forked has no name of its parent's.
std::string new_joint(const std::string& box) {
  std::random_device random;
  std::array<char, 20> text{};
  std::snprintf(text.data(), text.size(), "/%08x%08x", random(), random());
  return box + text.data();
}

std::string text_of(const std::exception_ptr& why) {
  try {
    if (why) std::rethrow_exception(why);
    return "it was left";
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "something that is no std::exception was thrown";
  }
}

bool is_cancelled(const std::exception_ptr& why) {
  try {
    if (why) std::rethrow_exception(why);
  } catch (const cancelled&) {
  } catch (...) {
    return false;
  }
  return true;
}

// Of a mailbox that is not used any more; what lies there unread is dropped.
void stop_reading(const std::string& mailbox) noexcept {
  const auto edge = detail::known_mailbox(mailbox);
  if (edge == nullptr) return;
  edge->stop_reading();
  edge->inlet().drop_all();
}

bool has_lost_reader(const std::string& mailbox) {
  const auto edge = detail::known_mailbox(mailbox);
  return edge != nullptr && edge->has_lost_reader();
}

template <class Word>
[[noreturn]] void raise_broken(const Word& word, const std::string& which) {
  if (word.what == joint_word::cancelled) throw cancelled(which + " was cancelled, or left before its end", "Its own report says what it has done");
  throw gone_error(which + " has failed: " + word.text, "Look at the program that it runs in");
}

}  // namespace

// --- of the stream that ends in the mailbox ---

// Its agent answers in order: when it has said that `heard` is read here, it has also said who reads the box, if anybody does. What is posted then waits for
// another thread that is just sending what was posted before. So when this returns the reader has it, and is told, though this program be killed then.
JointOut::JointOut(std::string box) : box_(std::move(box)), joint_(new_joint(box_)), offers_(box_), said_(joint_ + "/said"), heard_(joint_ + "/heard") {
  offer(joint_word::coming);
  static_cast<void>(heard_.try_retrieve());  // it is read here before the other one says anything
  heard_edge_ = detail::known_mailbox(heard_.name());
  detail::known_mailbox(box_)->look_around();
  offer(joint_word::began);
}

JointOut::~JointOut() { stop_reading(heard_.name()); }

// The death of a reader that had an earlier stream is not this one's.
void JointOut::offer(joint_word what) const {
  const Offer made{joint_, here(), what, {}};
  try {
    offers_.post(made);
  } catch (const process_died&) {
    offers_.post(made);
  }
}

void JointOut::say(joint_word what, std::uint64_t posted, const std::string& text) const { said_.post({what, posted, text, here()}); }

void JointOut::say_broken(std::uint64_t posted, const std::exception_ptr& why) noexcept {
  if (is_over_) return;
  try {
    is_over_ = true;
    const auto what = is_cancelled(why) ? joint_word::cancelled : joint_word::failed;
    say(what, posted, text_of(why));
    if (Offer over{joint_, here(), what, text_of(why)}; !other_) static_cast<void>(offers_.try_post(over));
    if (!is_cancelled(why)) await_taken(patience_with_other);
  } catch (const std::exception&) {  // there is no other one any more
  }
}

void JointOut::hear(const JointWord& word) {
  if (word.what == joint_word::began) other_ = word.from;
  else if (word.what == joint_word::taken) taken_ = true;
  else is_over_ = true;
  if (is_over_) raise_broken(word, "the stream that begins in mailbox '" + box_ + "'");
}

void JointOut::look() {
  detail::read_now();
  if (!heard_edge_->holds_something()) return;
  while (const auto word = heard_.try_retrieve()) hear(*word);
}

void JointOut::look_at_other() {
  if (other_) {
    const auto died = taken_ ? std::nullopt : obituary_of(*other_);
    if (!died) return;
    look();  // it may have said why
    is_over_ = true;
    detail::raise_loss(*died);
  } else if (std::exchange(has_lost_reader_, has_lost_reader(box_)) && has_lost_reader_) {
    offer_again();
  }
}

// A step after the reader was seen to be dead: by then all that it said has come, and each mailbox that it read knows. If it had begun to take the stream,
// something of that may be gone with it.
void JointOut::offer_again() {
  look();
  if (other_) return;
  const bool had_some = has_lost_reader(items()) || has_lost_reader(said_.name());
  has_lost_reader_ = false;
  const Offer made{joint_, here(), joint_word::began, {}};
  try {
    offers_.post(made);
  } catch (const process_died&) {
    is_over_ = had_some;
    if (had_some) throw;
    offers_.post(made);
  }
}

// Its program may end now, and what nobody has begun to read would end with it.
void JointOut::await_taken(std::chrono::milliseconds time) {
  for (const auto deadline = std::chrono::steady_clock::now() + time; !taken_ && std::chrono::steady_clock::now() < deadline;)
    static_cast<void>(is_taken(joint_step));
}

bool JointOut::is_taken(std::chrono::milliseconds time) {
  if (const auto word = taken_ ? std::nullopt : heard_.retrieve_for(time)) hear(*word);
  if (!taken_) look_at_other();
  return taken_;
}

// --- of the stream that begins there ---

JointIn::JointIn(std::string box) : box_(std::move(box)), offers_(box_) {}

std::optional<Offer> JointIn::next_offer(std::chrono::milliseconds time) {
  for (auto offer = offers_.retrieve_for(time); offer; offer = offers_.try_retrieve()) {
    if (offer->what == joint_word::coming) coming_.push_back(*offer);
    if (offer->what != joint_word::began) continue;  // the others are of one that was taken
    std::erase_if(coming_, [&](const Offer& each) { return each.joint == offer->joint; });
    const auto died = obituary_of(offer->from);
    if (!died) return offer;
    pass_over(*offer, *died);
  }
  look_at_coming();
  return std::nullopt;
}

void JointIn::look_at_coming() {
  for (auto each = coming_.begin(); each != coming_.end();) {
    const auto died = obituary_of(each->from);
    if (!died) {
      ++each;
      continue;
    }
    const Offer dead = std::move(*each);
    each = coming_.erase(each);
    pass_over(dead, *died);
  }
}

// Nobody can have its items any more. Its death may be known before all is read that it had sent: that comes within a step. Throws what ended the stream, but
// if it was cancelled.
void JointIn::pass_over(const Offer& dead, const Obituary& died) const {
  std::optional<Offer> end;
  std::vector<Offer> others;
  while (auto more = offers_.retrieve_for(joint_step)) {
    if (more->joint != dead.joint) others.push_back(std::move(*more));
    else if (more->what == joint_word::failed || more->what == joint_word::cancelled) end = std::move(more);
  }
  for (auto& each : others) static_cast<void>(offers_.try_post(each));
  if (!end) detail::raise_loss(died);
  if (end->what != joint_word::cancelled) raise_broken(*end, which());
}

bool JointIn::accept(std::chrono::milliseconds time) {
  auto offer = next_offer(time);
  if (!offer) return false;
  said_.emplace(offer->joint + "/said");
  heard_.emplace(offer->joint + "/heard");
  end_ = said_->try_retrieve();  // it is read here from now on: what is said is not lost with the process that says it
  offer_ = std::move(offer);
  is_taken_ = is_dead_ = false;
  tell({joint_word::began, 0, {}, here()});
  return true;
}

bool JointIn::is_over(std::uint64_t taken) {
  while (auto word = said_->try_retrieve()) end_ = std::move(word);  // one that has ended may be cancelled before it is taken
  if (!end_) {
    const auto died = obituary_of(offer_->from);
    if (!died || !std::exchange(is_dead_, true)) return false;  // what it has posted may have come meanwhile
    pass_over(*offer_, *died);
    if (taken != 0) raise_broken(JointWord{joint_word::cancelled, taken, {}, {}}, which());
    forget();
    return false;
  }
  if (end_->items > taken) return false;
  if (end_->what == joint_word::cancelled && taken == 0) {
    forget();
    return false;
  }
  tell({joint_word::taken, 0, {}, here()});
  is_taken_ = true;
  if (end_->what != joint_word::ended) raise_broken(*end_, which());
  return true;
}

void JointIn::leave(const std::exception_ptr& why) noexcept {
  if (offer_ && !is_taken_) tell({is_cancelled(why) ? joint_word::cancelled : joint_word::failed, 0, text_of(why), here()});
}

// A first stream whose program has ended needs no word: what it said before counts, and is_over() finds out whether it said all.
void JointIn::tell(const JointWord& word) noexcept {
  try {
    heard_->post(word);
  } catch (const std::exception&) {}
}

void JointIn::forget() noexcept {
  if (!offer_) return;
  stop_reading(items());
  stop_reading(said_->name());
  offer_.reset();
}

}  // namespace octavo::stream
