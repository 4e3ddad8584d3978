// SPDX-License-Identifier: Apache-2.0
#include "road/net/kinds/link_kinds.hpp"

#include <algorithm>
#include <array>

#include "octavo/base/error.hpp"
#include "road/net/files/kind.hpp"
#include "road/net/sftp/kind.hpp"
#include "road/net/ssh/kind.hpp"
#include "road/net/tls/kind.hpp"
#include "road/net/unix/kind.hpp"

namespace octavo::road {

namespace {

// A kind of link between machines: its line.
constexpr std::array kinds{tls::kind, ssh::kind, files::kind, sftp::kind, unix_socket::kind};

struct AddressParts {
  std::string scheme, where;
};

AddressParts parts_of(std::string_view address) {
  constexpr std::string_view mark = "://";
  const auto at = address.find(mark);
  if (at == std::string_view::npos)
    throw usage_error("'" + std::string(address) + "' is no address of an agent", "Write scheme://where, as tls://10.0.0.1:4711");
  return {std::string(address.substr(0, at)), std::string(address.substr(at + mark.size()))};
}

}  // namespace

void LinkListener::bring(Fd /*from*/, Fd /*to*/) { throw usage_error("no bytes of the link at " + address() + " go by a command"); }

std::span<const LinkKind> link_kinds() { return kinds; }

const LinkKind& link_kind_of(std::string_view address) { return link_kind(parts_of(address).scheme); }

ChosenLink chosen_link(const std::string& text, bool reachable) {
  if (reachable && text == files::kind.scheme) return {&sftp::kind, ""};
  const auto colon = text.find(':');
  ChosenLink chosen{&link_kind(text.substr(0, colon)), colon == std::string::npos ? "" : text.substr(colon + 1)};
  if (!chosen.where.empty() && !chosen.kind->takes_command && (chosen.kind->needs_address || chosen.kind->by_command))
    throw usage_error("the link '" + text + "' says more than its kind", "Write '" + std::string(chosen.kind->scheme) + "'");
  return chosen;
}

std::string ChosenLink::place(const std::function<std::string()>& own_address) const {
  const std::string command = kind->takes_command && !where.empty() ? " by " + where : "";
  return std::string(kind->scheme) + "://" + (kind->needs_address ? own_address() : where) + command;
}

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
