// SPDX-License-Identifier: Apache-2.0
// The connection on which a call came, and on which its answer goes back.
//
// An Origin is copied and never moved: a moved-from one would keep some of its fields and look as if it still named its connection. That once lost
// the answers of all later calls on that connection.
// Threading: the thread that reads; a copy may be used by any.
#pragma once

#include <cstdint>

#include "process/peers/peer_link.hpp"

namespace octavo::detail {

class Origin {
 public:
  Origin() = default;
  Origin(const PeerLink& link, std::uint64_t round)
      : connection_(link.connection), direct_(link.connection.get()), round_(round), route_(link.route), caller_(link.facts.address), pid_(link.facts.pid) {}
  Origin(const Origin&) = default;  // and so no move
  Origin& operator=(const Origin&) = default;
  ~Origin() = default;

  // The last frame came on this connection, too, and the endpoint's list of links has not changed since.
  [[nodiscard]] bool is(const PeerLink& link, std::uint64_t round) const noexcept { return direct_ == link.connection.get() && round_ == round; }
  // Alive while the endpoint's list of links is of this round; else null.
  [[nodiscard]] road::Connection* direct(std::uint64_t round) const noexcept { return round_ == round ? direct_ : nullptr; }
  [[nodiscard]] std::shared_ptr<road::Connection> connection() const noexcept { return connection_.lock(); }
  [[nodiscard]] const std::optional<wire::PageRoute>& route() const noexcept { return route_; }
  [[nodiscard]] const Address& caller() const noexcept { return caller_; }
  [[nodiscard]] std::int64_t pid() const noexcept { return pid_; }  // of the caller: a lasting address has several lives

 private:
  std::weak_ptr<road::Connection> connection_;
  road::Connection* direct_ = nullptr;
  std::uint64_t round_ = 0;
  std::optional<wire::PageRoute> route_;
  Address caller_;
  std::int64_t pid_ = 0;
};

}  // namespace octavo::detail
