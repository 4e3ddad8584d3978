// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/slurm/node_list.hpp"

#include <charconv>
#include <cstdint>

#include "machine/registry/address_name.hpp"
#include "octavo/base/error.hpp"

namespace octavo::engine::slurm {

namespace {

constexpr std::size_t most_digits = 9;

class Reader {
 public:
  explicit Reader(std::string_view list) : list_(list) {}

  std::vector<std::string> all() {
    std::vector<std::string> nodes;
    while (!list_.substr(at_).empty()) {
      for (auto& node : name()) nodes.push_back(std::move(node));
      if (nodes.size() > most_nodes) wrong("it has more than " + std::to_string(most_nodes) + " nodes");
      if (at_ < list_.size()) take(',');
      if (at_ == list_.size() && list_.ends_with(',')) wrong("a name is missing at its end");
    }
    return nodes;
  }

 private:
  [[noreturn]] void wrong(const std::string& why) const {
    throw usage_error("'" + printable(list_) + "' is no list of Slurm's nodes: " + why, "SLURM_JOB_NODELIST is to be as Slurm has set it");
  }
  void take(char c) {
    if (at_ >= list_.size() || list_[at_] != c) wrong("a '" + std::string(1, c) + "' is missing at " + std::to_string(at_));
    ++at_;
  }

  // All that one name with brackets stands for.
  std::vector<std::string> name() {
    std::vector<std::string> made{""};
    const auto begin = at_;
    while (at_ < list_.size() && list_[at_] != ',') {
      const auto end = std::min(list_.find_first_of(",[]", at_), list_.size());
      const auto plain = list_.substr(at_, end - at_);
      for (auto& each : made) each += plain;
      at_ = end;
      if (at_ < list_.size() && list_[at_] == ']') wrong("a ']' has no '['");
      if (at_ < list_.size() && list_[at_] == '[') made = combined(made, bracket());
    }
    if (at_ == begin) wrong("a name is missing at " + std::to_string(at_));
    return made;
  }

  std::vector<std::string> combined(const std::vector<std::string>& heads, const std::vector<std::string>& tails) const {
    if (heads.size() * tails.size() > most_nodes) wrong("it has more than " + std::to_string(most_nodes) + " nodes");
    std::vector<std::string> made;
    for (const auto& head : heads)
      for (const auto& tail : tails) made.push_back(head + tail);
    return made;
  }

  std::vector<std::string> bracket() {
    std::vector<std::string> numbers;
    take('[');
    for (;;) {
      range(numbers);
      if (at_ < list_.size() && list_[at_] == ']') break;
      take(',');
    }
    take(']');
    return numbers;
  }

  void range(std::vector<std::string>& into) {
    const auto first = digits();
    auto last = first;
    if (at_ < list_.size() && list_[at_] == '-') {
      ++at_;
      last = digits();
    }
    const auto from = number(first), to = number(last);
    if (to < from) wrong("a range runs backwards");
    if (to - from >= most_nodes || into.size() + (to - from) > most_nodes) wrong("it has more than " + std::to_string(most_nodes) + " nodes");
    for (auto each = from; each <= to; ++each) {
      std::string text = std::to_string(each);
      if (text.size() < first.size()) text.insert(0, first.size() - text.size(), '0');
      into.push_back(std::move(text));
    }
  }

  std::string_view digits() {
    const auto end = std::min(list_.find_first_not_of("0123456789", at_), list_.size());
    const auto found = list_.substr(at_, end - at_);
    if (found.empty()) wrong("a number is missing at " + std::to_string(at_));
    if (found.size() > most_digits) wrong("a number is too long");
    at_ = end;
    return found;
  }
  static std::uint64_t number(std::string_view digits) {
    std::uint64_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
  }

  std::string_view list_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<std::string> nodes_of(std::string_view list) { return Reader(list).all(); }

}  // namespace octavo::engine::slurm
