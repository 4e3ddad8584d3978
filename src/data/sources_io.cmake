# SPDX-License-Identifier: Apache-2.0
# What stores arrays: the formats (format/, what they share in text/) and the disk engine (io/). Needs liburing and nlohmann_json (header only).
target_sources(octavo PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/format/xarray/missing.cpp
  ${CMAKE_CURRENT_LIST_DIR}/format/chosen.cpp
  ${CMAKE_CURRENT_LIST_DIR}/format/dense_file.cpp
  ${CMAKE_CURRENT_LIST_DIR}/format/dense_formats.cpp
  ${CMAKE_CURRENT_LIST_DIR}/format/table/format.cpp
  ${CMAKE_CURRENT_LIST_DIR}/format/hdf5_format.cpp
  ${CMAKE_CURRENT_LIST_DIR}/format/store_format.cpp
  ${CMAKE_CURRENT_LIST_DIR}/format/npy.cpp
  ${CMAKE_CURRENT_LIST_DIR}/format/npy_literal.cpp
  ${CMAKE_CURRENT_LIST_DIR}/format/other_files.cpp
  ${CMAKE_CURRENT_LIST_DIR}/encoded/chunk_coder.cpp
  ${CMAKE_CURRENT_LIST_DIR}/encoded/chunk_files.cpp
  ${CMAKE_CURRENT_LIST_DIR}/encoded/encoded_disk.cpp
  ${CMAKE_CURRENT_LIST_DIR}/encoded/encoding.cpp
  ${CMAKE_CURRENT_LIST_DIR}/encoded/shard_index.cpp
  ${CMAKE_CURRENT_LIST_DIR}/format/pages/page_array.cpp
  ${CMAKE_CURRENT_LIST_DIR}/format/pages/page_array_check.cpp
  ${CMAKE_CURRENT_LIST_DIR}/format/pages/page_array_make.cpp
  ${CMAKE_CURRENT_LIST_DIR}/format/pages/page_file.cpp
  ${CMAKE_CURRENT_LIST_DIR}/format/pages/page_formats.cpp
  ${CMAKE_CURRENT_LIST_DIR}/format/pages/page_file_make.cpp
  ${CMAKE_CURRENT_LIST_DIR}/format/storage.cpp
  ${CMAKE_CURRENT_LIST_DIR}/format/storage_create.cpp
  ${CMAKE_CURRENT_LIST_DIR}/format/storage_open.cpp
  ${CMAKE_CURRENT_LIST_DIR}/format/zarr/parse_v2.cpp
  ${CMAKE_CURRENT_LIST_DIR}/format/zarr/chunk_names.cpp
  ${CMAKE_CURRENT_LIST_DIR}/format/zarr/codecs.cpp
  ${CMAKE_CURRENT_LIST_DIR}/format/zarr/new_codecs.cpp
  ${CMAKE_CURRENT_LIST_DIR}/format/zarr/fill.cpp
  ${CMAKE_CURRENT_LIST_DIR}/format/zarr/find.cpp
  ${CMAKE_CURRENT_LIST_DIR}/format/zarr/parse.cpp
  ${CMAKE_CURRENT_LIST_DIR}/format/zarr/write.cpp
  ${CMAKE_CURRENT_LIST_DIR}/format/zarr_format.cpp
  ${CMAKE_CURRENT_LIST_DIR}/io/convert.cpp
  ${CMAKE_CURRENT_LIST_DIR}/io/convert_rows.cpp
  ${CMAKE_CURRENT_LIST_DIR}/io/disk.cpp
  ${CMAKE_CURRENT_LIST_DIR}/io/engine.cpp
  ${CMAKE_CURRENT_LIST_DIR}/io/engine_complete.cpp
  ${CMAKE_CURRENT_LIST_DIR}/io/files/files.cpp
  ${CMAKE_CURRENT_LIST_DIR}/io/files/filled.cpp
  ${CMAKE_CURRENT_LIST_DIR}/io/files/replace.cpp
  ${CMAKE_CURRENT_LIST_DIR}/io/files/sync.cpp
  ${CMAKE_CURRENT_LIST_DIR}/io/part_walk.cpp
  ${CMAKE_CURRENT_LIST_DIR}/io/request.cpp
  ${CMAKE_CURRENT_LIST_DIR}/io/files/reserve.cpp
  ${CMAKE_CURRENT_LIST_DIR}/io/staging.cpp
  ${CMAKE_CURRENT_LIST_DIR}/io/thread_queue.cpp
  ${CMAKE_CURRENT_LIST_DIR}/io/uring_queue.cpp
  ${CMAKE_CURRENT_LIST_DIR}/text/json.cpp
  ${CMAKE_CURRENT_LIST_DIR}/text/json_fields.cpp
  ${CMAKE_CURRENT_LIST_DIR}/text/text_file.cpp
  ${CMAKE_CURRENT_LIST_DIR}/text/type_code.cpp
)
# At -O2 g++ 12 leaves these loops scalar.
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/io/convert_rows.cpp TARGET_DIRECTORY octavo PROPERTIES COMPILE_OPTIONS -O3)
