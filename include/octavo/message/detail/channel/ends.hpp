// SPDX-License-Identifier: Apache-2.0
// A channel at one endpoint: an edge whose two ends may each be here, elsewhere, or on their way. An end that leaves goes at once; what it leaves behind
// follows by itself, and the numbers of the messages put all in order where the reader is.
//
// The two ends find each other by the program's agent (machine/agent/services/channels.hpp), which is told of a channel when an end leaves the process that
// made it. From then on they tell each other, by frames of kind `taken`: that the last message has left (closed), that none is wanted any more (cancelled),
// that an end has gone elsewhere (moved), and that nothing more comes from where the reader was (heard, flushed).
//
// A process that the reader has left sends on to it what still comes there: from the writer, and from those that had the reader earlier. Each of these says
// when it sends nothing more there (heard, elsewhere); then, when all has left, the process says so to the reader (flushed), which answers. Until then the
// reader, wherever it goes, takes the end of that process for a loss (trail.hpp). What the writer has left behind in a process is counted by its number.
// Threading: each end belongs to one thread at a time; what comes in is the reader's of the connections.
#pragma once

#include <optional>

#include "octavo/message/detail/channel/edge.hpp"
#include "octavo/message/detail/channel/trail.hpp"

namespace octavo::control {
enum class channel_end : std::uint8_t;
struct ChannelAt;
}  // namespace octavo::control

namespace octavo::detail {

// An end as it travels; a number of 0: none.
struct WriterOnItsWay {
  std::uint64_t channel = 0, hop = 0;  // how often it has moved
  std::uint64_t reader_hop = 0;        // as far as is known where it was
  std::uint64_t last = 0;              // the number of the last message
  std::vector<LeftBehind> behind;
  Bound bound;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(channel, hop, reader_hop, last, behind, bound.messages, bound.bytes);
  }
};
struct ReaderOnItsWay {
  std::uint64_t channel = 0, hop = 0, writer_hop = 0;
  std::uint64_t next = 1;  // the number of the message that it takes next
  std::optional<std::uint64_t> last;
  bool given_up = false;
  std::vector<Life> behind;  // where messages may lie that follow it
  Bound bound;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(channel, hop, writer_hop, next, last, given_up, behind, bound.messages, bound.bytes);
  }
};

class ChannelEnds : public EdgeBase {
 public:
  static constexpr bool numbers_values = true;
  ChannelEnds(EdgeFacts facts, std::unique_ptr<Meeting> meeting);
  // Before an end arrives, or both begin here: until then it is not forgotten. False: it is being forgotten.
  [[nodiscard]] bool begin_to_arrive();
  // Both are here.
  void begin();

  // --- the writer (closing_ends.cpp) ---
  void writer_arrives(const WriterOnItsWay& writer);
  WriterOnItsWay give_writer();
  void check_is_open() const;  // throws usage_error after close()
  void was_posted() noexcept { ++posted_; }
  // What a post threw: from now on each throws, if it says that there is no reader any more.
  void post_failed(const error& why);
  // The reader comes to its end when it has taken all; `given_up`: with an error then.
  void close(bool given_up = false) noexcept;

  // --- the reader ---
  void reader_arrives(const ReaderOnItsWay& reader);
  ReaderOnItsWay give_reader();
  void cancel() noexcept;

  // --- of EdgeBase ---
  void look_around() override;
  bool stop_reading() override;
  void finish_posting() noexcept override;
  [[nodiscard]] bool holds_something() const override;
  // How often this end has moved, at least.
  [[nodiscard]] std::uint64_t hop_of(control::channel_end end) const;
  // What the agent says of an end. By the thread that hears it; look_around() follows. False: that was so before the end moved on, and is to be asked again.
  [[nodiscard]] bool end_found(control::channel_end end, const control::ChannelAt& at);
  void channel_over();  // the same of both ends: they are gone

 protected:
  [[nodiscard]] bool holds_unsent() const override;
  bool forward_next() override;
  bool refuses(const Life& from) override;
  void all_was_forwarded() override;
  void hear_of_end(const Receipt& said, const Life& from) override;

 private:
  void hold(bool reader, std::uint64_t hop, const std::vector<LeftBehind>& behind = {});
  void tell_agent_of_other(bool reader);
  void await_over();
  void find_writer();
  void take_found_writer(const control::ChannelAt& found);
  void take_lost_reader(const control::ChannelAt& found);
  void look_at_writer();
  void forget_old_reader();
  void hear_reader_moved(const Amount& hops, const Life& from);
  void hear_writer_moved(std::uint64_t hop);
  void hear_writer_is_elsewhere(std::uint64_t hop, const Life& from);
  void hear_cancelled();
  void say(const Life& to, std::uint8_t flag, std::uint64_t number = 0, std::uint64_t hop = 0) const;
  void send_on(bool writer_knows = false);
  void hear_of_trail(const Receipt& said, const Life& from);
  [[nodiscard]] bool waits_for_more() const;
  void end_after(std::uint64_t last);
  void reader_is_over();
  void forget_if_over() noexcept;
  [[nodiscard]] bool is_endpoint_here() const noexcept;

  const Address home_;       // of the endpoint
  mutable std::mutex ends_;  // of what is below
  int arriving_ = 0;         // so many ends
  bool forgotten_ = false, awaits_over_ = false, is_over_ = false;
  bool writer_here_ = false, reader_here_ = false;
  bool agent_knows_ = false;  // of this channel
  // Of the writer here, or that was here.
  bool closed_ = false, given_up_ = false, said_closed_ = false;
  bool writer_has_left_ = false;  // and the reader has not been told
  bool reader_over_ = false;      // for good
  // Of the reader here, or that was here.
  bool cancelled_ = false;
  Life writer_;                                    // where it is, as far as is known
  std::uint64_t writer_hop_ = 0, reader_hop_ = 0;  // how often an end has moved, at least: a place of before is none
  std::uint64_t found_hop_ = 0;                    // and had, when it came to where the reader is known to be
  bool asked_for_writer_ = false;
  Trail trail_;             // where messages may lie that follow the reader; where it was: who may still send some here
  bool must_hear_ = false;  // it has left: the writer has not said that it knows
  Life told_moved_;         // the reader that was told that, as the writer
  std::shared_ptr<const control::ChannelAt> found_writer_, lost_reader_;
};

// The channel of this number at this thread's endpoint; made by `make` when there is none. Throws usage_error: without a Runtime, of another type.
std::shared_ptr<EdgeBase> channel_here(std::uint64_t channel, std::string_view type, const std::function<std::shared_ptr<EdgeBase>()>& make);
std::uint64_t new_channel();
EdgeFacts channel_facts(std::uint64_t channel, std::string_view type, const Bound& bound, std::string_view title);
std::unique_ptr<Meeting> meeting_of_ends(std::uint64_t channel);
// Goes with the frame that an end leaves with: where that is a call, an end that has not arrived when it is over is lost.
std::shared_ptr<wire::Carried> custody_of_end(std::uint64_t channel, bool is_writer, std::uint64_t hop);
// In save(): throws usage_error for an end that is not moved.
void check_is_moved(const wire::Encoder& out, const char* end);

// Of an end that has left, or was never made.
[[noreturn]] void raise_no_end(const char* end);

// How errors name what a channel of Ts holds; none: by its type.
template <class T>
inline constexpr std::string_view title_of_items = {};

template <class T>
using ChannelEdge = Edge<T, ChannelEnds>;

// For an end that arrives.
template <class T>
std::shared_ptr<ChannelEdge<T>> open_channel(std::uint64_t channel, const Bound& bound) {
  const auto make = [&] {
    return std::make_shared<ChannelEdge<T>>(channel_facts(channel, type_name<T>(), bound, title_of_items<T>), meeting_of_ends(channel));
  };
  for (;;) {
    auto edge = std::static_pointer_cast<ChannelEdge<T>>(channel_here(channel, type_name<T>(), make));
    if (edge->begin_to_arrive()) return edge;
    std::this_thread::yield();  // another thread takes it out just now
  }
}

}  // namespace octavo::detail
