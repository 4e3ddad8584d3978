// SPDX-License-Identifier: Apache-2.0
// A link (link.hpp) over links that break: what was sent and is not confirmed is kept, and sent again over the next one. So a connection
// that is reset, or a cable that is out for a while, costs time but no byte, and gives none twice.
//
//   auto session = road::Session::make();                      // of one such link; both sides must know it
//   road::SteadyLink called(session);                          // here: waits for carriers
//   called.carriers()->carry(std::move(link), greeting);       // one that came, and what it said first
//   road::SteadyLink calling(session, [] { return road::connect_tls(...); });     // there: whenever it has none
//
// SL-1  It is a link: L-1 to L-10 hold, whatever happens to its carriers. As long as it has none, send() takes until `most_kept` bytes wait.
// SL-2  A carrier that comes while there is another takes its place: the other side has noticed an end that this side has not.
// SL-3  Only a carrier whose other side names the same session carries it; another is closed. An agent that came back, or one that was
//       given up and is there again, has another session, or none: it never goes on where the old one was.
// SL-4  It is lost when either side closes it, after fail(), when its carrier ends after no_more(), when the other side refuses the session, or when it
//       breaks SL-3's protocol.
//       How long it may be without a carrier is for its user to judge (L-8): the relay's `silence`.
// SL-5  awaited() until its first carrier: silence is counted from then on.
//
// Threading: Carriers from any thread, the rest as every link. `dial` runs on a thread of its own, again and again with a pause, until
// it gives a link; if it throws `refused`, the link is lost with that text.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "octavo/road/link.hpp"

namespace octavo::road {

// What both sides of a steady link know, and nobody else: 128 random bits.
struct Session {
  std::array<std::byte, 16> id{};
  static Session make();  // throws io_error
  friend bool operator==(const Session&, const Session&) = default;
};

// The first bytes of both sides on each carrier.
struct SteadyGreeting {
  std::uint32_t magic = 0x44545353;  // "SSTD"
  std::uint32_t version = 1;
  Session session;
  std::uint64_t received = 0;  // so many bytes of the other side's
};
static_assert(sizeof(SteadyGreeting) == 32);

struct SteadyOptions {
  std::size_t most_kept = 4 << 20;             // of what was sent and is not confirmed; a power of two from 1 MiB
  std::chrono::milliseconds least_silence{0};  // of its carriers (L-15)
};

// Where the carriers of a steady link come in. It may outlive the link.
class Carriers {
 public:
  struct Carrier {
    std::unique_ptr<Link> link;
    std::optional<SteadyGreeting> theirs;  // if it was read already
  };
  Carriers();  // throws io_error
  void carry(std::unique_ptr<Link> carrier, const std::optional<SteadyGreeting>& theirs);
  // There will be no other carrier: the link is lost when the one there is, if there is one, ends.
  void no_more(const std::string& why);
  // The link is lost when what has come is received, however well its carrier is.
  void fail(const std::string& why);

  // What came since the last time, and what was said so far.
  struct Taken {
    std::vector<Carrier> came;
    std::string no_more;  // why there will be no other; empty: there may be
    bool failed = false;
  };
  // The link's: readable until it has taken what there is.
  [[nodiscard]] int event() const noexcept { return event_.get(); }
  Taken take();

 private:
  void say();
  std::mutex mutex_;
  std::vector<Carrier> came_;
  std::string no_more_;
  bool failed_ = false;
  bool said_ = false;  // the event is readable
  Fd event_;
};

class SteadyLink final : public Link {
 public:
  using Dial = std::function<std::unique_ptr<Link>()>;
  // Without `dial` it waits for carry(). Throws io_error, usage_error.
  explicit SteadyLink(const Session& session, Dial dial = {}, const SteadyOptions& options = {});
  ~SteadyLink() override;  // closes it

  [[nodiscard]] std::shared_ptr<Carriers> carriers() const;

  [[nodiscard]] std::size_t send(std::span<const ByteView> pieces) override;
  [[nodiscard]] std::size_t send_lent(std::span<const ByteView> pieces, std::span<const Owner> owners) override;
  [[nodiscard]] std::size_t receive(std::span<const ByteSpan> into) override;
  [[nodiscard]] int descriptor() const override;
  [[nodiscard]] short events(bool sending) const override;
  [[nodiscard]] bool lost() const override;
  [[nodiscard]] std::string why() const override;
  void close() override;
  [[nodiscard]] std::string_view kind() const override { return "steady"; }
  [[nodiscard]] bool awaited() const override;
  [[nodiscard]] std::chrono::milliseconds least_silence() const override { return least_silence_; }

 private:
  class Core;
  std::unique_ptr<Core> core_;  // null: closed, and what was on the way is a thread's affair
  std::shared_ptr<Carriers> carriers_;
  Fd closed_;  // always readable
  std::chrono::milliseconds least_silence_;
};

}  // namespace octavo::road
