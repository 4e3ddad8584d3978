// SPDX-License-Identifier: Apache-2.0
// Segments belong to a program, or to the objects with names of a machine: neither maps those of the other.
#include "conformance/process/named/named_scene.hpp"
#include "octavo/message.hpp"

namespace process_tests {

using Lines = ov::Segment<int>;

class LastingReader {
 public:
  int read(const Lines& lines, std::uint64_t at) const { return lines[at]; }
  // Of its own machine's.
  int write(const std::string& name, int number) {
    lines_ = Lines(name, 100);
    return std::exchange(lines_[0], number);
  }
  int read_by(const ov::remote_ptr<LastingReader>& other) const;
  template <class Archive>
  void serialize(Archive& /*archive*/) {}

 private:
  Lines lines_;
};
OCTAVO_REMOTE(LastingReader, read, write, read_by)

int LastingReader::read_by(const ov::remote_ptr<LastingReader>& other) const { return other->read(lines_, 0); }

namespace {

TEST_F(NamedObjects, SEG4_TheProgramsSegmentsAreNotTheirs) {
  auto one = ov::named("lines/one").make<LastingReader>(), two = ov::named("lines/two").make<LastingReader>();
  const Lines mine("lines", 100);
  mine[7] = 3;
  try {
    one->read(mine, 7);
    ADD_FAILURE() << "it was sent";
  } catch (const ov::not_supported& e) {
    EXPECT_THAT(e.what(), HasSubstr("a segment of 400 B was to go to process_tests::LastingReader"));
  }
  EXPECT_EQ(one->read(mine.copy(), 7), 3);
  EXPECT_EQ(one->write("lines", 5), 0) << "it has one of this name of its own";
  EXPECT_EQ(two->write("lines", 6), 5) << "in common with others that have names";
  EXPECT_EQ(one->read_by(two), 6);
  EXPECT_EQ(mine[0], 0);
}

}  // namespace
}  // namespace process_tests
