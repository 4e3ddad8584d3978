// SPDX-License-Identifier: Apache-2.0
// The makers of the codecs, each in a file of its own. One whose library was not there when this was built has none.
#pragma once

#include "data/codec/codec.hpp"
#include "data/codec/configuration.hpp"

namespace octavo {

std::unique_ptr<Codec> make_crc32c(const CodecConfiguration& given);
std::unique_ptr<Codec> make_fletcher32(const CodecConfiguration& given);
std::unique_ptr<Codec> make_shuffle(const CodecConfiguration& given);
std::unique_ptr<Codec> make_transpose(const CodecConfiguration& given);
std::unique_ptr<Codec> make_zstd(const CodecConfiguration& given);
std::unique_ptr<Codec> make_gzip(const CodecConfiguration& given);
std::unique_ptr<Codec> make_zlib(const CodecConfiguration& given);
std::unique_ptr<Codec> make_blosc(const CodecConfiguration& given);
std::unique_ptr<Codec> make_lz4(const CodecConfiguration& given);
std::unique_ptr<Codec> make_lzf(const CodecConfiguration& given);

// Of what was decoded. Throws Damaged.
void check_length(std::uint64_t made, std::size_t wanted);

}  // namespace octavo
