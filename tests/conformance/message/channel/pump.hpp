// SPDX-License-Identifier: Apache-2.0
// The object that takes part in the tests of channels, wherever it is: writes, reads, hands ends on.
#pragma once

#include <unistd.h>

#include <numeric>

#include "conformance/message/filled_page.hpp"
#include "conformance/process/every_place.hpp"
#include "octavo/data/page.hpp"
#include "octavo/message.hpp"

namespace channel_tests {

namespace ov = octavo;
using namespace std::chrono_literals;
using message_tests::is_page_of, message_tests::page_of;

struct Parcel {
  int number = 0;
  std::string note;
  std::vector<double> values;
  std::vector<ov::Page> pages;
};

// Of every size that travels another way: nothing, small, beside the frame, larger than the ring; and pages.
inline Parcel parcel_of(int number) {
  constexpr std::size_t sizes[] = {0, 3, 60, 600, 5'000, 50'000};
  Parcel parcel{number, std::string(static_cast<std::size_t>(number % 7) * 11, 'n'), {}, {}};
  parcel.values.assign(sizes[number % 6], number);
  if (number % 5 == 0) parcel.pages.push_back(page_of(number % 100 + 1, 300 + number));
  return parcel;
}
inline bool is_parcel_of(int number, const Parcel& parcel) {
  const Parcel right = parcel_of(number);
  return parcel.number == number && parcel.note == right.note && parcel.values == right.values && parcel.pages.size() == right.pages.size() &&
         (parcel.pages.empty() || is_page_of(number % 100 + 1, parcel.pages[0]));
}

class Pump {
 public:
  Pump() = default;
  explicit Pump(ov::ChannelReader<int> in) : in_(std::move(in)) {}

  // --- the reader ---
  void take_reader(ov::ChannelReader<int> in) { in_ = std::move(in); }
  ov::ChannelReader<int> give_reader() { return std::move(in_); }
  void hand_reader(const ov::remote_ptr<Pump>& to);
  // So many that follow each other from the first; what came instead, else -1.
  int take(int first, int count) {
    for (int i = first; i < first + count; ++i) {
      const auto got = in_.retrieve();
      if (!got || *got != i) return got.value_or(-2);
    }
    return -1;
  }
  std::pair<long, long> sum() {
    std::pair<long, long> sum_and_count;
    for (int each = 0; in_.retrieve(each); ++sum_and_count.second) sum_and_count.first += each;
    return sum_and_count;
  }
  std::string end() {
    try {
      const auto got = in_.retrieve();
      return got ? "a value" : "the end";
    } catch (const ov::error& e) {
      return std::string(ov::to_string(e.kind())) + ": " + e.what();
    }
  }
  bool is_at_end() const { return in_.at_end(); }
  void cancel() { in_.cancel(); }

  // --- the writer ---
  void take_writer(ov::ChannelWriter<int> out) { out_ = std::move(out); }
  ov::ChannelWriter<int> give_writer() { return std::move(out_); }
  void hand_writer(const ov::remote_ptr<Pump>& to);
  void post(int first, int count) {
    for (int i = first; i < first + count; ++i) out_.post(i);
  }
  void close() { out_.close(); }
  int post_until_told(int first) {
    for (;; ++first) {
      try {
        out_.post(first);
      } catch (const ov::channel_cancelled&) {
        return first;
      }
    }
  }
  void throw_with(ov::ChannelWriter<int> out) {
    auto mine = std::move(out);
    mine.post(1);
    throw std::runtime_error("in the midst of it");
  }

  // --- both ---
  int echo(ov::ChannelReader<int> in, ov::ChannelWriter<int> out) {
    int count = 0;
    for (int each = 0; in.retrieve(each); ++count) out.post(each + 1);
    return count;
  }
  int echo_parcels(ov::ChannelReader<Parcel> in, ov::ChannelWriter<Parcel> out) {
    int count = 0;
    while (auto each = in.retrieve()) {
      out.post(std::move(*each));
      ++count;
    }
    return count;
  }
  int pid() const { return ::getpid(); }

 private:
  ov::ChannelReader<int> in_;
  ov::ChannelWriter<int> out_;
};
OCTAVO_REMOTE(Pump, take_reader, give_reader, hand_reader, take, sum, end, is_at_end, cancel, take_writer, give_writer, hand_writer, post, close,
              post_until_told, throw_with, echo, echo_parcels, pid)

inline void Pump::hand_reader(const ov::remote_ptr<Pump>& to) { to->take_reader(std::move(in_)); }
inline void Pump::hand_writer(const ov::remote_ptr<Pump>& to) { to->take_writer(std::move(out_)); }

}  // namespace channel_tests
