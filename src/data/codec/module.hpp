// SPDX-License-Identifier: Apache-2.0
// What liboctavo wants of liboctavo-codecs.so when a process decodes its first chunk (base/module.hpp): the codecs that are a library's. The maker of one
// whose library was not there when this was built is null.
#pragma once

#include "data/codec/codec.hpp"
#include "data/codec/configuration.hpp"

namespace octavo {

struct CodecsModule {
  using Make = std::unique_ptr<Codec> (*)(const CodecConfiguration& given);
  Make zstd = nullptr, gzip = nullptr, zlib = nullptr, blosc = nullptr, lz4 = nullptr, lzf = nullptr;
};

}  // namespace octavo

extern "C" const octavo::CodecsModule octavo_codecs_module;
