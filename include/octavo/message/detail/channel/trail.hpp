// SPDX-License-Identifier: Apache-2.0
// The trail of a channel's reader: the processes that it has left, and where messages may lie that follow it. It carries them with it, and takes the end of
// one of them for a loss until that has said that all has left (flushed).
//
//   reader.behind = trail.leaves(true, self, hop);   // where it was
//   trail.arrives(reader.behind, home);         // where it is now
//   trail.remove(from);                         // from there nothing more comes
//
// The writer leaves such places, too: what it has posted there, by number. It carries them, the agent tells them to the reader, and the end of one is a
// loss while some of that has not come.
//
// Threading: its owner's lock.
#pragma once

#include <utility>
#include <vector>

#include "octavo/machine/left_behind.hpp"

namespace octavo::detail {

class Trail {
 public:
  static constexpr std::size_t most_ranges = 32;  // of places where the writer was, before those of one process become one
  // The reader has come here: none of its places is this one.
  void arrives(std::vector<Life> carried, const Address& home) {
    behind_ = std::move(carried);
    std::erase_if(behind_, [&](const Life& each) { return each.who == home; });
    owes_ = false;
    told_ = {};
  }
  // Gives what it carries. `owes`: it is to be told when nothing more follows from `self`. Those of before may still send here. `hop`: of the reader, then.
  [[nodiscard]] std::vector<Life> leaves(bool owes, const Life& self, std::uint64_t hop) {
    auto carried = behind_;
    hop_ = hop;
    owes_ = owes;
    told_ = {};
    if (owes) carried.push_back(self);
    return carried;
  }
  [[nodiscard]] const std::vector<Life>& behind() const noexcept { return behind_; }
  [[nodiscard]] bool owes() const noexcept { return owes_; }
  // What is answered to this hop of the reader was so before it came back here, and left again.
  [[nodiscard]] bool is_of_earlier(std::uint64_t hop) const noexcept { return hop < hop_; }
  [[nodiscard]] const std::vector<LeftBehind>& of_writer() const noexcept { return of_writer_; }
  void writer_was_at(std::vector<LeftBehind> places) { of_writer_ = std::move(places); }
  // The writer has come here; its last message had this number.
  void writer_arrives(std::vector<LeftBehind> carried, std::uint64_t last) {
    of_writer_ = std::move(carried);
    first_here_ = last + 1;
  }
  // The writer leaves `self`, where it has posted up to this number. Gives what it carries: of a process that it has left often, one range.
  [[nodiscard]] std::vector<LeftBehind> writer_leaves(const Life& self, std::uint64_t last);
  // Nothing comes from there any more.
  void remove(const Life& who) { std::erase(behind_, who); }
  // Where the reader was: this one may still send here, too.
  void add(const Life& who) {
    remove(who);
    behind_.push_back(who);
  }
  // All that was here has left for `reader`, and nothing more comes here. True: it is to be told now.
  [[nodiscard]] bool tells(const Life& reader) {
    if (!owes_ || !behind_.empty() || told_ == reader) return false;
    told_ = reader;
    return true;
  }
  void answered(const Life& reader) {
    if (told_ == reader) owes_ = false;
  }
  // It was told where it is not any more.
  void tell_again() { told_ = {}; }
  void is_over() {
    behind_.clear();
    of_writer_.clear();
    owes_ = false;
  }

 private:
  std::vector<Life> behind_;
  std::vector<LeftBehind> of_writer_;
  std::uint64_t first_here_ = 1;  // that the writer posted here
  bool owes_ = false;             // until the reader has answered
  Life told_;                     // it was told there
  std::uint64_t hop_ = 0;
};

}  // namespace octavo::detail
