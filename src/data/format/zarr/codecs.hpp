// SPDX-License-Identifier: Apache-2.0
// The codecs of a Zarr array, from its metadata into Storage (order, spec, and for shards chunk and write_chunk) and back.
//
// not_supported for what Octavo does not encode and decode itself, with the codec's name and the cure; usage_error for what makes no sense.
#pragma once

#include "data/text/json_fields.hpp"

namespace octavo {

// The field "codecs" of a zarr.json. Shape, type and chunk are known; of an array in shards the chunk is the shard until now.
void read_codecs(const JsonFields& fields, const Json& codecs, Storage& meta);
Json codecs_of(const Storage& meta);

// The fields "order" and "compressor" of a .zarray.
void read_v2_codecs(const JsonFields& fields, Storage& meta);
// null: there is none.
Json v2_compressor_of(const Storage& meta);
const char* v2_order_of(const Storage& meta);

// Of a new array: sets spec, and for shards chunk and write_chunk.
void choose_codecs(const CreateOptions& options, Storage& meta);

}  // namespace octavo
