// SPDX-License-Identifier: Apache-2.0
// What two streams that a mailbox joins (stream_box.hpp) say to each other, besides the items, which go through a mailbox of their own.
//
//   JointOut out("ov://home/images");        // offers a stream to whoever takes it
//   Mailbox<Image> items(out.items());
//   out.look();  items.post(image);          // throws what ended the other stream
//   out.say_end(1);  while (!out.is_taken(100ms)) {}
//
//   JointIn in("ov://home/images");
//   while (!in.accept(100ms)) {}
//   Mailbox<Image> items(in.items());        // until in.is_over(so many were taken)
//
// The first posts an Offer to the mailbox of the name, before its source is asked for anything; the two then have mailboxes that only they know. How many items
// were posted goes with the word of the end, so that it is none before they came.
// Threading: one at a time, but for JointIn::leave.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "octavo/message/mailbox.hpp"

namespace octavo::stream {

// coming: began follows, if its program is not killed before.
enum class joint_word : std::uint8_t { began, taken, ended, failed, cancelled, coming };

struct Offer {
  std::string joint;  // how the mailboxes of the two begin
  Life from;
  joint_word what = joint_word::began;  // coming; or how that stream ended before it was taken, as its program may be gone by then
  std::string text;
};

struct JointWord {
  joint_word what = joint_word::began;
  std::uint64_t items = 0;  // so many were posted before it
  std::string text;
  Life from;
};

// How long is waited before the other side's life, and this one's wish to go on, are looked at.
inline constexpr std::chrono::milliseconds joint_step{100};

class JointOut {
 public:
  explicit JointOut(std::string box);
  JointOut(const JointOut&) = delete;
  JointOut& operator=(const JointOut&) = delete;
  ~JointOut();

  [[nodiscard]] std::string items() const { return joint_ + "/items"; }
  // Throws what ended the other stream, if that has said so. Before each item.
  void look();
  // The same where it waits: throws process_died, or offers this stream again where the process that had the offer died before it began.
  void look_at_other();
  // So many were posted, and that is all.
  void say_end(std::uint64_t posted) { say(joint_word::ended, posted); }
  // The same, as this stream has failed, or was cancelled. Waits a moment for the other one to have heard of a failure.
  void say_broken(std::uint64_t posted, const std::exception_ptr& why) noexcept;
  // The other stream has all items. Waits, at most `time`; throws as look().
  [[nodiscard]] bool is_taken(std::chrono::milliseconds time);

 private:
  void offer(joint_word what) const;
  void offer_again();
  void say(joint_word what, std::uint64_t posted, const std::string& text = {}) const;
  void hear(const JointWord& word);
  void await_taken(std::chrono::milliseconds time);

  const std::string box_, joint_;
  const Mailbox<Offer> offers_;
  const Mailbox<JointWord> said_, heard_;
  std::shared_ptr<detail::EdgeBase> heard_edge_;
  std::optional<Life> other_;             // since it began
  bool taken_ = false, is_over_ = false;  // the other one has all items; or has ended without
  bool has_lost_reader_ = false;          // of the box, as was seen a step ago
};

class JointIn {
 public:
  explicit JointIn(std::string box);
  JointIn(const JointIn&) = delete;
  JointIn& operator=(const JointIn&) = delete;
  ~JointIn() { forget(); }

  // The next stream that ends in the mailbox. False: there was none in that time. Throws what ended one before it was taken, but if it was cancelled.
  [[nodiscard]] bool accept(std::chrono::milliseconds time);
  [[nodiscard]] bool is_joined() const noexcept { return offer_.has_value(); }
  [[nodiscard]] std::string items() const { return offer_->joint + "/items"; }
  // What the first stream says comes here.
  [[nodiscard]] const Mailbox<JointWord>& said() const { return *said_; }
  // True: so many items were all, and the first stream is told that they were taken. To be asked when no item lies there; throws what ended the first stream.
  // It is joined no more where that was cancelled before it gave anything.
  [[nodiscard]] bool is_over(std::uint64_t taken);
  // No more is wanted, and the first stream is told why.
  void leave(const std::exception_ptr& why) noexcept;

 private:
  [[nodiscard]] std::optional<Offer> next_offer(std::chrono::milliseconds time);
  void look_at_coming();
  void pass_over(const Offer& dead, const Obituary& died) const;
  void tell(const JointWord& word) noexcept;
  void forget() noexcept;

  [[nodiscard]] std::string which() const { return "the stream that ends in mailbox '" + box_ + "'"; }

  const std::string box_;
  const Mailbox<Offer> offers_;
  std::vector<Offer> coming_;
  std::optional<Offer> offer_;
  std::optional<Mailbox<JointWord>> said_, heard_;
  std::optional<JointWord> end_;
  bool is_taken_ = false;  // all items, as the first stream was told
  bool is_dead_ = false;   // the process of the first stream
};

}  // namespace octavo::stream
