// SPDX-License-Identifier: Apache-2.0
#include "message/channel/end_requests.hpp"

#include "base/delay_point.hpp"
#include "message/channel/edges.hpp"
#include "octavo/base/error.hpp"

namespace octavo::detail {

using control::channel_end, control::channel_use, control::end_fate;

namespace {

AgentClient& agent() { return Endpoint::require().around().agent; }

class MeetingOfEnds final : public Meeting {
 public:
  explicit MeetingOfEnds(std::uint64_t channel) : channel_(channel) {}
  std::atomic<std::uint64_t>* read_here() override { return nullptr; }  // its end arrives (moving_ends.cpp)
  void leave() override { agent().ask<control::Done>(control::ChannelRequest{0, channel_, channel_end::reader, channel_use::wait, 0, {}, {}}); }
  void find_reader(const std::shared_ptr<EdgeBase>& edge, const Life& /*lost*/) override {
    find_end(std::static_pointer_cast<ChannelEnds>(edge), channel_end::reader);
  }

 private:
  const std::uint64_t channel_;
};

class Custody final : public wire::Carried {
 public:
  Custody(std::uint64_t channel, channel_end end, std::uint64_t hop)
      : channel_(channel), hop_(hop), end_(end), from_(Endpoint::require().around().self.address) {}
  void leaves_for(const Life& to) noexcept override { tell(channel_use::aim, to); }
  void is_over() noexcept override { tell(channel_use::lost); }

 private:
  void tell(channel_use what, const Life& to = {}) const noexcept {
    auto* here = Endpoint::current();
    if (here == nullptr || here->around().self.address != from_) return;
    try {
      tell_agent(channel_, end_, what, hop_, to);
    } catch (const std::exception&) {  // the agent is gone, and all with it
    }
  }

  const std::uint64_t channel_, hop_;
  const channel_end end_;
  const Address from_;
};

}  // namespace

void hold_end(std::uint64_t channel, channel_end end, std::uint64_t hop, const std::vector<LeftBehind>& behind) {
  agent().ask<control::Done>(control::ChannelRequest{0, channel, end, channel_use::hold, hop, {}, behind});
}

void tell_agent(std::uint64_t channel, channel_end end, channel_use use, std::uint64_t hop, const Life& to) {
  agent().ask_later<control::Done>(control::ChannelRequest{0, channel, end, use, hop, to, {}}, [](const control::Done*, const std::exception_ptr&) {});
}

namespace {

// Of the endpoint that the edge belongs to: the thread that hears the agent may have another, or none.
void find_end_of(Endpoint& core, const std::shared_ptr<ChannelEnds>& edge, channel_end end) {
  auto hear = [&core, background = core.sender().background(), edge, end](const control::ChannelAt* at, const std::exception_ptr& error) {
    delay_point("channel: heard where its other end is");
    if (at != nullptr && !edge->end_found(end, *at)) return find_end_of(core, edge, end);
    if (at == nullptr) edge->reader_found({}, error);
    look_at_edges(core, *background);
  };
  core.around().agent.ask_later<control::ChannelAt>(control::ChannelRequest{0, edge->facts().id, end, channel_use::find, edge->hop_of(end), {}, {}},
                                                    std::move(hear));
}

}  // namespace

void find_end(const std::shared_ptr<ChannelEnds>& edge, channel_end end) {
  auto& core = Endpoint::require();
  core.need_progress();
  find_end_of(core, edge, end);
}

void await_end_of_channel(const std::shared_ptr<ChannelEnds>& edge) {
  auto& core = Endpoint::require();
  auto hear = [&core, background = core.sender().background(), weak = std::weak_ptr(edge)](const control::Done* over, const std::exception_ptr&) {
    const auto known = weak.lock();
    if (over == nullptr || known == nullptr) return;
    known->channel_over();
    look_at_edges(core, *background);
  };
  core.around().agent.ask_later<control::Done>(control::ChannelRequest{0, edge->facts().id, channel_end::reader, channel_use::over, 0, {}, {}},
                                               std::move(hear));
}

std::unique_ptr<Meeting> meeting_of_ends(std::uint64_t channel) { return std::make_unique<MeetingOfEnds>(channel); }

std::shared_ptr<wire::Carried> custody_of_end(std::uint64_t channel, bool is_writer, std::uint64_t hop) {
  return std::make_shared<Custody>(channel, is_writer ? channel_end::writer : channel_end::reader, hop - 1);
}

std::uint64_t new_channel() { return Edges::here().new_channel(); }

EdgeFacts channel_facts(std::uint64_t channel, std::string_view type, const Bound& bound, std::string_view title) {
  return {channel, "a channel of " + std::string(title.empty() ? type : title), std::string(type), bound, true};
}

std::shared_ptr<EdgeBase> channel_here(std::uint64_t channel, std::string_view type, const std::function<std::shared_ptr<EdgeBase>()>& make) {
  if (!is_channel(channel)) throw io_error("an end of a channel came without its number");
  auto edge = Edges::here().open(channel, make);
  if (edge->facts().type != type) throw usage_error(edge->facts().text + " came as one of " + std::string(type), "Use one type at both ends");
  return edge;
}

namespace {
constinit thread_local bool encodes_for_queue = false;
}

EncodesForQueue::EncodesForQueue() noexcept { encodes_for_queue = true; }
EncodesForQueue::~EncodesForQueue() { encodes_for_queue = false; }

void check_is_moved(const wire::Encoder& out, const char* end) {
  if (encodes_for_queue)
    throw not_supported("an end of a channel was put into a queue, from where nobody knows who will have it", "Pass it in a call, or post it");
  if (!out.giving)
    throw usage_error(std::string("the ") + end + " of a channel was to be copied: a channel has one writer and one reader", "Move it: std::move(end)");
}

void raise_no_end(const char* end) {
  throw usage_error(std::string("the ") + end + " of a channel was used that is none, or has gone elsewhere",
                    "Use the one that octavo::channel() gave, where it is now");
}

}  // namespace octavo::detail
