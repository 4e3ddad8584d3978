// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/requests/requesters.hpp"

#include <array>
#include <span>
#include <utility>

#include "base/passed_descriptors.hpp"
#include "octavo/base/error.hpp"

namespace octavo::agent {

// What both have: the answer of another agent is passed on, or the connection that it made is joined to the requester's end.
class Requesters::Common : public Requester, public std::enable_shared_from_this<Common> {
 public:
  Common(Requesters& here, ProcessFacts facts, std::uint64_t request) : here_(here), request_(request), facts_(std::move(facts)) {}
  [[nodiscard]] const ProcessFacts& facts() const override { return facts_; }
  void hand_to(PeerAgent& other, const control::Notice& request, Otherwise otherwise) override {
    auto then = [this, self = shared_from_this(), otherwise = std::move(otherwise)](PeerAgent& by, const control::Notice& said, const PeerAgent::FarEnd& end) {
      const auto* no = control::get_if<control::Failed>(&said);
      if (no != nullptr && otherwise) return otherwise(*no);
      const auto* made = control::get_if<control::Connected>(&said);
      if (made == nullptr) return answer(said);
      const bool by_channel = made->road == road::road_kind::net;
      try {
        const bool joined = by_channel ? join(by, end.channel, *made) : join_directly(by, *made, end.descriptors);
        if (joined) return;
        if (by_channel) by.link->refuse(end.channel);
        // Its program may be there again by a newer link, if it was stopped for long.
        if (here_.peers_.of_agent(facts_.address.agent) == nullptr) here_.introducer_.tell_end(by, facts_);
      } catch (const std::exception& e) {
        if (by_channel) by.link->refuse(end.channel);
        refuse(e);
      }
    };
    here_.peers_.ask(other, shared_from_this(), request, std::move(then));
  }

 protected:
  // False: the requester is gone.
  virtual bool join(PeerAgent& by, std::uint64_t channel, const control::Connected& made) = 0;
  // A connection that no agent carries: `descriptors` are its end. Those that nobody takes are closed.
  virtual bool join_directly(PeerAgent& by, const control::Connected& made, const std::vector<Fd>& descriptors) = 0;

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
  [[nodiscard]] SharedBell bell() const override {
    const Child* process = child();
    return process == nullptr ? SharedBell{} : SharedBell{process->bell.descriptor(), process->slot};
  }
  void answer(control::Notice notice) override {
    if (Child* to = child()) here_.processes_.tell(*to, control::numbered(std::move(notice), request_));
  }

 private:
  bool join(PeerAgent& by, std::uint64_t channel, const control::Connected& made) override {
    Child* to = child();
    if (to != nullptr) here_.introducer_.join(*to, by, channel, made.peer, request_);
    return to != nullptr;
  }
  bool join_directly(PeerAgent& by, const control::Connected& made, const std::vector<Fd>& descriptors) override {
    Child* to = child();
    if (to != nullptr) here_.introducer_.join_directly(*to, by, made, descriptors, request_);
    return to != nullptr;
  }
  void introduce_to(Child& there) override {
    if (Child* to = child()) here_.introducer_.introduce(*to, there, request_);
  }
};

class Requesters::Remote final : public Common {
 public:
  Remote(Requesters& here, std::weak_ptr<PeerAgent> from, const talk::ForwardedRequest& request, Fd bell)
      : Common(here, request.requester, request.request), from_(std::move(from)), channel_(request.channel), bell_(std::move(bell)), slot_(request.slot) {}
  [[nodiscard]] Child* child() const override { return nullptr; }
  [[nodiscard]] PeerAgent* peer() const override {
    auto from = from_.lock();
    return from != nullptr && from->link ? from.get() : nullptr;
  }
  [[nodiscard]] SharedBell bell() const override { return {bell_.get(), slot_}; }
  void answer(control::Notice notice) override { answer_with(std::move(notice), {}); }
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
  bool join_directly(PeerAgent& by, const control::Connected& made, const std::vector<Fd>& descriptors) override {
    PeerAgent* to = peer();
    if (to == nullptr) return false;
    here_.introducer_.know_each_other(*to, facts(), by, made.peer);
    answer_with(made, PassedDescriptors::numbers_of(descriptors));
    return true;
  }
  void introduce_to(Child& there) override {
    PeerAgent* to = peer();
    if (to == nullptr) return;
    if (bell_) {
      const auto end = here_.introducer_.introduce_directly(there, *to, facts(), bell());
      return answer_with(control::Connected{0, there.facts, there.slot, 0, end.side, road::road_kind::shm, 0},
                         std::array{there.bell.descriptor(), end.rings.get(), end.socket.get()});
    }
    here_.introducer_.join(there, *to, channel_, facts(), 0);
    answer(control::Connected{0, there.facts, 0, 0, 0, road::road_kind::net, 0});
  }

  void answer_with(control::Notice notice, std::span<const int> descriptors) {
    if (PeerAgent* to = peer()) to->tell(talk::ForwardedReply{request_, control::numbered(std::move(notice), 0)}, descriptors);
  }

  const std::weak_ptr<PeerAgent> from_;
  const std::uint64_t channel_;
  const Fd bell_;
  const unsigned slot_;
};

RequesterPtr Requesters::local(const Child& child, std::uint64_t request) { return std::make_shared<Local>(*this, child.facts, request); }
RequesterPtr Requesters::remote(PeerAgent& from, const talk::ForwardedRequest& request, Fd bell) {
  return std::make_shared<Remote>(*this, from.weak_from_this(), request, std::move(bell));
}

}  // namespace octavo::agent
