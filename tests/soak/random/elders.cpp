// SPDX-License-Identifier: Apache-2.0
// Objects with names in groups: killed, put back to an earlier state, and in a new group whatever became of them before.
#include <csignal>
#include <functional>

#include "random/strand.hpp"

namespace soak {

class Elder {
 public:
  explicit Elder(std::uint64_t key = 0) : key_(key) {}
  // The sum of all keys, as the last member knows it after a scan and all by all_reduce.
  [[nodiscard]] std::uint64_t sum() const {
    const auto me = ov::self<Elder>();
    const auto before = me.exclusive_scan(key_, 0, std::plus<>());
    const auto all = me.all_reduce(key_, std::plus<>());
    expect("who is last", me.all_gather(before + key_).back(), all);
    return all;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(key_);
  }

 private:
  std::uint64_t key_;
};
OCTAVO_REMOTE(Elder, sum)

// What was killed may be in the midst of a collective, or of joining; then there is another group.
void Strand::elders() {
  constexpr std::uint64_t count = 3, most_tries = 100;
  const auto name_of = [&](std::uint64_t i) { return "elder/" + std::to_string(number_) + "/" + std::to_string(i); };
  if (elders_.empty())
    for (std::uint64_t i = 0; i < count; ++i) elders_.push_back(ov::named(name_of(i)).restart_when_called(1'000'000).make<Elder>(mix(i)));
  const ov::group<Elder> before(elders_);
  auto under_way = ov::start(before)->sum();
  const auto who = below(count);
  const auto what = below(3);
  if (what == 1) world_.runtime.kill(elders_[who].address(), SIGKILL);
  if (what == 2) ov::save(elders_[who]), ov::restore_previous(name_of(who));
  for (std::uint64_t tries = 0;; ++tries) {
    try {
      const auto sums = tries == 0 ? under_way.get() : ov::group<Elder>(elders_)->sum();
      for (auto sum : sums) expect("what elders gave", sum, mix(0) + mix(1) + mix(2));
      if (tries != 0) return;
    } catch (const ov::error& e) {
      const bool in_no_group = tries == 0 && e.kind() == ov::error_kind::usage;  // one that came back before the call
      if (what == 0 || tries == most_tries || (e.kind() != ov::error_kind::gone && !in_no_group)) throw;
    }
  }
}

void Strand::end_elders() {
  for (auto& each : elders_) ov::destroy(each);
}

}  // namespace soak
