// SPDX-License-Identifier: Apache-2.0
#include "data/codec/configuration.hpp"

#include <limits>

#include "octavo/base/error.hpp"

namespace octavo {

namespace {

constexpr const char* mend_metadata = "Write the array's metadata again";

}  // namespace

CodecConfiguration::CodecConfiguration(const Json& codec) {
  if (codec.is_string()) {
    name_ = codec.get<std::string>();
    return;
  }
  auto name = codec.is_object() ? codec.find("name") : codec.end();
  if (name == codec.end() || !name->is_string()) throw usage_error("a codec without a name: " + shown(codec), mend_metadata);
  name_ = name->get<std::string>();
  auto fields = codec.find("configuration");
  if (fields == codec.end() || fields->is_null()) return;
  if (!fields->is_object()) throw usage_error("the configuration of the codec '" + cut(name_) + "' is no object: " + shown(*fields), mend_metadata);
  fields_ = &*fields;
}

const Json* CodecConfiguration::find(const char* field) const {
  if (fields_ == nullptr) return nullptr;
  auto found = fields_->find(field);
  return found == fields_->end() || found->is_null() ? nullptr : &*found;
}

int CodecConfiguration::number(const char* field, int least, int most, int usual) const {
  const Json* found = find(field);
  if (found == nullptr) return usual;
  if (found->is_number_integer() && *found >= least && *found <= most) return found->get<int>();
  throw usage_error("the '" + std::string(field) + "' of the codec '" + cut(name_) + "' is " + shown(*found) + ", not a number from " + std::to_string(least) +
                        " to " + std::to_string(most),
                    mend_metadata);
}

Shape CodecConfiguration::numbers(const char* field) const {
  const Json* found = find(field);
  Shape numbers;
  bool good = found != nullptr && found->is_array() && found->size() <= static_cast<std::size_t>(max_dims);
  for (std::size_t i = 0; good && i < found->size(); ++i) {
    good = (*found)[i].is_number_integer() && (*found)[i] <= std::numeric_limits<std::int64_t>::max();
    if (good) numbers.push_back((*found)[i].get<std::int64_t>());
  }
  if (good) return numbers;
  throw usage_error("the '" + std::string(field) + "' of the codec '" + cut(name_) + "' is " + (found == nullptr ? "missing" : shown(*found)) +
                        ", not a list with a whole number for each axis",
                    mend_metadata);
}

bool CodecConfiguration::flag(const char* field) const {
  const Json* found = find(field);
  if (found == nullptr) return false;
  if (found->is_boolean()) return found->get<bool>();
  throw usage_error("the '" + std::string(field) + "' of the codec '" + cut(name_) + "' is " + shown(*found) + ", not true or false", mend_metadata);
}

std::string CodecConfiguration::text(const char* field, const char* usual) const {
  const Json* found = find(field);
  if (found == nullptr) return usual;
  if (found->is_string()) return found->get<std::string>();
  throw usage_error("the '" + std::string(field) + "' of the codec '" + cut(name_) + "' is " + shown(*found) + ", not a name", mend_metadata);
}

}  // namespace octavo
