// SPDX-License-Identifier: Apache-2.0
// The first library: process classes that others derive from.
#pragma once

#include <string>

#include "octavo/process.hpp"

namespace libraries {

class Base {
 public:
  explicit Base(int start);
  virtual ~Base();
  int add(int n);
  [[nodiscard]] virtual std::string who() const;
  [[nodiscard]] std::string describe() const { return who() + " " + std::to_string(value_); }
  // Overloaded, with a default: called by name.
  int scale(int by, int again = 1);
  double scale(double by);

 private:
  int value_;
};
OCTAVO_REMOTE(Base, add, who, describe, scale)

class Labelled {
 public:
  virtual ~Labelled();
  void set_label(const std::string& text);
  [[nodiscard]] virtual std::string label() const;

 private:
  std::string label_ = "none";
};
OCTAVO_REMOTE(Labelled, set_label, label)

}  // namespace libraries
