// SPDX-License-Identifier: Apache-2.0
#include "schedule/stream/mill.hpp"

namespace octavo::schedule {

namespace {

constexpr int threads = 14;  // of the largest stream, with who deals

}  // namespace

void Mill::run(const std::function<void(Mill&)>& body) {
  turns_.on_stuck = [this] {
    wrong("nothing can go on");
    if (run_ != nullptr) played_.while_stuck([this] { run_->cancel(); });
  };
  std::vector<std::function<void()>> bodies{[&] {
    body(*this);
    if (played_.open() != 0) wrong(std::to_string(played_.open()) + " threads of the stream have not ended");
    played_.end();
    turns_.something_happened();
  }};
  for (int i = 0; i < threads; ++i) bodies.push_back(played_.thread());
  if (options_.cancels) bodies.push_back([this] { cancel_some_time(); });
  turns_.run(bodies);
}

void Mill::choose() {
  items_ = draw(4) == 0 ? draw(3) : draw(40);
  if (options_.fails) {
    fails_at_ = draw(items_ + 2);
    fails_in_ = static_cast<std::size_t>(draw(most_stages + 1));
  }
  if (options_.leaves) leaves_after_ = 1 + static_cast<std::size_t>(draw(30));
}

StreamBound Mill::bound(std::size_t stage) {
  bounds_.at(stage) = {.items = 1 + static_cast<std::uint64_t>(draw(5)), .bytes = 1 + static_cast<std::uint64_t>(draw(2) == 0 ? draw(20) : 1000)};
  return bounds_.at(stage);
}

std::optional<int> Mill::next() {
  for (int i = draw(3); i > 0; --i) turns_.step();
  if (next_ == fails_at_ && fails_in_ == most_stages) throw Broken(next_);
  if (next_ >= items_) return std::nullopt;
  return root * next_++;
}

void Mill::work(std::size_t stage, int value) {
  ++begun_.at(stage);
  if (workers_) check_what_lies(stage);
  for (int i = draw(4); i > 0; --i) turns_.step();
  if (value / root == fails_at_ && stage == fails_in_) throw Broken(value / root);
}

// ST-2: what lies on the belt before a stage, one in the hands of each worker that gives, and one of each that takes.
void Mill::check_what_lies(std::size_t stage) {
  for (std::size_t i = 0; i <= stage; ++i) {
    const auto came = static_cast<std::uint64_t>(i == 0 ? next_ : begun_.at(i - 1));
    const auto most = bounds_.at(i).items + workers_->at(i) + (i == 0 ? 1 : workers_->at(i - 1));
    const auto lies = came - static_cast<std::uint64_t>(begun_.at(i));
    if (lies > most) wrong(std::to_string(lies) + " items lie before stage " + std::to_string(i) + ", and there is room for " + std::to_string(most));
  }
}

void Mill::took(int value) {
  got_.push_back(value);
  for (int i = draw(3); i > 0; --i) turns_.step();
}

void Mill::noting(const std::function<void()>& work) {
  try {
    work();
  } catch (const Broken& e) {
    broken_ = e.item;
  } catch (const cancelled&) {
    was_cancelled_ = true;
  }
  run_ = nullptr;
}

void Mill::cancel_some_time() {
  for (int i = draw(300); i > 0; --i) turns_.step();
  turns_.sleep([this] { return run_ != nullptr || !got_.empty() || played_.has_ended(); }, road::never);
  if (run_ != nullptr) played_.held([this] { run_->cancel(); });
}

void Mill::wrong(const std::string& text) { failure_ += text + "; "; }

// Results to one number are in the order in which they came, where they go round at several workers.
std::vector<int> Mill::in_order(std::vector<int> values) const {
  if (!options_.ordered) {
    std::sort(values.begin(), values.end());
  } else if (options_.feeds_back) {
    for (auto first = values.begin(); first != values.end();) {
      const auto last = std::find_if(first, values.end(), [&](int each) { return each / root != *first / root; });
      std::sort(first, last);
      first = last;
    }
  }
  return values;
}

// Of a stream that was cut short.
void Mill::check_part(const std::vector<int>& expected, const std::vector<int>& got) {
  const bool is_part = options_.ordered && !options_.feeds_back ? got.size() <= expected.size() && std::equal(got.begin(), got.end(), expected.begin()) : [&] {
    auto all = expected, some = got;
    std::sort(all.begin(), all.end());
    std::sort(some.begin(), some.end());
    return std::includes(all.begin(), all.end(), some.begin(), some.end());
  }();
  if (!is_part) wrong("it gave what it was not to give");
  if (options_.ordered && !std::is_sorted(got.begin(), got.end(), [](int a, int b) { return a / root < b / root; })) wrong("results are out of order");
}

void Mill::check(const std::function<std::vector<int>(int)>& results_of) {
  const bool at_source = fails_in_ == most_stages;
  const bool fails = fails_at_ >= 0 && (at_source ? fails_at_ <= items_ : fails_at_ < items_ && (fails_in_ == 0 || !results_of(fails_at_).empty()));
  std::vector<int> expected;
  for (int number = 0; number < (fails && options_.ordered ? fails_at_ : items_); ++number)
    for (int each : results_of(number)) expected.push_back(each);
  const bool is_cut = has_left_ || was_cancelled_ || (fails && (!options_.ordered || options_.feeds_back));
  if (was_cancelled_ && !options_.cancels) wrong("nobody cancelled it");
  if (has_left_) {
    if (got_.size() != leaves_after_) wrong("it went on behind its end");
  } else if (!was_cancelled_) {
    if (broken_ != (fails ? std::optional(fails_at_) : std::nullopt)) wrong("the error is not that of item " + std::to_string(fails_at_));
  }
  if (is_cut) check_part(expected, got_);
  else if (in_order(got_) != in_order(expected))
    wrong("it gave " + std::to_string(got_.size()) + " results, not the " + std::to_string(expected.size()) + " due");
}

}  // namespace octavo::schedule
