// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/requests/requesters.hpp"

#include <utility>

#include "octavo/base/error.hpp"

namespace octavo::agent {

// What both have: the answer of another agent is passed on, or the connection that it made is joined to the requester's end.
class Requesters::Common : public Requester, public std::enable_shared_from_this<Common> {
 public:
  Common(Requesters& here, ProcessFacts facts, std::uint64_t request) : here_(here), request_(request), facts_(std::move(facts)) {}
  [[nodiscard]] const ProcessFacts& facts() const override { return facts_; }
  void hand_to(PeerAgent& other, const control::Notice& request, Otherwise otherwise) override {
    auto then = [this, self = shared_from_this(), otherwise = std::move(otherwise)](PeerAgent& by, const control::Notice& said, std::uint64_t channel) {
      const auto* no = control::get_if<control::Failed>(&said);
      if (no != nullptr && otherwise) return otherwise(*no);
      const auto* made = control::get_if<control::Connected>(&said);
      if (made == nullptr) return answer(said);
      try {
        if (!join(by, channel, *made)) by.link->refuse(channel);
      } catch (const std::exception& e) {
        by.link->refuse(channel);
        refuse(e);
      }
    };
    here_.peers_.ask(other, shared_from_this(), request, std::move(then));
  }

 protected:
  // False: the requester is gone.
  virtual bool join(PeerAgent& by, std::uint64_t channel, const control::Connected& made) = 0;

  Requesters& here_;
  const std::uint64_t request_;

 private:
  const ProcessFacts facts_;
};

class Requesters::Local final : public Common {
 public:
  using Common::Common;
  [[nodiscard]] Child* child() const override { return here_.processes_.living(facts().address); }
  [[nodiscard]] PeerAgent* peer() const override { return nullptr; }
  void answer(control::Notice notice) override {
    if (Child* to = child()) here_.processes_.tell(*to, control::numbered(std::move(notice), request_));
  }

 private:
  bool join(PeerAgent& by, std::uint64_t channel, const control::Connected& made) override {
    Child* to = child();
    if (to != nullptr) here_.introducer_.join(*to, by, channel, made.peer, request_);
    return to != nullptr;
  }
  void introduce_to(Child& there) override {
    if (Child* to = child()) here_.introducer_.introduce(*to, there, request_);
  }
};

class Requesters::Remote final : public Common {
 public:
  Remote(Requesters& here, std::weak_ptr<PeerAgent> from, const talk::ForwardedRequest& request)
      : Common(here, request.requester, request.request), from_(std::move(from)), channel_(request.channel) {}
  [[nodiscard]] Child* child() const override { return nullptr; }
  [[nodiscard]] PeerAgent* peer() const override {
    auto from = from_.lock();
    return from != nullptr && from->link ? from.get() : nullptr;
  }
  void answer(control::Notice notice) override {
    if (PeerAgent* to = peer()) to->tell(talk::ForwardedReply{request_, control::numbered(std::move(notice), 0)});
  }
  void hand_to(PeerAgent& other, const control::Notice& request, Otherwise otherwise) override {
    if (peer() == &other) throw gone_error("the agent of " + other.machine + " was asked for something that is not there");
    Common::hand_to(other, request, std::move(otherwise));
  }

 private:
  // This agent is the hub, and carries the channel on.
  bool join(PeerAgent& by, std::uint64_t channel, const control::Connected& made) override {
    PeerAgent* to = peer();
    if (to == nullptr) return false;
    here_.introducer_.carry_on({*to, channel_, facts()}, {by, channel, made.peer});
    answer(made);
    return true;
  }
  void introduce_to(Child& there) override {
    PeerAgent* to = peer();
    if (to == nullptr) return;
    here_.introducer_.join(there, *to, channel_, facts(), 0);
    answer(control::Connected{0, there.facts, 0, 0, 0, road::road_kind::net, 0});
  }

  const std::weak_ptr<PeerAgent> from_;
  const std::uint64_t channel_;
};

RequesterPtr Requesters::local(const Child& child, std::uint64_t request) { return std::make_shared<Local>(*this, child.facts, request); }
RequesterPtr Requesters::remote(PeerAgent& from, const talk::ForwardedRequest& request) {
  return std::make_shared<Remote>(*this, from.weak_from_this(), request);
}

}  // namespace octavo::agent
