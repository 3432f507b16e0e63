#include "model/spec/launch_reader.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <variant>

#include "tests/support/temporary_folder.hpp"

namespace perfmodel::spec {
namespace {

using testing::error_of;
using testing::replaced;

constexpr const char* good = R"(schema: perfmodel.launch/1
kernel: saxpy
grid: [4, 2]
block: [32, 8, 2]
dynamic_shared_bytes: 1024
arguments:
  - {i32: -4096}
  - {u64: 18446744073709551615}
  - {f32: 0.5}
  - {buffer: 4096, fill: random_f32, seed: 7}
  - {buffer: 1099511627776, fill: zeros}
  - {buffer: 5, file: raw.bin}
  - {buffer: 12}
)";

template <typename T>
T value_of(const sass::Argument& argument) {
  const auto& value = std::get<sass::ValueArgument>(argument);
  EXPECT_EQ(value.size_bytes, sizeof(T));
  T out{};
  std::memcpy(&out, value.bytes.data(), sizeof(T));
  return out;
}

sass::BufferArgument buffer_of(const sass::Argument& argument) {
  return std::get<sass::BufferArgument>(argument);
}

TEST(LaunchReaderGood, ReadsEveryKindOfArgument) {
  const testing::TemporaryFolder folder;
  folder.write("raw.bin", "abcde");
  LaunchDescription first = read_launch(folder.write("launch.yaml", good));
  const LaunchDescription description = first;
  first = {};
  EXPECT_EQ(description.kernel, "saxpy");
  const sass::Launch& launch = description.launch;
  EXPECT_EQ(launch.grid, (std::array<std::uint32_t, 3>{4, 2, 1}));
  EXPECT_EQ(launch.block, (std::array<std::uint32_t, 3>{32, 8, 2}));
  EXPECT_EQ(launch.dynamic_shared_bytes, 1024U);
  ASSERT_EQ(launch.arguments.size(), 7U);
  EXPECT_EQ(value_of<std::int32_t>(launch.arguments[0]), -4096);
  EXPECT_EQ(value_of<std::uint64_t>(launch.arguments[1]), 18446744073709551615U);
  EXPECT_EQ(value_of<float>(launch.arguments[2]), 0.5F);
  EXPECT_EQ(buffer_of(launch.arguments[3]).fill, sass::Fill::random_f32);
  EXPECT_EQ(buffer_of(launch.arguments[3]).seed, 7U);
  EXPECT_EQ(buffer_of(launch.arguments[4]).size_bytes, std::uint64_t{1} << 40);
  const sass::BufferArgument file = buffer_of(launch.arguments[5]);
  EXPECT_EQ(file.fill, sass::Fill::data);
  ASSERT_EQ(file.data.size(), 5U);
  EXPECT_EQ(file.data[4], std::byte{'e'});
  EXPECT_EQ(buffer_of(launch.arguments[6]).fill, sass::Fill::nothing);
}

TEST(LaunchReaderGood, FlagsSayTheSame) {
  const testing::TemporaryFolder folder;
  const auto raw = folder.write("raw.bin", "abcde");
  const LaunchDescription description =
      launch_from_flags({"32,32",
                         "32,8",
                         64,
                         {"i32:4096", "f64:-1e300", "buffer:4096:random_f32:7",
                          "buffer:5@" + raw.string(), "buffer:8", "buffer:8:iota_i32"}});
  const sass::Launch& launch = description.launch;
  EXPECT_EQ(launch.grid, (std::array<std::uint32_t, 3>{32, 32, 1}));
  EXPECT_EQ(launch.threads_per_block(), 256U);
  EXPECT_EQ(launch.dynamic_shared_bytes, 64U);
  EXPECT_EQ(value_of<std::int32_t>(launch.arguments[0]), 4096);
  EXPECT_EQ(value_of<double>(launch.arguments[1]), -1e300);
  EXPECT_EQ(buffer_of(launch.arguments[2]).seed, 7U);
  EXPECT_EQ(buffer_of(launch.arguments[3]).data[0], std::byte{'a'});
  EXPECT_EQ(buffer_of(launch.arguments[4]).fill, sass::Fill::nothing);
  EXPECT_EQ(buffer_of(launch.arguments[5]).fill, sass::Fill::iota_i32);
}

TEST(LaunchReaderGood, SeedsDifferUnlessGiven) {
  const LaunchDescription description =
      launch_from_flags({"1", "1", 0, {"buffer:4:random_u32", "buffer:4:random_u32"}});
  EXPECT_NE(buffer_of(description.launch.arguments[0]).seed,
            buffer_of(description.launch.arguments[1]).seed);
}

struct BadLaunch {
  const char* what;
  const char* from;
  const char* to;
  const char* message;  ///< after "file:"

  friend void PrintTo(const BadLaunch& bad, std::ostream* out) { *out << bad.what; }
};

class LaunchReader : public ::testing::TestWithParam<BadLaunch> {
 protected:
  testing::TemporaryFolder folder_;
};

TEST_P(LaunchReader, RefusesBadFile) {
  const BadLaunch& bad = GetParam();
  folder_.write("raw.bin", "abcde");
  const auto file = folder_.write("launch.yaml", replaced(good, bad.from, bad.to));
  EXPECT_EQ(error_of([&] { read_launch(file); }), file.string() + ":" + bad.message);
}

INSTANTIATE_TEST_SUITE_P(
    Bad, LaunchReader,
    ::testing::Values(
        BadLaunch{"UnknownKey",
                  "grid:", "gird:", "3:1: launch: unknown key 'gird' (did you mean 'grid'?)"},
        BadLaunch{"NewerSchema", "launch/1", "launch/2",
                  "1:9: written by a newer perfmodel: schema version 2, this one reads up to 1; "
                  "update perfmodel"},
        BadLaunch{"MissingBlock", "block: [32, 8, 2]\n", "", "1:1: launch: key 'block' is missing"},
        BadLaunch{"FourExtents", "[4, 2]", "[4, 2, 1, 1]",
                  "3:7: grid must have 1 to 3 extents, not 4"},
        BadLaunch{"NoExtents", "[4, 2]", "[]", "3:7: grid must not be empty"},
        BadLaunch{"ZeroGrid", "[4, 2]", "[4, 0]",
                  "3:11: grid in y must be a whole number from 1 to 65535, not '0'"},
        BadLaunch{"GridTooWide", "[4, 2]", "[2147483648, 2]",
                  "3:8: grid in x must be a whole number from 1 to 2147483647, not '2147483648'"},
        BadLaunch{"DeepBlock", "[32, 8, 2]", "[1, 1, 65]",
                  "4:15: block in z must be a whole number from 1 to 64, not '65'"},
        BadLaunch{"LargeBlock", "[32, 8, 2]", "[32, 8, 8]",
                  "4:8: a block of 2048 threads is more than the limit of 1024"},
        BadLaunch{"MuchShared", "1024", "232449",
                  "5:23: dynamic_shared_bytes must be a whole number from 0 to 232448, not "
                  "'232449'"},
        BadLaunch{"Overflow", "-4096", "2147483648",
                  "7:11: i32 must be a whole number from -2147483648 to 2147483647, not "
                  "'2147483648'"},
        BadLaunch{"Fraction", "-4096", "1.5",
                  "7:11: i32 must be a whole number from -2147483648 to 2147483647, not '1.5'"},
        BadLaunch{"Quoted", "-4096", "'1'", "7:11: i32 must be a number"},
        BadLaunch{"FloatOverflow", "0.5", "1e39",
                  "9:11: f32 must be a finite number that fits it, not '1e39'"},
        BadLaunch{"NotFinite", "0.5", ".nan",
                  "9:11: f32 must be a finite number that fits it, not '.nan'"},
        BadLaunch{"UnknownType", "{i32: -4096}", "{i23: 1}",
                  "7:6: argument: unknown key 'i23' (did you mean 'i32'?)"},
        BadLaunch{"TwoValues", "{i32: -4096}", "{i32: 1, u32: 2}",
                  "7:5: an argument is one value such as {i32: 4096}, or {buffer: BYTES, ...}"},
        BadLaunch{"FillAlone", "{i32: -4096}", "{fill: zeros}",
                  "7:5: an argument is one value such as {i32: 4096}, or {buffer: BYTES, ...}"},
        BadLaunch{"NotAMapping", "{i32: -4096}", "4096",
                  "7:5: argument must be a mapping, not a single value"},
        BadLaunch{"UnknownFill", "fill: random_f32", "fill: random_f23",
                  "10:26: there is no fill 'random_f23' (did you mean 'random_f32'?)"},
        BadLaunch{"PartialElement", "buffer: 4096", "buffer: 4095",
                  "10:26: a buffer of 4095 bytes is not made of random_f32 elements of 4 bytes"},
        BadLaunch{"SeedOfZeros", "fill: random_f32", "fill: zeros",
                  "10:39: only a random fill takes a 'seed'"},
        BadLaunch{"LargeBuffer", "1099511627776", "1099511627777",
                  "11:14: buffer must be a whole number from 1 to 1099511627776, not "
                  "'1099511627777'"},
        BadLaunch{"FillAndFile", "{buffer: 5, file", "{buffer: 5, fill: zeros, file",
                  "12:5: buffer: give either 'fill' or 'file'"},
        BadLaunch{"ValueAndBuffer", "{buffer: 12}", "{buffer: 12, i32: 1}",
                  "13:18: buffer: unknown key 'i32'; valid keys are buffer, fill, seed, file"}),
    [](const auto& test) { return test.param.what; });

TEST(LaunchReaderBad, NamesTheBuffersFile) {
  const testing::TemporaryFolder folder;
  const auto file = folder.write("launch.yaml", good);
  const std::string raw = (folder.path() / "raw.bin").string();
  EXPECT_EQ(error_of([&] { read_launch(file); }),
            file.string() + ":12:23: '" + raw + "' cannot be read: No such file or directory");
  folder.write("raw.bin", "abc");
  EXPECT_EQ(error_of([&] { read_launch(file); }),
            file.string() + ":12:23: '" + raw + "' holds 3 bytes, but the buffer has 5");
}

TEST(LaunchReaderBad, FlagsAreNamed) {
  const auto error_with = [](const std::string& grid, const std::string& block,
                             const std::string& argument, std::uint64_t shared = 0) {
    return error_of([&] { launch_from_flags({grid, block, shared, {argument}}); });
  };
  EXPECT_EQ(error_with("32,x", "32", "i32:1"),
            "--grid '32,x': grid in y must be a whole number from 1 to 65535, not 'x'");
  EXPECT_EQ(error_with("", "32", "i32:1"),
            "--grid '': grid in x must be a whole number from 1 to 2147483647, not ''");
  EXPECT_EQ(error_with("1", "2,1024", "i32:1"),
            "--block '2,1024': a block of 2048 threads is more than the limit of 1024");
  EXPECT_EQ(error_with("1", "1", "i32:1", 232449),
            "--dynamic-shared-bytes '232449': dynamic shared memory must be a whole number from 0 "
            "to 232448, not '232449'");
  EXPECT_EQ(error_with("1", "1", "int32:1"),
            "--arg 'int32:1': there is no type 'int32'; write TYPE:VALUE with one of i32, u32, "
            "i64, u64, f32, f64, buffer");
  EXPECT_EQ(error_with("1", "1", "i32"),
            "--arg 'i32': i32 must be a whole number from -2147483648 to 2147483647, not ''");
  EXPECT_EQ(error_with("1", "1", "buffer:4:zero"),
            "--arg 'buffer:4:zero': there is no fill 'zero' (did you mean 'zeros'?)");
  EXPECT_EQ(error_with("1", "1", "buffer:4:zeros:1"),
            "--arg 'buffer:4:zeros:1': only a random fill takes a seed, not zeros");
  EXPECT_EQ(error_with("1", "1", "buffer:4:random_u32:1:2"),
            "--arg 'buffer:4:random_u32:1:2': a buffer is BYTES, BYTES:FILL, BYTES:FILL:SEED or "
            "BYTES@FILE");
  EXPECT_EQ(error_with("1", "1", "buffer:4@/nowhere"),
            "--arg 'buffer:4@/nowhere': '/nowhere' cannot be read: No such file or directory");
}

}  // namespace
}  // namespace perfmodel::spec
