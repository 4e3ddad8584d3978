// SPDX-License-Identifier: Apache-2.0
#include "octavo/stream/detail/joint/joint.hpp"

#include <array>
#include <cstdio>
#include <random>

#include "octavo/base/error.hpp"
#include "octavo/process/errors.hpp"
#include "process/endpoint.hpp"

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

[[noreturn]] void raise_broken(const JointWord& word, const std::string& which) {
  if (word.what == joint_word::cancelled) throw cancelled(which + " was cancelled, or left before its end", "Its own report says what it has done");
  throw gone_error(which + " has failed: " + word.text, "Look at the program that it runs in");
}

}  // namespace

// --- of the stream that ends in the mailbox ---

JointOut::JointOut(std::string box) : box_(std::move(box)), joint_(new_joint(box_)), offers_(box_), said_(joint_ + "/said"), heard_(joint_ + "/heard") {
  static_cast<void>(heard_.try_retrieve());  // it is read here before the other one says anything
  heard_edge_ = detail::known_mailbox(heard_.name());
  offers_.post({joint_, here()});
}

JointOut::~JointOut() { stop_reading(heard_.name()); }

void JointOut::say(joint_word what, std::uint64_t posted, const std::string& text) const { said_.post({what, posted, text, here()}); }

void JointOut::say_broken(std::uint64_t posted, const std::exception_ptr& why) noexcept {
  if (is_over_) return;
  try {
    is_over_ = true;
    say(is_cancelled(why) ? joint_word::cancelled : joint_word::failed, posted, text_of(why));
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
    throw process_died(*died);
  } else if (detail::known_mailbox(box_)->has_lost_reader()) {
    try {
      offers_.post({joint_, here()});
    } catch (const process_died&) {  // that was the death
      offers_.post({joint_, here()});
    }
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

bool JointIn::accept(std::chrono::milliseconds time) {
  auto offer = offers_.retrieve_for(time);
  if (!offer || obituary_of(offer->from)) return false;
  said_.emplace(offer->joint + "/said");
  heard_.emplace(offer->joint + "/heard");
  end_ = said_->try_retrieve();  // it is read here from now on: what is said is not lost with the process that says it
  offer_ = std::move(offer);
  is_taken_ = is_dead_ = false;
  tell({joint_word::began, 0, {}, here()});
  return true;
}

bool JointIn::is_over(std::uint64_t taken) {
  if (!end_) end_ = said_->try_retrieve();
  if (!end_) {
    const auto died = obituary_of(offer_->from);
    if (died && is_dead_) throw process_died(*died);
    is_dead_ = died.has_value();  // what it has posted may have come meanwhile
    return false;
  }
  if (end_->items > taken) return false;
  if (end_->what == joint_word::cancelled && taken == 0) {
    forget();
    return false;
  }
  tell({joint_word::taken, 0, {}, here()});
  is_taken_ = true;
  if (end_->what != joint_word::ended) raise_broken(*end_, "the stream that ends in mailbox '" + box_ + "'");
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
