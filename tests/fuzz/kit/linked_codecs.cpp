// SPDX-License-Identifier: Apache-2.0
// In place of src/base/module.cpp: the codecs are linked into a fuzzed program, so that libFuzzer sees their branches.
#include "base/module.hpp"
#include "data/codec/module.hpp"

namespace octavo {

const void* load_module(const std::string&, const std::string&) { return &octavo_codecs_module; }

}  // namespace octavo
