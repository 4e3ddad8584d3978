// SPDX-License-Identifier: Apache-2.0
// The table of codecs: a new one is a file with its maker, its declaration in known.hpp, and its line here. One by a library lies in libraries/, and has a line
// in module.hpp.
#include "data/codec/codec.hpp"

#include <string_view>

#include "base/module.hpp"
#include "data/codec/known.hpp"
#include "data/codec/module.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

struct KnownCodec {
  std::string_view name;
  CodecsModule::Make make;
};

// Of a library.
template <CodecsModule::Make CodecsModule::*make>
std::unique_ptr<Codec> loaded(const CodecConfiguration& given) {
  static const auto& module = module_of<CodecsModule>("codecs", "Install what it links with (Debian: libzstd1, libdeflate0, liblz4-1, liblzf1, libblosc1)");
  return (module.*make)(given);
}

constexpr KnownCodec known[] = {
    {"crc32c", make_crc32c},
    {"numcodecs.fletcher32", make_fletcher32},
    {"numcodecs.shuffle", make_shuffle},
    {"transpose", make_transpose},
#ifdef OCTAVO_ZSTD
    {"zstd", loaded<&CodecsModule::zstd>},
#endif
#ifdef OCTAVO_DEFLATE
    {"gzip", loaded<&CodecsModule::gzip>},
    {"numcodecs.zlib", loaded<&CodecsModule::zlib>},
#endif
#ifdef OCTAVO_BLOSC
    {"blosc", loaded<&CodecsModule::blosc>},
#endif
#ifdef OCTAVO_LZ4
    {"numcodecs.lz4", loaded<&CodecsModule::lz4>},
#endif
#ifdef OCTAVO_LZF
    {"lzf", loaded<&CodecsModule::lzf>},
#endif
};

}  // namespace

std::unique_ptr<Codec> make_codec(const Json& codec) {
  const CodecConfiguration given(codec);
  for (const auto& each : known)
    if (each.name == given.name()) return each.make(given);
  std::string list;
  for (const auto& each : known) list += (list.empty() ? "" : ", ") + std::string(each.name);
  throw not_supported("the codec '" + cut(given.name()) + "' is not read in C++",
                      "It reads " + list + "; the octavo command and the Python package read others through zarr-python");
}

std::vector<std::string> native_codecs() {
  std::vector<std::string> names;
  for (const auto& each : known) names.emplace_back(each.name);
  return names;
}

void check_length(std::uint64_t made, std::size_t wanted) {
  if (made != wanted) throw Damaged("it has " + std::to_string(made) + " bytes where " + std::to_string(wanted) + " belong");
}

}  // namespace octavo
