// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/requests/requesters.hpp"

#include <utility>

#include "octavo/base/error.hpp"

namespace octavo::agent {

class Requesters::Local final : public Requester, public std::enable_shared_from_this<Local> {
 public:
  Local(Requesters& here, ProcessFacts facts, std::uint64_t request) : here_(here), facts_(std::move(facts)), request_(request) {}
  [[nodiscard]] const ProcessFacts& facts() const override { return facts_; }
  [[nodiscard]] Child* child() const override { return here_.processes_.living(facts_.address); }
  [[nodiscard]] PeerAgent* peer() const override { return nullptr; }

  void answer(control::Notice notice) override {
    if (Child* to = child()) here_.processes_.tell(*to, control::numbered(std::move(notice), request_));
  }
  void hand_to(PeerAgent& other, const control::Notice& request) override {
    here_.peers_.ask(other, shared_from_this(), request, [this, self = shared_from_this()](PeerAgent& by, const control::Notice& said, std::uint64_t channel) {
      const auto* made = control::get_if<control::Connected>(&said);
      Child* to = child();
      if (made == nullptr) return answer(said);
      if (to == nullptr) return by.link->refuse(channel);
      try {
        here_.introducer_.join(*to, by, channel, made->peer, request_);
      } catch (const std::exception& e) {
        by.link->refuse(channel);
        refuse(e);
      }
    });
  }

 private:
  void introduce_to(Child& there) override {
    if (Child* to = child()) here_.introducer_.introduce(*to, there, request_);
  }

  Requesters& here_;
  ProcessFacts facts_;
  std::uint64_t request_;
};

class Requesters::Remote final : public Requester, public std::enable_shared_from_this<Remote> {
 public:
  Remote(Requesters& here, std::weak_ptr<PeerAgent> from, const talk::ForwardedRequest& request)
      : here_(here), from_(std::move(from)), facts_(request.requester), request_(request.request), channel_(request.channel) {}
  [[nodiscard]] const ProcessFacts& facts() const override { return facts_; }
  [[nodiscard]] Child* child() const override { return nullptr; }
  [[nodiscard]] PeerAgent* peer() const override {
    auto from = from_.lock();
    return from != nullptr && from->link ? from.get() : nullptr;
  }

  void answer(control::Notice notice) override {
    if (PeerAgent* to = peer()) to->tell(talk::ForwardedReply{request_, control::numbered(std::move(notice), 0)});
  }
  // This agent is the hub, and carries the channel on.
  void hand_to(PeerAgent& other, const control::Notice& request) override {
    PeerAgent* from = peer();
    if (from == &other) throw gone_error("the agent of " + from->machine + " was asked for something that is not there");
    here_.peers_.ask(other, shared_from_this(), request, [this, self = shared_from_this()](PeerAgent& by, const control::Notice& said, std::uint64_t channel) {
      const auto* made = control::get_if<control::Connected>(&said);
      PeerAgent* to = peer();
      if (made == nullptr) return answer(said);
      if (to == nullptr) return by.link->refuse(channel);
      try {
        here_.introducer_.carry_on({*to, channel_, facts_}, {by, channel, made->peer});
        answer(said);
      } catch (const std::exception& e) {
        by.link->refuse(channel);
        refuse(e);
      }
    });
  }

 private:
  void introduce_to(Child& there) override {
    PeerAgent* to = peer();
    if (to == nullptr) return;
    here_.introducer_.join(there, *to, channel_, facts_, 0);
    answer(control::Connected{0, there.facts, 0, 0, 0, road::road_kind::net, 0});
  }

  Requesters& here_;
  std::weak_ptr<PeerAgent> from_;
  ProcessFacts facts_;
  std::uint64_t request_, channel_;
};

RequesterPtr Requesters::local(const Child& child, std::uint64_t request) { return std::make_shared<Local>(*this, child.facts, request); }
RequesterPtr Requesters::remote(PeerAgent& from, const talk::ForwardedRequest& request) {
  return std::make_shared<Remote>(*this, from.weak_from_this(), request);
}

}  // namespace octavo::agent
