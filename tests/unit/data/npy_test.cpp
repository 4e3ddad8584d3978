// SPDX-License-Identifier: Apache-2.0
#include "data/format/npy.hpp"

#include <gtest/gtest.h>

#include "scratch.hpp"

namespace octavo {
namespace {

using test::text_of;

std::string file_with(const std::string& literal, int version = 1) {
  std::string start = "\x93NUMPY";
  start += {static_cast<char>(version), 0, static_cast<char>(literal.size() & 0xff), static_cast<char>(literal.size() >> 8)};
  if (version > 1) start += std::string(2, '\0');
  return start + literal;
}

NpyHeader parsed(const std::string& literal, int version = 1) { return parse_npy(file_with(literal, version), "a.npy"); }

TEST(Npy, WhatNumpyWrites) {
  auto header = parsed("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }                    \n");
  EXPECT_EQ(header.shape, (Shape{3, 4}));
  EXPECT_EQ(header.type, dtype::float64);
  EXPECT_EQ(header.order, byte_order::little);
  EXPECT_EQ(header.offset, 10 + 80);
}

TEST(Npy, OtherSpellings) {
  EXPECT_EQ(parsed("{\"shape\":(5,),\"fortran_order\":False,\"descr\":\">c16\"}", 2).offset, 12 + 51);
  EXPECT_EQ(parsed("{'shape':(5,),'fortran_order':False,'descr':'>c16'}", 3).order, byte_order::big);
  EXPECT_EQ(parsed(" { 'shape' : ( 5L , 6 ) , 'fortran_order' : False , 'descr' : '|u1' , } ").shape, (Shape{5, 6}));
  EXPECT_EQ(parsed("{'descr': '=i4', 'fortran_order': False, 'shape': ()}").shape, Shape{});
  for (auto [code, type] : {std::pair{"i1", dtype::int8}, {"u2", dtype::uint16}, {"i8", dtype::int64}, {"f4", dtype::float32}, {"c8", dtype::complex64}})
    EXPECT_EQ(parsed("{'descr': '<" + std::string(code) + "', 'fortran_order': False, 'shape': (1,)}").type, type);
}

TEST(Npy, NotSupportedWithACure) {
  EXPECT_TEXT(text_of<not_supported>([] { parsed("{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (3, 4), }"); }), "structured");
  EXPECT_TEXT(text_of<not_supported>([] { parsed("{'descr': '<f2', 'fortran_order': False, 'shape': (3, 4), }"); }), "astype");
  EXPECT_TEXT(text_of<not_supported>([] { parsed("{'descr': '|O', 'fortran_order': False, 'shape': (3, 4), }"); }), "'O'");
  EXPECT_TEXT(text_of<not_supported>([] { parsed("{'descr': '<f8', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1), }"); }), "more than 8");
  EXPECT_TEXT(text_of<not_supported>([] { parsed("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }", 4); }), "version 4");
}

TEST(Npy, WrongHeaders) {
  for (auto [literal, text] : {std::pair{"  ", "'{' is missing"},
                               {"{'descr': '<f8', 'fortran_order': False}", "the key 'shape' is missing"},
                               {"{'fortran_order': False, 'shape': (1,)}", "the key 'descr' is missing"},
                               {"{'descr': '<f8', 'fortran_order': 0, 'shape': (1,)}", "True or False is missing"},
                               {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'more': 1}", "an unknown key 'more'"},
                               {"{'descr': '<f8', 'fortran_order': False, 'shape': (1", "',' or ')' is missing"},
                               {"{'descr': '<f8', 'fortran_order': False, 'shape': (x,)}", "an extent is missing"},
                               {"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}", "more than 63 bits"},
                               {"{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}", "negative"},
                               {"{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904,)}", "2^62"},
                               {"{'descr': '|f8', 'fortran_order': False, 'shape': (1,)}", "no byte order"},
                               {"{'descr': '<f8", "a string does not end"},
                               {"{'descr': '<f8' 'fortran_order'", "',' or '}' is missing"},
                               {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} x", "follows the dictionary"}}) {
    auto message = text_of<usage_error>([&, which = literal] { parsed(which); });
    EXPECT_TEXT(message, text);
    EXPECT_TEXT(message, "a.npy");
  }
  EXPECT_TEXT(text_of<usage_error>([] { parse_npy("PK\x03\x04 a zip file", "a.npz"); }), "does not begin with");
}

TEST(Npy, OneLongAxisIsInBothOrders) {
  for (const char* shape : {"(350,)", "(350, 1)", "(1, 1, 7, 1)", "()", "(0, 3)"})
    EXPECT_NO_THROW(parsed(std::string("{'descr': '<f8', 'fortran_order': True, 'shape': ") + shape + ", }")) << shape;
  EXPECT_TEXT(text_of<not_supported>([] { parsed("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 2), }"); }), "mmap_mode");
}

// Every beginning of a valid file is an error of ours, and never read beyond.
TEST(Npy, CutAnywhere) {
  std::string whole = file_with("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    std::vector<char> exact(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_THROW(parse_npy({exact.data(), exact.size()}, "a.npy"), error) << length;
  }
}

TEST(Npy, TruncatedData) {
  test::Scratch scratch;
  std::string start = file_with("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }");
  test::put_file(scratch / "a.npy", start + std::string(95, 'x'));
  auto text = text_of<io_error>([&] { read_npy(scratch / "a.npy"); });
  EXPECT_TEXT(text, std::to_string(start.size() + 96) + " bytes expected, " + std::to_string(start.size() + 95) + " found");
  test::put_file(scratch / "a.npy", start + std::string(96, 'x'));
  EXPECT_EQ(read_npy(scratch / "a.npy").shape, (Shape{3, 4}));
  EXPECT_TEXT(text_of<io_error>([&] { read_npy(scratch / "no.npy"); }), "ENOENT");
}

TEST(Npy, WrittenHeadersHaveTheRightBytes) {
  auto text = npy_header_text({3, 4}, dtype::float64);
  ASSERT_EQ(text.size(), 4096u);
  EXPECT_EQ(text.substr(0, 10), std::string("\x93NUMPY\x01\x00\xf6\x0f", 10));
  EXPECT_EQ(text.substr(10, 60), "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), } ");
  EXPECT_EQ(text.find_first_not_of(' ', 69), 4095u);
  EXPECT_EQ(text.back(), '\n');
  for (int type = 0; type < dtype_count; ++type)
    for (const Shape& shape : {Shape{}, Shape{7}, Shape{1, 2, 3, 4, 5, 6, 7, 8}}) {
      auto header = parse_npy(npy_header_text(shape, static_cast<dtype>(type)), "x");
      EXPECT_EQ(header.shape, shape);
      EXPECT_EQ(header.type, static_cast<dtype>(type));
      EXPECT_EQ(header.order, byte_order::little);
      EXPECT_EQ(header.offset, 4096);
    }
}

}  // namespace
}  // namespace octavo
