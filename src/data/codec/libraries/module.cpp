// SPDX-License-Identifier: Apache-2.0
#include "data/codec/module.hpp"

#include "data/codec/known.hpp"

const octavo::CodecsModule octavo_codecs_module{
#ifdef OCTAVO_ZSTD
    .zstd = octavo::make_zstd,
#endif
#ifdef OCTAVO_DEFLATE
    .gzip = octavo::make_gzip,
    .zlib = octavo::make_zlib,
#endif
#ifdef OCTAVO_BLOSC
    .blosc = octavo::make_blosc,
#endif
#ifdef OCTAVO_LZ4
    .lz4 = octavo::make_lz4,
#endif
#ifdef OCTAVO_LZF
    .lzf = octavo::make_lzf,
#endif
};
