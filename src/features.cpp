// SPDX-License-Identifier: Apache-2.0
// The features that endpoints host, in the order in which they are made. A new one is a folder, and a line here.
#include "message/channel/edges.hpp"
#include "message/queue/queues.hpp"
#include "process/feature.hpp"
#include "process/member/group_member.hpp"
#include "process/named/named_life.hpp"

namespace octavo::detail {

FeatureList all_features() { return {feature_of<GroupMember>(), feature_of<Edges>(), feature_of<Queues>(), feature_of<NamedLife>()}; }

}  // namespace octavo::detail
