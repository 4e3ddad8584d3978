// SPDX-License-Identifier: Apache-2.0
// The rows that were asked for, each said when it is measured. One that fails leaves the others, and so do those for which there is no time.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "kit/pairs.hpp"

namespace bench {

class Table {
 public:
  static constexpr std::chrono::seconds longest{240};
  explicit Table(std::string only) : only_(std::move(only)) {}
  [[nodiscard]] bool wants(const std::string& name) const { return name.find(only_) != std::string::npos; }
  void add(const Row& row, int pairs = 15) {
    if (!wants(row.name)) return;
    try {
      if (std::chrono::steady_clock::now() - begin_ > longest) throw std::runtime_error(row.name + ": the time for all rows is over");
      results_.push_back(in_pairs(row, pairs));
      print(line_of(results_.back()));
    } catch (const std::exception& error) {  // the other rows are worth having
      std::printf("failed: %s\n", error.what());
      failed_ = true;
    }
    std::fflush(stdout);
  }
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] const std::vector<Result>& results() const { return results_; }

 private:
  std::string only_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::vector<Result> results_;
  bool failed_ = false;
};

}  // namespace bench
