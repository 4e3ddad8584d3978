// SPDX-License-Identifier: Apache-2.0
#include "machine/registry/address_name.hpp"

#include "unit/machine/registry/folder.hpp"

namespace octavo {
namespace {

using namespace std::string_literals;

TEST(AddressName, TakesAwayTheScheme) {
  EXPECT_EQ(address_name("ov://data/set/PageDevice/34"), "data/set/PageDevice/34");
  EXPECT_EQ(address_name("data/set/PageDevice/34"), "data/set/PageDevice/34");
  EXPECT_EQ(address_name("ov"), "ov");
  EXPECT_EQ(address_name("Größe 3/…/ünï/\U0001F4D6"), "Größe 3/…/ünï/\U0001F4D6");
  EXPECT_EQ(address_name("..."), "...");
  EXPECT_EQ(address_name(std::string(longest_name, 'a')).size(), longest_name);
}

TEST(AddressName, RefusesWhatIsNoName) {
  struct Case {
    std::string text;
    const char* why;
  };
  for (const auto& [text, why] : {Case{"", "it is empty"},
                                  Case{"ov://", "it is empty"},
                                  Case{"/a", "a part of it is empty"},
                                  Case{"a/", "a part of it is empty"},
                                  Case{"a//b", "a part of it is empty"},
                                  Case{"/", "a part of it is empty"},
                                  Case{"a/./b", "a part of it is '.'"},
                                  Case{"../a", "a part of it is '..'"},
                                  Case{"a/..", "a part of it is '..'"},
                                  Case{"a\nb", "control character"},
                                  Case{"a\0b"s, "control character"},
                                  Case{"a\x7f", "control character"},
                                  Case{"\u0085", "control character"},
                                  Case{"\xff", "not UTF-8"},
                                  Case{"a\xc3", "not UTF-8"},
                                  Case{"\xc0\xaf", "not UTF-8"},
                                  Case{"\xe0\x80\xaf", "not UTF-8"},
                                  Case{"\xed\xa0\x80", "not UTF-8"},
                                  Case{"\xf4\x90\x80\x80", "not UTF-8"},
                                  Case{"\x80", "not UTF-8"},
                                  Case{std::string(longest_name + 1, 'a'), "1025 bytes"},
                                  Case{"ov://ov://a", "a part of it is empty"}}) {
    std::string error = registry_test::error_text<usage_error>([&given = text] { address_name(given); });
    registry_test::expect_parts(error, {"is no name: ", why, "ov://data/set/PageDevice/34"});
    EXPECT_EQ(wrong_with_text(error), "") << "an error is text, whatever it is about";
    EXPECT_LT(error.size(), 300U);
  }
}

TEST(AddressName, APrefixMayBeEmptyOrEndInASlash) {
  for (const char* text : {"", "ov://"}) EXPECT_EQ(address_prefix(text), "");
  for (const char* text : {"data/set", "data/set/", "ov://data/set/"}) EXPECT_EQ(address_prefix(text), "data/set");
  for (const char* text : {"/", "a//", "a/../b", "\n"}) EXPECT_THROW(address_prefix(text), usage_error) << text;
}

TEST(AddressName, ShowsWhatCannotBePrinted) {
  EXPECT_EQ(printable("a\n\xff\u00e9"), "a\\x0a\\xff\u00e9");
  EXPECT_LT(printable(std::string(5000, '\n')).size(), 100U);
}

}  // namespace
}  // namespace octavo
