// SPDX-License-Identifier: Apache-2.0
// The two kinds of requesters: how each gets its answer, and its end of a connection.
#include "machine/agent/requester.hpp"

#include "machine/agent/loop.hpp"

namespace octavo {

class Agent::Loop::Ours final : public Requester, public std::enable_shared_from_this<Ours> {
 public:
  Ours(Loop& loop, ProcessFacts facts, std::uint64_t request) : loop_(loop), facts_(std::move(facts)), request_(request) {}
  [[nodiscard]] const ProcessFacts& facts() const override { return facts_; }
  [[nodiscard]] Child* child() const override { return loop_.living(facts_.address); }
  [[nodiscard]] PeerAgent* peer() const override { return nullptr; }

  void answer(control::Notice notice) override {
    if (Child* to = child()) loop_.tell(*to, control::numbered(std::move(notice), request_));
  }
  void hand_to(PeerAgent& other, const control::Notice& wish) override {
    loop_.ask(other, shared_from_this(), wish, [this, self = shared_from_this()](PeerAgent& by, const control::Notice& said, std::uint64_t channel) {
      const auto* made = control::get_if<control::Connected>(&said);
      Child* to = child();
      if (made == nullptr) return answer(said);
      if (to == nullptr) return by.relay->refuse(channel);
      try {
        loop_.join(*to, by, channel, made->peer, request_);
      } catch (const std::exception& e) {
        by.relay->refuse(channel);
        refuse(e);
      }
    });
  }

 private:
  void meet(Child& there) override {
    if (Child* to = child()) loop_.introduce(*to, there, request_);
  }

  Loop& loop_;
  ProcessFacts facts_;
  std::uint64_t request_;
};

class Agent::Loop::Theirs final : public Requester, public std::enable_shared_from_this<Theirs> {
 public:
  Theirs(Loop& loop, std::weak_ptr<PeerAgent> from, const talk::ForwardedRequest& ask)
      : loop_(loop), from_(std::move(from)), facts_(ask.requester), request_(ask.request), channel_(ask.channel) {}
  [[nodiscard]] const ProcessFacts& facts() const override { return facts_; }
  [[nodiscard]] Child* child() const override { return nullptr; }
  [[nodiscard]] PeerAgent* peer() const override {
    auto from = from_.lock();
    return from != nullptr && from->relay ? from.get() : nullptr;
  }

  void answer(control::Notice notice) override {
    if (PeerAgent* to = peer()) to->tell(talk::ForwardedReply{request_, control::numbered(std::move(notice), 0)});
  }
  // We are the hub, and carry the channel on.
  void hand_to(PeerAgent& other, const control::Notice& wish) override {
    PeerAgent* from = peer();
    if (from == &other) throw gone_error("the agent of " + from->machine + " was asked for something that is not there");
    loop_.ask(other, shared_from_this(), wish, [this, self = shared_from_this()](PeerAgent& by, const control::Notice& said, std::uint64_t channel) {
      const auto* made = control::get_if<control::Connected>(&said);
      PeerAgent* to = peer();
      if (made == nullptr) return answer(said);
      if (to == nullptr) return by.relay->refuse(channel);
      try {
        loop_.carry_on({*to, channel_, facts_}, {by, channel, made->peer});
        answer(said);
      } catch (const std::exception& e) {
        by.relay->refuse(channel);
        refuse(e);
      }
    });
  }

 private:
  void meet(Child& there) override {
    PeerAgent* to = peer();
    if (to == nullptr) return;
    loop_.join(there, *to, channel_, facts_, 0);
    answer(control::Connected{0, there.facts, 0, 0, 0, road::road_kind::net, 0});
  }

  Loop& loop_;
  std::weak_ptr<PeerAgent> from_;
  ProcessFacts facts_;
  std::uint64_t request_, channel_;
};

std::shared_ptr<Requester> Agent::Loop::requester_of(const Child& child, const control::Notice& wish) {
  return std::make_shared<Ours>(*this, child.facts, control::number_of(wish));
}

std::shared_ptr<Requester> Agent::Loop::requester_of(PeerAgent& from, const talk::ForwardedRequest& ask) { return std::make_shared<Theirs>(*this, from.weak_from_this(), ask); }

}  // namespace octavo
