#include "model/sass/listing_file.hpp"

#include <gtest/gtest.h>

#include "model/error.hpp"
#include "tests/sass/fixtures.hpp"

namespace perfmodel::sass {
namespace {

using namespace testing;
using perfmodel::testing::replaced;

/// A module with something in every field.
Module full_module() {
  Module module;
  module.sm = 90;
  module.arch = "sm_90";
  module.tool = "nvdisasm";
  module.compiler = "ptxas";
  module.source_files = {"a.cu", "b\"\\\u00e9.hpp"};
  module.banks = {{3, {std::byte{0}, std::byte{0xff}, std::byte{0x1a}}, ""}, {2, {}, "f"}};
  module.variables = {{"v", 16, {}}, {"w", 1, {std::byte{7}}}};
  module.address_slots = {{4, 8, 1, 0xffff'ffff'ffff'fffcU}};
  module.variable_pointers = {{0, 8, 1, 3}};
  Function function;
  function.name = "f";
  function.instructions = {{"@!P0", "LDG.E.128.CONSTANT", "R4,desc[UR8][R16.64+0x10]", 0, 5},
                           {"", "FFMA", "R1, R2, R3, R4", 0, 5},
                           {"@P1", "EXIT", "", 1, 7},
                           {"", "NOP", "", 0, 0}};
  function.labels = {{"$sub", 32}};
  function.registers = 255;
  function.static_shared_bytes = 2048;
  function.local_bytes = 8;
  function.max_threads = 1024;
  function.parameter_base = 0x210;
  function.parameters = {{0, 8}, {8, 4}};
  function.described = true;
  function.has_control = true;
  function.instructions[0].control = {1, true, 0, 3, 0, 0};
  function.instructions[1].control = {15, false, 7, 7, 0x21, 0xf};
  Function other;
  other.name = "helper";
  other.kernel = false;
  module.functions = {function, other};
  return module;
}

const std::vector<Module> two{full_module(), Module{120, "sm_120", "", "", {}, {}, {}, {}, {}, {}}};

std::vector<Module> parse(const std::string& text) { return parse_listing(text, "f.json"); }
std::string error_with(std::string_view from, std::string_view to) {
  static const std::string text = write_listing(std::span(two).first(1));
  return error_of([&] { parse(replaced(text, from, to)); });
}
/// Without the place, which is tested once.
std::string what_with(std::string_view from, std::string_view to) {
  const std::string error = error_with(from, to);
  const std::size_t end = error.find(": ");
  return end == std::string::npos ? error : error.substr(end + 2);
}

TEST(ListingFile, RoundTripIsExact) {
  EXPECT_EQ(parse(write_listing(two)), two);
  EXPECT_EQ(parse(write_listing({})), std::vector<Module>{});
}

TEST(ListingFile, WithoutControl) {
  Module module = full_module();
  const std::string text = write_listing(std::span(&module, 1));
  // Stall 1, yield, barriers 0 and 3; stall 15, no barriers, waits for 0 and 5, all reused.
  const std::string control = ",\"control\":[769,2035711,2032,2032]";
  Function& function = module.functions[0];
  function.has_control = false;
  for (ListedInstruction& instruction : function.instructions) {
    instruction.control = {};
  }
  EXPECT_EQ(parse(replaced(text, control, "")), std::vector<Module>{module});
}

TEST(ListingFile, PlainAndCompressedFilesReproducibly) {
  const TemporaryFolder folder;
  const auto plain = folder.path() / "l.json";
  const auto packed = folder.path() / "l.json.gz";
  write_listing_file(plain, two);
  write_listing_file(packed, two);
  EXPECT_EQ(read_file(plain), write_listing(two));
  const std::string bytes = read_file(packed);
  ASSERT_GT(bytes.size(), 10U);
  EXPECT_EQ(bytes.substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(bytes.substr(4, 4), std::string(4, '\0')) << "no time stamp";
  const auto packed_again = folder.path() / "other.json.gz";
  write_listing_file(packed_again, two);
  EXPECT_EQ(read_file(packed_again), bytes);

  constexpr std::size_t limit = 1 << 20;
  EXPECT_EQ(read_plain_or_gzip(plain, limit), write_listing(two));
  EXPECT_EQ(read_plain_or_gzip(packed, limit), write_listing(two));
  EXPECT_EQ(error_of([&] { read_plain_or_gzip(packed, 10); }),
            packed.string() + ": has more than 10 bytes");
  const auto cut = folder.write("cut.gz", bytes.substr(0, bytes.size() / 2));
  EXPECT_EQ(error_of([&] { read_plain_or_gzip(cut, limit); }),
            cut.string() + ": cannot be decompressed: the file is cut short");
  std::string damaged = bytes;
  damaged[bytes.size() - 5] = static_cast<char>(damaged[bytes.size() - 5] ^ 0x55);
  const auto bad = folder.write("bad.gz", damaged);
  EXPECT_TRUE(error_of([&] {
                read_plain_or_gzip(bad, limit);
              }).starts_with(bad.string() + ": cannot be decompressed: "));
  const auto none = folder.path() / "none.gz";
  EXPECT_EQ(error_of([&] { read_plain_or_gzip(none, limit); }),
            none.string() + ": cannot be read: No such file or directory");
}

TEST(ListingFile, NamesThatAreNotUtf8) {
  Module module = full_module();
  module.functions[0].name = "\xff";
  EXPECT_EQ(error_of([&] { write_listing(std::span(&module, 1)); }),
            "a name in the listing is not UTF-8, so it cannot be stored");
}

TEST(ListingFile, Schema) {
  EXPECT_EQ(error_of([] { parse("{}"); }),
            "f.json:1:1: key 'schema' is missing; write schema: perfmodel.listing/1");
  EXPECT_EQ(error_with("listing/1", "costs/1"),
            "f.json:1:11: schema 'perfmodel.costs/1' is not perfmodel.listing/1");
  EXPECT_EQ(error_with("listing/1", "listing/2"),
            "f.json:1:11: written by a newer perfmodel: schema version 2, this one reads up to 1; "
            "update perfmodel");
  EXPECT_EQ(what_with("\"tool\"", "\"tools\""),
            "module: unknown key 'tools' (did you mean 'tool'?)");
}

TEST(ListingFile, WrongTypesAndValues) {
  EXPECT_EQ(what_with("\"registers\":255", "\"registers\":-1"),
            "registers must be a whole number of at most 32 bits");
  EXPECT_EQ(what_with("\"registers\":255", "\"registers\":\"255\""),
            "registers must be a whole number of at most 32 bits");
  EXPECT_EQ(what_with("\"sm_90\"", "90"), "arch must be a string");
  EXPECT_EQ(what_with("\"ptxas\"", "\"p\\n\""), "compiler must be one line without tabs");
  EXPECT_EQ(what_with("\"sm_90\"", "\"ptx\""), "'ptx' is no architecture such as sm_90");
  EXPECT_EQ(what_with("\"sm_90\"", "\"sm_-90\""), "'sm_-90' is no architecture such as sm_90");
  EXPECT_EQ(what_with("\"described\":true", "\"described\":1"), "described must be true or false");
  EXPECT_EQ(what_with("00ff1a", "00ff1"), "bytes must be pairs of hexadecimal digits");
  EXPECT_EQ(what_with("00ff1a", "00fg1a"), "bytes must be pairs of hexadecimal digits");
  EXPECT_EQ(what_with("\"initial\":\"07\"", "\"initial\":\"0707\""), "initial has 2 bytes of 1");
  EXPECT_EQ(what_with("[\"$sub\",32]", "[\"$sub\"]"), "label must have 2 items, not 1");
  EXPECT_EQ(what_with("[\"$sub\",32]", "[7,32]"), "label name must be a string");
  EXPECT_EQ(what_with("[[\"$sub\",32]]", "7"), "labels must be a list");
  EXPECT_EQ(what_with("[0,8,1,3]", "[0,9,1,3]"), "byte 9 of a variable of 16");
  EXPECT_EQ(what_with("[0,8,1,3]", "[0,8,2,3]"), "variable 2 of 2");
  EXPECT_EQ(what_with("[4,8,1,", "[4,8,5,"), "variable 5 of 2");
  EXPECT_EQ(what_with("[4,8,1,", "[4,8589934592,1,"), "offset 8589934592 in a constant bank");
  EXPECT_EQ(what_with("\"@P1 EXIT\"", "\"@P1\""), "'@P1' is no instruction");
  EXPECT_EQ(what_with("\"@P1 EXIT\"", "\"@P1 EXIT \""), "'@P1 EXIT ' is no instruction");
  EXPECT_EQ(what_with("\"@P1 EXIT\"", "\"\""), "'' is no instruction");
}

TEST(ListingFile, SourceRuns) {
  EXPECT_EQ(what_with("[2,0,5,1,1,7,1,0,0]", "[2,0,5,1,1,7]"),
            "source describes 3 instructions of 4");
  EXPECT_EQ(what_with("[2,0,5,1,1,7,1,0,0]", "[2,0,5,1,1,7,9,0,0]"),
            "source describes more than 4 instructions");
  EXPECT_EQ(what_with("[2,0,5,1,1,7,1,0,0]", "[2,0,5,1,1,7,1,0,0,1]"),
            "source describes 4 instructions of 4");
  EXPECT_EQ(what_with("[2,0,5,1,1,7,1,0,0]", "[2,0,5,1,2,7,1,0,0]"), "source file 2 of 2");
}

TEST(ListingFile, Control) {
  EXPECT_EQ(what_with("[769,2035711,2032,2032]", "[769,2035711,2016]"),
            "control describes 3 instructions of 4");
  EXPECT_EQ(what_with("[769,2035711,2032,2032]", "[769,2035711,2032,2032,0]"),
            "control describes 5 instructions of 4");
  EXPECT_EQ(what_with("[769,2035711,", "[769,2097152,"), "control 2097152 has more than 21 bits");
  EXPECT_EQ(what_with("[769,2035711,", "[-769,2035711,"),
            "control must be a whole number of at most 32 bits");
  EXPECT_EQ(what_with("[769,2035711,2032,2032]", "\"769\""), "control must be a list");
}

}  // namespace
}  // namespace perfmodel::sass
