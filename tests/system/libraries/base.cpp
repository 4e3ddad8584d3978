// SPDX-License-Identifier: Apache-2.0
#include "system/libraries/base.hpp"

namespace libraries {

Base::Base(int start) : value_(start) {}
Base::~Base() = default;
int Base::add(int n) { return value_ += n; }
std::string Base::who() const { return "base"; }
int Base::scale(int by, int again) {
  for (int i = 0; i < again; ++i) value_ *= by;
  return value_;
}
double Base::scale(double by) { return value_ * by; }

Labelled::~Labelled() = default;
void Labelled::set_label(const std::string& text) { label_ = text; }
std::string Labelled::label() const { return label_; }

}  // namespace libraries
