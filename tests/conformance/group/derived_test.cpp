// SPDX-License-Identifier: Apache-2.0
// C-9 for groups and arrays of pointers: of a derived class they are ones of its base.
#include <numeric>

#include "conformance/process/every_place.hpp"
#include "octavo/group.hpp"

namespace group_tests {

namespace ov = octavo;
using testing::ElementsAre;

class Shape {
 public:
  explicit Shape(int size) : size_(size) {}
  virtual ~Shape() = default;
  [[nodiscard]] virtual int area() const { return 0; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] std::size_t place_in(const ov::group<Shape>& g) const { return ov::self<Shape>(g).index(); }

 private:
  int size_;
};
OCTAVO_REMOTE(Shape, area, size, place_in)
class Square : public Shape {
 public:
  using Shape::Shape;
  [[nodiscard]] int area() const override { return size() * size(); }
};
OCTAVO_REMOTE(Square, (Shape), area)

class Surveyor {
 public:
  int total(const ov::group<Shape>& all) {
    auto areas = all->area();
    return std::accumulate(areas.begin(), areas.end(), 0);
  }
};
OCTAVO_REMOTE(Surveyor, total)

namespace {

class DerivedGroups : public process_tests::EveryPlace {};

TEST_P(DerivedGroups, AreGroupsOfTheBase) {
  auto squares = ov::make_group<Square>(here, 3, ov::each(std::vector<int>{1, 2, 3}));
  ov::group<Shape> shapes = squares;
  EXPECT_EQ(shapes.size(), 3u);
  EXPECT_EQ(shapes.id(), squares.id()) << "the same group";
  EXPECT_THAT(shapes->area(), ElementsAre(1, 4, 9)) << "virtual";
  EXPECT_THAT(ov::start(shapes)->size().get(), ElementsAre(1, 2, 3));
  EXPECT_THAT(shapes->place_in(shapes), ElementsAre(0, 1, 2)) << "its members know it";
  EXPECT_EQ(here.make<Surveyor>()->total(squares), 14) << "as an argument too";
  shapes.barrier();
  shapes = ov::group<Square>();
  EXPECT_EQ(shapes.size(), 0u);
}

TEST_P(DerivedGroups, AnArrayOfPointersToTheBaseIsMadeOfDerivedOnes) {
  std::vector<ov::remote_ptr<Square>> squares{here.make<Square>(2), here.make<Square>(5)};
  auto shapes = here.make<ov::remote_ptr<Shape>[]>(squares);
  EXPECT_EQ(shapes.size(), 2u);
  EXPECT_EQ(shapes[1]->area(), 25);
  shapes[0] = squares[1];
  EXPECT_EQ(shapes[0]->area(), 25);
}

INSTANTIATE_TEST_SUITE_P(, DerivedGroups, process_tests::every_place, process_tests::name_of_place);

}  // namespace
}  // namespace group_tests
