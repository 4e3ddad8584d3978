// SPDX-License-Identifier: Apache-2.0
// Ours, the limit and the peers turn about, so that all meet the same state of the machine; what counts is the median of the ratios. Pairs in
// which the machine was in its far state (limits.hpp) are left out. A peer that is missing or fails (it throws) is left out of the row, which says why.
#pragma once

#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kit/limits.hpp"
#include "kit/pinned.hpp"
#include "kit/report.hpp"

namespace bench {

struct Row {
  using Measures = std::map<std::string, std::function<double()>>;
  std::string name, unit;
  bool lower_is_better = false;
  std::function<double()> ours;
  std::string limit_name;
  std::function<double()> limit;
  Measures peers = {};   // each in every pair
  Measures beside = {};  // what else to know of the machine then
  std::string aim = {};
  bool far_matters = true;
  bool pinned = true;  // no: it begins threads of its own, which would be pinned with this one
  nlohmann::ordered_json conditions = nlohmann::ordered_json::object();
};

// Where others use the processors too, a row has fewer pairs, and says so.
inline constexpr std::chrono::seconds longest_row{30};

inline double measured(const Row& row) {
  if (!row.pinned) return row.ours();
  const PinnedHere here;
  return row.ours();
}

using Figures = std::map<std::string, double>;

// One figure of each peer that gives one; the others are crossed out.
inline Figures ask_peers(Row& row, nlohmann::ordered_json& conditions) {
  Figures now;
  std::erase_if(row.peers, [&](const auto& peer) {
    try {
      now[peer.first] = peer.second();
      return false;
    } catch (const std::exception& error) {
      conditions["without"][peer.first] = error.what();
      return true;
    }
  });
  return now;
}

inline Result in_pairs(Row row, int pairs) {
  Result result{.name = row.name, .values = {}, .unit = row.unit, .limit = {row.limit_name, 0}, .lower_is_better = row.lower_is_better};
  result.conditions = row.conditions;
  if (!row.aim.empty()) result.conditions["aim"] = row.aim;
  std::vector<double> limits, ratios;
  std::map<std::string, std::vector<double>> peers, peer_ratios, beside;
  int far = 0;
  row.ours();  // warms it up; what threads it begins are not pinned
  ask_peers(row, result.conditions);
  const auto begin = std::chrono::steady_clock::now();
  while (static_cast<int>(ratios.size()) < pairs && far < 2 * pairs && std::chrono::steady_clock::now() - begin < longest_row) {
    double limit = row.limit(), ours = measured(row);
    Figures now = ask_peers(row, result.conditions), known;
    for (const auto& [name, measure] : row.beside) known[name] = measure();
    if (row.far_matters && line_between_processes() > far_line) {
      ++far;
      continue;
    }
    result.values.push_back(ours);
    limits.push_back(limit);
    ratios.push_back(better(result, ours, limit));
    for (const auto& [name, figure] : known) beside[name].push_back(figure);
    for (const auto& [name, figure] : now) {
      peers[name].push_back(figure);
      peer_ratios[name].push_back(better(result, ours, figure));
    }
  }
  if (ratios.empty()) throw std::runtime_error(row.name + ": the machine was in its far state all the time; run it again");
  result.limit.second = median(limits);
  result.to_limit = median(ratios);
  for (const auto& [name, figures] : beside) result.conditions[name] = rounded(median(figures));
  for (const auto& [name, measure] : row.peers) {
    result.peers[name] = median(peers[name]);
    double to_peer = median(peer_ratios[name]);
    result.conditions["to " + name] = rounded(to_peer);
    result.to_best_peer = std::min(result.to_best_peer.value_or(to_peer), to_peer);
  }
  result.conditions["pairs"] = ratios.size();
  result.conditions["far"] = far;
  return result;
}

}  // namespace bench
