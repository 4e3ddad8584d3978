// SPDX-License-Identifier: Apache-2.0
// What was posted, taken, refused and thrown in a town, and what of that MB-1 to MB-4 rule out.
//
//   Ledger ledger([&](const std::string& what) { ... });
//   auto text = ledger.begin_post(3, "ov://home/a");     // by process 3; then posted(), or threw()
//   ledger.taken(5, "ov://home/a", text);
//   ledger.check_rest();                                  // all is quiet: what was to come has come
//
// Threading: one. Failure: none; what is wrong is told.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace octavo::schedule {

class Ledger {
 public:
  using Process = std::size_t;
  using Fail = std::function<void(const std::string& what)>;
  explicit Ledger(Fail fail) : fail_(std::move(fail)) {}

  void begins(Process who, std::size_t program) { lives_[who].program = program; }
  std::string begin_post(Process by, const std::string& box);
  void posted(Process by, const std::string& box);
  // It threw that this reader is gone; nothing: that its mailbox is full.
  void threw(Process by, const std::string& box, std::optional<Process> gone);
  // ... that it is lost, and not which.
  void threw_gone(Process by, const std::string& box);
  void taken(Process by, const std::string& box, const std::string& text);

  void asks(Process who, const std::string& box);
  void reads(Process who, const std::string& box);
  void refused(Process who, const std::string& box);

  // It ends of itself, and hands over what it has posted; it has, unless it is killed meanwhile.
  void ends(Process who);
  void has_ended(Process who) { lives_[who].ended = true; }
  void is_over(Process who) { lives_[who].over = true; }
  // The lasting agent knows that.
  void is_known_to_be_over(Process who) { lives_[who].settled = ++now_; }
  [[nodiscard]] bool over(Process who) { return lives_[who].over; }
  [[nodiscard]] bool has_posted(Process who, const std::string& box) const { return lines_.contains({who, box}); }
  // Processes of these two programs, by way of the lasting agent: they are lost to each other when that is killed (MB-5).
  void are_connected(std::size_t one, std::size_t other);
  void lasting_agent_is_killed();
  [[nodiscard]] bool may_be_lost_to_a_reader(Process who, const std::string& box) const;
  void check_rest();

 private:
  static constexpr std::uint64_t not_yet = ~std::uint64_t{0};
  enum class fate : std::uint8_t { under_way, posted, threw };
  struct Message {
    fate what = fate::under_way;
    bool taken = false;
  };
  // Of one poster, in one box.
  struct Line {
    std::vector<Message> messages;
    std::size_t last_taken = 0, since_error = 0;  // how many came before
    std::set<Process> heard_of;                   // readers that it was told are gone
    std::optional<Process> heir;                  // it ended, and this process read then
  };
  struct Life {
    std::size_t program = 0;
    bool over = false, ended = false;
    std::uint64_t settled = not_yet;
    std::map<std::string, std::uint64_t> asked, began;  // to read: when
  };
  [[nodiscard]] bool are_lost(Process one, Process other) const { return lost_.contains({lives_.at(one).program, lives_.at(other).program}); }
  [[nodiscard]] bool was_read(const std::string& box) const;
  [[nodiscard]] bool knows_all_ends(const Line& line, const std::string& box) const;
  [[nodiscard]] std::optional<Process> reader_of(const std::string& box, Process other_than);
  void fail(const std::string& what, Process who, const std::string& box) { fail_(what + ": process " + std::to_string(who) + ", " + box); }

  const Fail fail_;
  std::uint64_t now_ = 0;
  std::map<std::pair<Process, std::string>, Line> lines_;
  std::map<Process, Life> lives_;
  bool agent_was_killed_ = false;
  std::set<std::pair<std::size_t, std::size_t>> connected_, lost_;  // programs
};

}  // namespace octavo::schedule
