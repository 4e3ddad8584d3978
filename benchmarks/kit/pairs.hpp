// SPDX-License-Identifier: Apache-2.0
// Ours and the limit turn about, so that both meet the same state of the machine; what counts is the median of the ratios. Pairs in which the
// machine was in its far state (limits.hpp) are left out.
#pragma once

#include <cstdio>
#include <functional>
#include <string>

#include "kit/limits.hpp"
#include "kit/report.hpp"

namespace bench {

struct Row {
  std::string name, unit;
  bool lower_is_better = false;
  std::function<double()> ours;
  std::string limit_name;
  std::function<double()> limit;
  std::map<std::string, std::function<double()>> peers = {};  // each in every pair
  nlohmann::ordered_json conditions = nlohmann::ordered_json::object();
};

inline Result in_pairs(const Row& row, int pairs) {
  Result result{.name = row.name, .values = {}, .unit = row.unit, .limit = {row.limit_name, 0}, .lower_is_better = row.lower_is_better};
  result.conditions = row.conditions;
  std::vector<double> limits, ratios;
  std::map<std::string, std::vector<double>> peers, peer_ratios;
  int far = 0;
  row.ours();  // warms it up
  while (static_cast<int>(ratios.size()) < pairs && far < 2 * pairs) {
    double limit = row.limit(), ours = row.ours();
    std::map<std::string, double> now;
    for (const auto& [name, measure] : row.peers) now[name] = measure();
    if (line_between_processes() > far_line) {
      ++far;
      continue;
    }
    result.values.push_back(ours);
    limits.push_back(limit);
    ratios.push_back(better(result, ours, limit));
    for (const auto& [name, figure] : now) {
      peers[name].push_back(figure);
      peer_ratios[name].push_back(better(result, ours, figure));
    }
  }
  if (ratios.empty()) throw std::runtime_error(row.name + ": the machine was in its far state all the time; run it again");
  result.limit.second = median(limits);
  result.to_limit = median(ratios);
  for (const auto& [name, figures] : peers) result.peers[name] = median(figures);
  for (const auto& [name, each] : peer_ratios) result.conditions["to " + name] = rounded(median(each));
  result.conditions["pairs"] = ratios.size();
  result.conditions["far"] = far;
  return result;
}

}  // namespace bench
