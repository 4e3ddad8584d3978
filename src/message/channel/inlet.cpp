// SPDX-License-Identifier: Apache-2.0
#include "octavo/message/detail/channel/inlet.hpp"

#include "octavo/base/log.hpp"
#include "process/endpoint.hpp"

namespace octavo::detail {

bool Inlet::receives_in_place(std::uint64_t number) {
  std::lock_guard lock(mutex_);
  if (numbered_ && number != next_number_) return false;
  return receive_ != nullptr && receive_->thread == std::this_thread::get_id() && !receive_->taken && arrivals_.empty();
}

// receives_in_place() was true on this thread just now, so receive_ was set by this thread, and no other thread changes it.
void Inlet::receive_in_place(wire::Message& message, const Life& from) {
  auto* receive = receive_;
  receive->taken = true;
  try {
    receive->decode(message, from);
    if (numbered_) took(message.header.call);
  } catch (const gone_error&) {  // its writer died meanwhile: half a message is none
    receive->taken = false;
  } catch (...) {
    receive->error = std::current_exception();
  }
}

void Inlet::arrived(wire::Message message, const Life& from) {
  if (message.pending_bulk) return receive_in_place(message, from);
  enter(std::move(message), from);
  wake_waiters();
}

void Inlet::enter(wire::Message message, const Life& from) {
  std::lock_guard lock(mutex_);
  if (numbered_ && !has_left_) {
    const auto number = message.header.call;
    if (number < next_number_) return;  // it came another way before
    if (number > next_number_) {
      early_.insert_or_assign(number, Arrival{std::move(message), from});
      return;
    }
  }
  arrivals_.push_back({std::move(message), from});
  if (numbered_ && !has_left_) advance();
  count_left();
}

// The message of the next number is here. So are those that came before their turn, from now on.
void Inlet::advance() {
  next_number_.store(next_number_ + 1, std::memory_order_release);
  take_in_turn();
}

void Inlet::take_in_turn() {
  while (!early_.empty() && early_.begin()->first == next_number_) {
    arrivals_.push_back(std::move(early_.begin()->second));
    early_.erase(early_.begin());
    next_number_.store(next_number_ + 1, std::memory_order_release);
  }
}

void Inlet::count_left() noexcept {
  const bool ended = is_broken_ || (last_ && next_number_ > *last_);
  left_.store((arrivals_.size() - next_) | (ended ? over : 0), std::memory_order_release);
  if (shown_ != nullptr) shown_->store(arrivals_.size() - next_, std::memory_order_release);
}

void Inlet::show_unread(std::atomic<std::uint64_t>* at) {
  std::lock_guard lock(mutex_);
  shown_ = at;
  count_left();
}

bool Inlet::took(std::uint64_t number) {
  std::lock_guard lock(mutex_);
  if (number != next_number_) return false;
  advance();
  count_left();
  return true;
}

// What lies here may have been on its way to where the reader was.
void Inlet::begin_at(std::uint64_t number) {
  std::lock_guard lock(mutex_);
  for (; next_ < arrivals_.size(); ++next_) early_.insert_or_assign(arrivals_[next_].message.header.call, std::move(arrivals_[next_]));
  arrivals_.clear();
  next_ = 0;
  early_.erase(early_.begin(), early_.lower_bound(number));
  next_number_ = number;
  has_left_ = false;
  take_in_turn();
  count_left();
}

bool Inlet::has_all() {
  std::lock_guard lock(mutex_);
  return last_ && next_number_ > *last_;
}

bool Inlet::lacks(std::uint64_t first, std::uint64_t last) {
  std::lock_guard lock(mutex_);
  first = std::max(first, next_number_.load());
  if (first > last) return false;
  const auto here = std::distance(early_.lower_bound(first), early_.upper_bound(last));
  return static_cast<std::uint64_t>(here) != last - first + 1;
}

void Inlet::drop_all() {
  std::lock_guard lock(mutex_);
  arrivals_.clear();
  early_.clear();
  next_ = 0;
  left_.store(0, std::memory_order_release);
}

std::uint64_t Inlet::leave() {
  std::lock_guard lock(mutex_);
  const auto first = next_number_ - (arrivals_.size() - next_);
  for (auto& each : early_) arrivals_.push_back(std::move(each.second));
  early_.clear();
  has_left_ = true;
  count_left();
  return first;
}

void Inlet::end_after(std::uint64_t last, std::exception_ptr error) {
  {
    std::lock_guard lock(mutex_);
    last_ = last;
    if (!is_broken_) broken_ = std::move(error);
    count_left();
  }
  wake_waiters();
}

std::optional<std::uint64_t> Inlet::last() {
  std::lock_guard lock(mutex_);
  return last_;
}

void Inlet::break_off(std::exception_ptr error) {
  {
    std::lock_guard lock(mutex_);
    if (is_broken_ || (last_ && next_number_ > *last_)) return;
    is_broken_ = true;
    broken_ = std::move(error);
    count_left();
  }
  wake_waiters();
}

void Inlet::raise_broken_off() {
  std::exception_ptr error;
  {
    std::lock_guard lock(mutex_);
    error = std::exchange(broken_, nullptr);
  }
  if (error) std::rethrow_exception(error);
}

std::optional<Arrival> Inlet::take() {
  std::lock_guard lock(mutex_);
  if (arrivals_.size() == next_) return std::nullopt;
  Arrival first = std::move(arrivals_[next_++]);
  if (2 * next_ >= arrivals_.size()) {
    arrivals_.erase(arrivals_.begin(), arrivals_.begin() + static_cast<std::ptrdiff_t>(next_));
    next_ = 0;
  }
  count_left();
  return first;
}

void Inlet::raise_undecoded(const std::string& type, const Life& from, const error& why) const {
  throw io_error("a message in " + text_ + " from process " + std::to_string(from.who.object) + " is no " + type + ": " + why.what(),
                 "Build both programs from the same source");
}

void Inlet::raise_missing(const Life& from, const wire::Message& why) const {
  const auto text = why.body.span();
  throw io_error("a message in " + text_ + " from process " + std::to_string(from.who.object) +
                     " could not be sent: " + std::string(reinterpret_cast<const char*>(text.data()), text.size()),
                 "Take what comes next, or mend what was posted");
}

bool Inlet::wait_to_receive(InPlaceReceive& receive, const Predicate& here, std::chrono::steady_clock::time_point deadline) {
  {
    std::lock_guard lock(mutex_);
    if (receive_ == nullptr) receive_ = &receive;  // of several threads that wait, the first
  }
  const AtEnd leave{[&] {
    std::lock_guard lock(mutex_);
    if (receive_ == &receive) receive_ = nullptr;
  }};
  bool came = wait_at(
      text_, [&] { return receive.taken || here(); }, deadline);
  if (receive.error) std::rethrow_exception(receive.error);
  return came;
}

void Inlet::count_taken(const Life& from, std::size_t bytes, bool asked) {
  std::optional<Receipt> receipt;
  {
    std::lock_guard lock(mutex_);
    receipt = receipts_.add(from, bytes, asked);
  }
  if (receipt) send_receipt(id_, text_, from, *receipt);
}

void Inlet::asked(const Life& from) {
  Receipt answer;
  {
    std::lock_guard lock(mutex_);
    answer = receipts_.ask(from);
  }
  send_receipt(id_, text_, from, answer);
}

void send_receipt(std::uint64_t edge, const std::string& text, const Life& to, const Receipt& receipt) {
  wire::SmallFrame frame;
  frame.kind = wire::frame_kind::taken;
  frame.flags = receipt.flags;
  frame.method = edge;
  frame.call = receipt.taken.messages;
  frame.root = receipt.taken.bytes;
  try {
    Endpoint::require().sender().post_small(to, frame, Sender::when_full::hand_over);
  } catch (const error&) {  // that process is dead: who waits for it hears of that
  } catch (const std::exception& e) {
    log_line("telling what was taken from " + text + ": " + e.what());
  }
}

}  // namespace octavo::detail
