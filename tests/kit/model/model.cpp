// SPDX-License-Identifier: Apache-2.0
#include "kit/model/model.hpp"

#include <stdexcept>

namespace octavo::kit::model {

template <class Memory>
int Model<Memory>::new_place(Value value) {
  if (places_++ == most_places) throw std::length_error("model: most_places");
  return first_.memory.new_place(value);
}

template <class Memory>
int Model<Memory>::new_plain(Value value) {
  if (plains_++ == most_plain) throw std::length_error("model: most_plain");
  return first_.memory.new_plain(value);
}

template <class Memory>
void Model<Memory>::fail(const char* complaint) {
  complaint_ = complaint;
  pause();
}

template <class Memory>
void Model<Memory>::remember(Value value) {
  auto& mine = state_->threads[thread_];
  if (mine.count == most_seen) fail("the model remembers too little of a piece of work (most_seen)");
  mine.seen[mine.count++] = value;
  ++cursor_;
}

// The thread comes to a step: one it has done before, or the one it is chosen for, or the next, before which it stops.
template <class Memory>
template <class Do>
Value Model<Memory>::take_step(Access access, const Do& act) {
  access.before = before_;
  access.place_before = place_before_;
  access.thread = thread_;
  before_ = access.what;
  place_before_ = access.place;
  const auto& mine = state_->threads[thread_];
  if (cursor_ < mine.count) return mine.seen[cursor_++];
  if (stepped_) pause();
  stepped_ = true;
  if (fault) fault(access);
  Given given{.value = access.gives_instead};
  if (!access.left_out) given = act(access);
  options_ = given.options;
  describe(access, given.value);
  if (given.complaint != nullptr) fail(given.complaint);
  remember(given.value);
  return given.value;
}

template <class Memory>
Value Model<Memory>::load(int place, std::memory_order order) {
  return take_step({.what = step::load, .place = place, .value = 0, .order = order},
                   [&](const Access& how) { return state_->memory.load(thread_, place, how.order, choice_); });
}

template <class Memory>
void Model<Memory>::store(int place, std::memory_order order, Value value) {
  take_step({.what = step::store, .place = place, .value = value, .order = order},
            [&](const Access& how) { return state_->memory.store(thread_, place, how.order, value); });
}

template <class Memory>
Value Model<Memory>::exchange(int place, std::memory_order order, Value value) {
  return take_step({.what = step::exchange, .place = place, .value = value, .order = order},
                   [&](const Access& how) { return state_->memory.change(thread_, place, how.order, [&](Value) { return value; }); });
}

template <class Memory>
Value Model<Memory>::add(int place, std::memory_order order, Value value) {
  return take_step({.what = step::exchange, .place = place, .value = value, .order = order}, [&](const Access& how) {
    return state_->memory.change(thread_, place, how.order, [&](Value was) { return static_cast<Value>(was + value); });
  });
}

template <class Memory>
bool Model<Memory>::exchange_if(int place, Value& expected, Value value) {
  const Value was = take_step({.what = step::exchange, .place = place, .value = value},
                              [&](const Access&) { return state_->memory.exchange_if(thread_, place, expected, value, choice_); });
  const bool done = was == expected;
  expected = was;
  return done;
}

template <class Memory>
void Model<Memory>::barrier() {
  take_step({.what = step::barrier}, [&](const Access&) {
    state_->memory.barrier();
    return Given{};
  });
}

template <class Memory>
void Model<Memory>::wait() noexcept {
  auto& from = waits_from_[place_before_];
  auto& mine = state_->threads[thread_];
  if (from == 0) from = cursor_;
  for (int i = from; i < mine.count && cursor_ > from; ++i) mine.seen[i] = 0;
  if (cursor_ > from) mine.count = static_cast<std::uint8_t>(cursor_ = from);
}

template <class Memory>
template <class Do>
Value Model<Memory>::take_plain(const Do& act) {
  const auto& mine = state_->threads[thread_];
  if (cursor_ < mine.count) return mine.seen[cursor_++];
  const Given given = act();
  if (given.complaint != nullptr) fail(given.complaint);
  remember(given.value);
  return given.value;
}

template <class Memory>
Value Model<Memory>::read_plain(int plain) {
  return take_plain([&] {
    Given given = state_->memory.read_plain(thread_, plain);
    Access access{.what = step::read_plain, .place = plain};
    if (fault) fault(access);
    if (access.left_out) given.value = access.gives_instead;
    return given;
  });
}

template <class Memory>
void Model<Memory>::write_plain(int plain, Value value) {
  take_plain([&] { return state_->memory.write_plain(thread_, plain, value); });
}

template <class Memory>
void Model<Memory>::ring() {
  take_step({.what = step::other, .value = 1}, [&](const Access&) {
    state_->rung = (1U << most_threads) - 1;
    state_->memory.rings(thread_);
    return Given{};
  });
}

template <class Memory>
void Model<Memory>::sleep() {
  take_step({.what = step::other, .value = 2}, [&](const Access&) {
    blocked_ = (state_->rung >> thread_ & 1) == 0;
    if (blocked_) pause();
    state_->rung = static_cast<std::uint8_t>(state_->rung & ~(1U << thread_));
    state_->memory.hears(thread_);
    return Given{};
  });
}

// The thread takes one step in `state`, and what it does before the next one.
template <class Memory>
typename Model<Memory>::ran Model<Memory>::run(State& state, int thread, int choice) {
  state_ = &state;
  thread_ = thread;
  choice_ = choice;
  options_ = 1;
  cursor_ = 0;
  stepped_ = blocked_ = false;
  complaint_ = nullptr;
  before_ = step::none;
  place_before_ = -1;
  waits_from_ = {};
  if (setjmp(out_) == 0) {  // NOLINT(cert-err52-cpp): the code that is tested throws nothing, and could not
    const int next = (*work_)[thread_](state_->threads[thread_].at);
    state_->threads[thread_] = {.at = static_cast<std::uint8_t>(next)};
  }
  if (complaint_ != nullptr) return ran::broke;
  return blocked_ ? ran::blocked : ran::stepped;
}

template <class Memory>
void Model<Memory>::describe(const Access& access, Value gave) {
  if (tell_ == nullptr) return;
  static constexpr const char* words[] = {"", "reads", "writes", "exchanges", "has a barrier", "rings or sleeps", ""};
  *tell_ += "\n  thread " + std::to_string(thread_ + 1) + " " + words[static_cast<int>(access.what)];
  if (access.place >= 0) {
    *tell_ += " " + (access.place < static_cast<int>(names.size()) ? names[access.place] : "place " + std::to_string(access.place));
    if (access.what != step::load) *tell_ += ", new " + std::to_string(access.value);
    if (access.what != step::store) *tell_ += ", was " + std::to_string(gave);
  }
  if (access.left_out) *tell_ += " (left out)";
}

template class Model<TsoMemory>;
template class Model<CppMemory>;

}  // namespace octavo::kit::model
