// SPDX-License-Identifier: Apache-2.0
// Taking the fields of a codec's configuration; each error names the codec and the field.
#pragma once

#include <string>

#include "data/text/json.hpp"
#include "octavo/data/box.hpp"

namespace octavo {

class CodecConfiguration {
 public:
  // Must stay. usage_error if there is no name.
  explicit CodecConfiguration(const Json& codec);
  [[nodiscard]] const std::string& name() const { return name_; }
  // From `least` to `most`; `usual` where it is not there.
  [[nodiscard]] int number(const char* field, int least, int most, int usual) const;
  // A list of whole numbers, one for each axis; usage_error where it is not there.
  [[nodiscard]] Shape numbers(const char* field) const;
  [[nodiscard]] bool flag(const char* field) const;
  [[nodiscard]] std::string text(const char* field, const char* usual) const;

 private:
  [[nodiscard]] const Json* find(const char* field) const;
  std::string name_;
  const Json* fields_ = nullptr;  // none: there is no configuration
};

}  // namespace octavo
