#include "model/sass/footprint_law.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>

namespace perfmodel::sass::testing {
namespace {

constexpr std::uint32_t input = 0;
constexpr std::uint32_t output = 1;
/// Instructions 0 and 1 load, 2 stores, 3 is an atomic.
constexpr std::array<AccessKinds, 4> kinds = {
    {{true, false}, {true, false}, {false, true}, {true, true}}};

/// Footprints by a formula.
class Invented final : public BlockFootprints {
 public:
  using Formula = std::function<BlockFootprint(std::uint64_t)>;
  explicit Invented(Formula formula) : formula_(std::move(formula)) {}

  void prepare(std::span<const std::uint64_t> /*blocks*/) override {}
  const BlockFootprint& at(std::uint64_t block) override {
    const auto known = known_.find(block);
    return known != known_.end() ? known->second
                                 : known_.emplace(block, formula_(block)).first->second;
  }
  [[nodiscard]] bool affordable() const override { return known_.size() < 1024; }
  [[nodiscard]] std::size_t asked() const { return known_.size(); }

 private:
  Formula formula_;
  std::map<std::uint64_t, BlockFootprint> known_;
};

using Grid = std::array<std::uint32_t, 3>;

std::uint64_t size_of(const Grid& grid) { return std::uint64_t{grid[0]} * grid[1] * grid[2]; }

TouchedBytes by_hand(const Invented::Formula& formula, std::uint64_t first, std::uint64_t count) {
  TouchedUnion all(2);
  for (std::uint64_t block = first; block < first + count; ++block) {
    for (const InstructionFootprint& one : formula(block)) {
      all.add(one.region, kinds[one.position], one.bytes);
    }
  }
  return all.take();
}

/// The law must be found, and give the union of any range of blocks. Returns the blocks that
/// finding it took.
std::size_t expect_law(const Grid& grid, const Invented::Formula& formula) {
  Invented footprints(formula);
  const std::optional<FootprintLaw> law = find_footprint_law(grid, kinds, footprints, 8, 1);
  if (!law) {
    ADD_FAILURE() << "no law";
    return 0;
  }
  const std::uint64_t blocks = size_of(grid);
  std::uint64_t members = 0;
  for (const FootprintLaw::Class& one : law->classes) {
    members += one.blocks.size();
  }
  EXPECT_EQ(members, blocks);
  std::mt19937_64 random(7);
  for (int i = 0; i < 40; ++i) {
    const std::uint64_t first = i == 0 ? 0 : random() % blocks;
    const std::uint64_t count = i == 0 ? blocks : i < 5 ? 1 : random() % (blocks - first + 1);
    TouchedUnion touched(2);
    law->add_range(first, count, touched);
    EXPECT_FALSE(touched.too_large());
    EXPECT_EQ(touched.take(), by_hand(formula, first, count)) << first << " + " << count;
  }
  return footprints.asked();
}

void expect_no_law(const Grid& grid, const Invented::Formula& formula) {
  Invented footprints(formula);
  EXPECT_FALSE(find_footprint_law(grid, kinds, footprints, 32, 1));
}

ByteSet row(std::uint64_t begin, std::uint64_t bytes) { return ByteSet({{begin, begin + bytes}}); }

/// What a tile of a product of two matrices loads and stores, with `width` columns of `n`.
BlockFootprint product_tile(std::uint64_t x, std::uint64_t y, std::uint64_t width,
                            std::uint64_t n) {
  const std::uint64_t columns = std::min(width, n - x * width);
  ByteSet right;
  ByteSet result;
  for (std::uint64_t k = 0; k < 5; ++k) {
    right.append(4096 + 4 * (k * n + x * width), 4096 + 4 * (k * n + x * width + columns));
  }
  for (std::uint64_t i = 0; i < 3; ++i) {
    const std::uint64_t begin = 4 * ((3 * y + i) * n + x * width);
    result.append(begin, begin + 4 * columns);
  }
  return {{0, input, row(60 * y, 60)}, {1, input, right}, {2, output, result}};
}

TEST(FootprintLaw, ProductsOfMatricesWithAndWithoutEdges) {
  for (const std::uint64_t n : {64U, 61U}) {
    const std::size_t asked = expect_law(
        {8, 40, 1}, [n](std::uint64_t block) { return product_tile(block % 8, block / 8, 8, n); });
    EXPECT_LT(asked, n == 64 ? 25U : 45U);
  }
}

TEST(FootprintLaw, ThreeDirections) {
  expect_law({5, 4, 6}, [](std::uint64_t block) -> BlockFootprint {
    const std::uint64_t x = block % 5;
    const std::uint64_t y = block / 5 % 4;
    const std::uint64_t z = block / 20;
    return {{0, input, row(40 * x + 1000 * y, 44)},
            {3, output, ByteSet({{8 * z + 100 * x, 8 * z + 100 * x + 4}})}};
  });
}

TEST(FootprintLaw, StepsMayBeNegativeOrNothing) {
  expect_law({50, 1, 1}, [](std::uint64_t block) -> BlockFootprint {
    return {{0, input, row(10'000 - 100 * block, 60)}, {1, input, row(0, 7)}};
  });
  expect_law({50, 2, 1}, [](std::uint64_t) -> BlockFootprint { return {}; });
}

TEST(FootprintLaw, HalosAtBothEnds) {
  expect_law({30, 20, 1}, [](std::uint64_t block) -> BlockFootprint {
    const std::uint64_t x = block % 30;
    const std::uint64_t y = block / 30;
    ByteSet bytes;
    for (std::uint64_t line = y == 0 ? 0 : 8 * y - 1;
         line < std::min<std::uint64_t>(160, 8 * y + 9); ++line) {
      bytes.append(line * 1200 + (x == 0 ? 0 : 40 * x - 4),
                   line * 1200 + std::min<std::uint64_t>(1200, 40 * x + 44));
    }
    return {{0, input, bytes}};
  });
}

TEST(FootprintLaw, TilesNumberedInOneDirection) {
  // Rows of tiles, a last column that is clipped, and rows left over.
  for (const std::uint64_t n : {104U, 101U}) {
    for (const std::uint32_t blocks : {260U, 255U}) {
      expect_law({blocks, 1, 1},
                 [n](std::uint64_t block) { return product_tile(block % 13, block / 13, 8, n); });
    }
  }
}

TEST(FootprintLaw, SwizzledTiles) {
  // Groups of four rows of tiles are walked through column by column.
  expect_law({16 * 24, 1, 1}, [](std::uint64_t block) {
    const std::uint64_t group = block / (4 * 16);
    const std::uint64_t y = 4 * group + block % 4;
    const std::uint64_t x = block % (4 * 16) / 4;
    return product_tile(x, y, 8, 128);
  });
  // Neighbours share a tile.
  expect_law({300, 1, 1}, [](std::uint64_t block) -> BlockFootprint {
    return {{0, input, row(64 * (block / 2), 64)}, {2, output, row(32 * block, 32)}};
  });
  // Neighbours change places.
  expect_law({300, 1, 1}, [](std::uint64_t block) -> BlockFootprint {
    return {{0, input, row(64 * (block ^ 1U), 64)}};
  });
}

TEST(FootprintLaw, ShapesThatRepeat) {
  // As where a vector load starts at the next multiple of 16 bytes.
  expect_law({333, 1, 1}, [](std::uint64_t block) -> BlockFootprint {
    const std::uint64_t begin = 20 * block;
    const std::uint64_t aligned = (begin + 15) / 16 * 16;
    BlockFootprint footprint = {{0, input, row(aligned, 16)}};
    if (aligned != begin) {
      footprint.push_back({1, input, row(begin, aligned - begin)});
    }
    return footprint;
  });
}

TEST(FootprintLaw, InstructionsThatOnlyTogetherFollowALaw) {
  // Which of two instructions loads which half depends on the block, without order.
  const auto formula = [](std::uint64_t block) -> BlockFootprint {
    const bool swapped = (block * block / 7) % 3 == 0;
    const ByteSet first = row(64 * block, 32);
    const ByteSet second = row(64 * block + 32, 24);
    return {{0, input, swapped ? second : first}, {1, input, swapped ? first : second}};
  };
  expect_law({500, 1, 1}, formula);
}

TEST(FootprintLaw, TailsInTheLastRowOnly) {
  expect_law({10, 30, 1}, [](std::uint64_t block) -> BlockFootprint {
    const std::uint64_t bytes =
        std::min<std::uint64_t>(40, 11'870 - std::min<std::uint64_t>(11'870, 40 * block));
    return bytes == 0 ? BlockFootprint{} : BlockFootprint{{0, input, row(40 * block, bytes)}};
  });
}

TEST(FootprintLaw, NoneWhereThereIsNone) {
  expect_no_law({700, 1, 1}, [](std::uint64_t block) -> BlockFootprint {
    return {{0, input, row(block * block, 8)}};
  });
  expect_no_law({700, 1, 1}, [](std::uint64_t block) -> BlockFootprint {
    return {{0, input, row(64 * (block * 2654435761U % 1024), 64)}};
  });
  expect_no_law({40, 40, 1}, [](std::uint64_t block) -> BlockFootprint {
    return {{0, input, row(64 * (block % 40 * (block / 40)), 64)}};
  });
}

TEST(FootprintLaw, OneBlockThatDiffersAmongManyIsNotPromised) {
  // The check of random blocks cannot see all of them: what it says is how many it saw.
  Invented footprints(
      [](std::uint64_t block) -> BlockFootprint { return {{0, input, row(64 * block, 64)}}; });
  const std::optional<FootprintLaw> law =
      find_footprint_law({100'000, 1, 1}, kinds, footprints, 32, 1);
  ASSERT_TRUE(law);
  EXPECT_GE(law->blocks_verified, 30U);
  EXPECT_LE(law->blocks_verified, footprints.asked());
}

TEST(BlockLattice, CountsMembersInOrder) {
  const BlockLattice lattice{3, {{2, 4}, {20, 3}}};
  std::vector<std::uint64_t> blocks;
  for (std::uint64_t outer = 0; outer < 3; ++outer) {
    for (std::uint64_t inner = 0; inner < 4; ++inner) {
      blocks.push_back(lattice.block_at(std::array{inner, outer}));
    }
  }
  for (std::uint64_t block = 0; block < 70; ++block) {
    EXPECT_EQ(lattice.members_before(block),
              static_cast<std::uint64_t>(
                  std::ranges::count_if(blocks, [&](std::uint64_t one) { return one < block; })))
        << block;
  }
}

}  // namespace
}  // namespace perfmodel::sass::testing
