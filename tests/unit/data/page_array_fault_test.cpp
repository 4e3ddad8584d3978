// SPDX-License-Identifier: Apache-2.0
// Octavo arrays with page files that are missing, cut off, foreign or swapped; half made ones; array.json as others might write it.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "data/format/pages/page_array.hpp"
#include "scratch.hpp"

namespace octavo {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using test::get_file;
using test::put_file;
using test::Scratch;
using test::text_of;

struct TwoDisks {
  Scratch scratch;
  std::string path = scratch / "a.octavo", d0 = scratch / "d0", d1 = scratch / "d1";
  TwoDisks() {
    fs::create_directories(d0);
    fs::create_directories(d1);
  }
  Storage make(const std::string& name = "a.octavo") const {  // NOLINT(modernize-use-nodiscard)
    CreateOptions options;
    options.devices = {d0, d1};
    return create_storage(storage_format::pages, scratch / name, {64, 64}, {8, 8}, dtype::float32, options);
  }
  [[nodiscard]] auto files() const {
    return std::distance(fs::directory_iterator(d0), fs::directory_iterator{}) + std::distance(fs::directory_iterator(d1), fs::directory_iterator{});
  }
  template <class Error>
  std::string why_not() const {
    return text_of<Error>([this] { open_storage(path); });
  }
};

TEST(PageArrayFault, MissingAndCutOff) {
  TwoDisks disks;
  auto made = disks.make();
  fs::rename(made.files[1], disks.scratch / "away");
  auto text = disks.why_not<io_error>();
  EXPECT_TEXT(text, "the page file '" + made.files[1] + "' of the array '" + disks.path + "' is not there. Mount its disk");
  fs::rename(disks.scratch / "away", made.files[1]);
  fs::resize_file(made.files[1], 4097);
  EXPECT_TEXT(disks.why_not<io_error>(), "a.octavo': the page file '" + made.files[1] + "' is cut off: it has 4097 bytes");
  put_file(made.files[1], "text");
  EXPECT_TEXT(disks.why_not<usage_error>(), made.files[1] + "' is no page file");
}

TEST(PageArrayFault, ForeignAndSwapped) {
  TwoDisks disks;
  auto made = disks.make();
  auto other = disks.make("b.octavo");
  std::string own = get_file(made.files[0]);
  put_file(made.files[0], get_file(other.files[0]));
  EXPECT_TEXT(disks.why_not<usage_error>(),
              "is not the one the array '" + disks.path + "' means: it belongs to the array " + read_page_array(other.path, array_json).id);
  put_file(made.files[0], get_file(made.files[1]));
  EXPECT_TEXT(disks.why_not<usage_error>(), "it is device 1 of 2, not device 0 of 2. Put the right file there");
  auto header = parse_page_file_header(own, "own");
  header.pages *= 2;
  put_file(made.files[0], page_file_header_text(header) + std::string(1 << 20, 'x'));
  EXPECT_TEXT(disks.why_not<usage_error>(), "it has 64 pages of 8 x 8 float32, not 32 pages of 8 x 8 float32");
  put_file(made.files[0], own);
  EXPECT_EQ(open_storage(disks.path).files, made.files);
}

TEST(PageArrayFault, RemovingTakesItsOwnAndNothingElse) {
  TwoDisks disks;
  auto made = disks.make();
  auto other = disks.make("b.octavo");
  put_file(disks.d0 + "/mine.txt", "mine");
  auto json = Json::parse(get_file(disks.path + array_json));
  for (const auto& foreign : {other.files[1], disks.d0 + "/mine.txt", disks.d0, disks.scratch / "missing"}) json["page_files"].push_back(foreign);
  put_file(disks.path + array_json, json.dump());
  remove_storage(disks.path + "/");
  EXPECT_FALSE(fs::exists(disks.path));
  for (const auto& file : made.files) EXPECT_FALSE(fs::exists(file)) << file;
  EXPECT_EQ(get_file(disks.d0 + "/mine.txt"), "mine");
  EXPECT_EQ(open_storage(other.path).files, other.files);
  remove_storage(other.path);
  remove_storage(disks.scratch / "never there");
  EXPECT_EQ(disks.files(), 1);
}

TEST(PageArrayFault, RemovingWhatIsNoArray) {
  Scratch scratch;
  create_storage(storage_format::zarr, scratch / "a.zarr", {4}, {4}, dtype::int8);
  create_storage(storage_format::npy, scratch / "a.npy", {4}, {4}, dtype::int8);
  fs::create_directory_symlink(scratch / "a.zarr", scratch / "link");
  remove_storage(scratch / "link");
  EXPECT_TRUE(fs::exists(scratch / "a.zarr/zarr.json")) << "a link is no more than a link";
  remove_storage(scratch / "a.zarr");
  remove_storage(scratch / "a.npy");
  put_file(scratch / "bad.octavo/array.json", "{");
  remove_storage(scratch / "bad.octavo");
  EXPECT_TRUE(fs::is_empty(scratch.path()));
}

// Where a program was killed while it made the array: the files are as they were at that moment.
TEST(PageArrayFault, HalfMadeIsRefusedAndRemoved) {
  for (int moment = 0; moment < 6; ++moment) {
    TwoDisks disks;
    auto made = disks.make();
    fs::rename(disks.path + array_json, disks.path + making_json);
    if (moment == 0) (fs::remove(made.files[0]), fs::remove(made.files[1]));  // before the first page file
    if (moment == 1) fs::remove(made.files[1]);                               // between the two
    if (moment == 2) fs::resize_file(made.files[1], 0);                       // before its header was written
    if (moment == 3) fs::resize_file(made.files[1], 4096);                    // before its space was reserved
    if (moment == 4) put_file(made.files[1], std::string(8192, '\0'));        // the machine stopped before the header was on the disk
    EXPECT_TEXT(disks.why_not<io_error>(), "a.octavo' was never finished: making it was interrupted. Remove it and make it again");
    remove_storage(disks.path);
    EXPECT_FALSE(fs::exists(disks.path)) << moment;
    EXPECT_EQ(disks.files(), 0) << moment;
    EXPECT_EQ(disks.make().files.size(), 2u) << "and made again";
  }
}

TEST(PageArrayFault, HalfMadeDoesNotTakeFilesThatAreNotNamedForIt) {
  TwoDisks disks;
  disks.make();
  auto json = Json::parse(get_file(disks.path + array_json));
  put_file(disks.d0 + "/empty", "");
  json["page_files"].push_back(disks.d0 + "/empty");
  fs::remove(disks.path + array_json);
  put_file(disks.path + making_json, json.dump());
  remove_storage(disks.path);
  EXPECT_FALSE(fs::exists(disks.path));
  EXPECT_TRUE(fs::exists(disks.d0 + "/empty"));
  EXPECT_EQ(disks.files(), 1);
}

Json good() {
  return Json::parse(R"({"octavo_array": 1, "id": "00112233445566778899aabbccddeeff", "shape": [64, 60], "page": [8, 8], "dtype": "float32",
    "byte_order": "little", "fill_value": 0, "map": {"kind": "block_cyclic", "block": 4}, "attributes": {"unit": "K"},
    "dimension_names": ["y", null], "page_files": ["a-0.pages", "/d1/a-1.pages"]})");
}

PageArray parsed(const Json& json) { return parse_page_array(json.dump(), "a/array.json"); }

TEST(PageArrayText, IsWrittenAsItWasRead) {
  auto meta = parsed(good());
  EXPECT_EQ(meta.shape, (Shape{64, 60}));
  EXPECT_EQ(meta.map_block, 4);
  EXPECT_EQ(meta.files[1], "/d1/a-1.pages");
  EXPECT_EQ(header_of(meta, 1).pages, 32);
  EXPECT_EQ(Json::parse(page_array_text(meta)), good());
  meta.files[0] = "\xff.pages";
  EXPECT_TEXT(text_of<not_supported>([&] { page_array_text(meta); }), "is not UTF-8");
}

TEST(PageArrayText, EveryFieldIsChecked) {
  for (const char* name : {"id", "shape", "page", "dtype", "byte_order", "fill_value", "map", "page_files"}) {
    Json json = good();
    json.erase(name);
    EXPECT_TEXT(text_of<usage_error>([&] { parsed(json); }), std::string("'a/array.json': the field '") + name + "' is missing");
    for (const char* wrong : {"null", "-1", "1e300", "[]", "{}", "\"x\"", "[[]]", "[0]", "[-1, 2]", "[9223372036854775807, 8]", "{\"kind\": 3}"}) {
      json[name] = Json::parse(wrong);
      try {
        parsed(json);
        ADD_FAILURE() << name << " as " << wrong;
      } catch (const error& e) {
        EXPECT_TEXT(std::string(e.what()), "a/array.json");
      }
    }
  }
}

TEST(PageArrayText, WhatIsSaidOfWrongValues) {
  auto why = [](const char* name, const char* value) {
    Json json = good();
    json[name] = Json::parse(value);
    try {
      parsed(json);
    } catch (const error& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_TEXT(why("octavo_array", "2"), "has format version 2; this Octavo reads version 1");
  EXPECT_TEXT(why("color", "1"), "has the field \"color\", which this Octavo does not know. Put what is yours into 'attributes'");
  EXPECT_TEXT(why("id", R"("0011")"), "'id' is not 32 hex digits");
  EXPECT_TEXT(why("dtype", R"("float16")"), "dtype 'float16' is not supported");
  EXPECT_TEXT(why("shape", "[1,1,1,1,1,1,1,1,1]"), "'shape' is not a list of 1 to 8 integers");
  EXPECT_TEXT(why("shape", "[4611686018427387904, 4611686018427387904]"), "more than 2^62 bytes");
  EXPECT_TEXT(why("shape", "[1152921504606846976, 1]"), "Check the shape");
  EXPECT_TEXT(why("page", "[8]"), "pages of 8 for an array of 64 x 60");
  EXPECT_TEXT(why("page", "[4611686018427387904, 8]"), "more than 2^62 bytes");
  EXPECT_TEXT(why("fill_value", "1"), "a fill value other than 0");
  EXPECT_TEXT(why("map", R"({"kind": "hilbert"})"), "the map \"hilbert\"");
  EXPECT_TEXT(why("map", R"({"kind": "block_cyclic"})"), "'map' has no 'block'");
  EXPECT_TEXT(why("map", R"({"kind": "block_cyclic", "block": 4611686018427387904})"), "blocks of 4611686018427387904 pages; the array has 64");
  EXPECT_TEXT(why("attributes", "[]"), "'attributes' is not an object");
  EXPECT_TEXT(why("dimension_names", "[1, 2]"), "not a list of 2 names");
  for (const char* name : {"", ".", "..", "../a", "d/a", "a\\u0000b", "/a\\u0000b"})
    EXPECT_TEXT(why("page_files", (std::string("[\"") + name + "\"]").c_str()), "neither a file's name nor an absolute path");
  EXPECT_TEXT(why("page_files", Json(std::vector<std::string>(1025, "a")).dump().c_str()), "not a list of 1 to 1024 files");
  EXPECT_TEXT(why("page_files", Json({"/" + std::string(5000, 'a')}).dump().c_str()), "neither a file's name");
}

TEST(PageArrayText, WhatIsNotEvenJson) {
  auto why = [](const std::string& text) { return text_of<usage_error>([&] { parse_page_array(text, "a/array.json"); }); };
  EXPECT_TEXT(why(""), "'a/array.json' is not JSON");
  EXPECT_TEXT(why("{\"octavo_array\": 1,"), "parse error at line 1");
  EXPECT_TEXT(why("[1]"), "does not describe an Octavo array");
  EXPECT_TEXT(why("{}"), "does not describe an Octavo array");
  EXPECT_TEXT(text_of<not_supported>([] { parse_page_array(std::string(100000, '['), "a/array.json"); }), "more than 64 levels deep");
  EXPECT_TEXT(text_of<not_supported>([] { parse_page_array(std::string((16 << 20) + 1, ' '), "a/array.json"); }), "at most 16 MiB");
}

}  // namespace
}  // namespace octavo
