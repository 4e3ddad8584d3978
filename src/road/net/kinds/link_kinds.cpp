// SPDX-License-Identifier: Apache-2.0
#include "road/net/kinds/link_kinds.hpp"

#include <algorithm>
#include <array>

#include "octavo/base/error.hpp"
#include "road/net/tls/kind.hpp"

namespace octavo::road {

namespace {

// A kind of link between machines: its line.
constexpr std::array kinds{tls::kind};

struct AddressParts {
  std::string scheme, where;
};

AddressParts parts_of(const std::string& address) {
  constexpr std::string_view mark = "://";
  const auto at = address.find(mark);
  if (at == std::string::npos) throw usage_error("'" + address + "' is no address of an agent", "Write scheme://where, as tls://10.0.0.1:4711");
  return {address.substr(0, at), address.substr(at + mark.size())};
}

}  // namespace

std::span<const LinkKind> link_kinds() { return kinds; }

const LinkKind& link_kind(std::string_view scheme) {
  const auto found = std::ranges::find(kinds, scheme, &LinkKind::scheme);
  if (found != kinds.end()) return *found;
  std::string known;
  for (const auto& each : kinds) known += (known.empty() ? "'" : ", '") + std::string(each.scheme) + "'";
  throw usage_error("there is no link '" + std::string(scheme) + "' between machines", "Known are " + known);
}

std::unique_ptr<LinkListener> listen(const std::string& address, const ClusterKey& key, const LinkTerms& terms) {
  const auto [scheme, where] = parts_of(address);
  return link_kind(scheme).listen(where, key, terms);
}

std::unique_ptr<Link> dial(const std::string& address, const ClusterKey& key, Deadline deadline, const LinkTerms& terms) {
  const auto [scheme, where] = parts_of(address);
  return link_kind(scheme).dial(where, key, deadline, terms);
}

}  // namespace octavo::road
