// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/played_role.hpp"

#include <sstream>

#include "octavo/base/error.hpp"

namespace octavo::engine {

std::string text_of(const PlayedRole& role) {
  std::ostringstream text;
  text << "play " << role.terms.pool_bytes << ' ' << role.terms.ring_bytes << ' ' << role.terms.silence.count() << ' ' << role.program << ' ' << role.machine;
  return text.str();
}

PlayedRole played_role(const std::string& text) {
  std::istringstream words(text);
  PlayedRole role;
  std::string play;
  std::int64_t silence_ms = 0;
  if (!(words >> play >> role.terms.pool_bytes >> role.terms.ring_bytes >> silence_ms >> role.program) || play != "play" || words.get() != ' ' ||
      !std::getline(words, role.machine))
    throw usage_error("a program was told to be an agent by '" + text + "', which says nothing", "It is an engine that sets OCTAVO_AGENT");
  role.terms.silence = std::chrono::milliseconds(silence_ms);
  return role;
}

}  // namespace octavo::engine
