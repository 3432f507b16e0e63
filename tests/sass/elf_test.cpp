#include "model/sass/elf.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "model/error.hpp"
#include "tests/sass/fixtures.hpp"

namespace perfmodel::sass {
namespace {

using namespace testing;

Cubin read(const std::string& bytes) { return read_cubin(bytes_of(bytes), "f.cubin"); }
std::string error_for(const std::string& bytes) {
  return error_of([&] { read(bytes); });
}
std::string error_for(const CubinEditor& editor) { return error_for(editor.bytes); }

struct Expected {
  const char* file;
  int sm;
  std::uint32_t parameter_base;
  std::uint32_t shared_bytes;  // 128 doubles, and 1024 bytes of the system from sm_90 on
  std::uint32_t registers;     // of `divide`, as cuobjdump -res-usage says
  std::uint32_t subroutine;    // of `divide`
};

class ElfTest : public ::testing::TestWithParam<Expected> {};

TEST_P(ElfTest, DescribesKernels) {
  const Cubin cubin = read(read_file(fixture(GetParam().file)));
  EXPECT_EQ(cubin.module.sm, GetParam().sm);
  EXPECT_EQ(cubin.module.arch, "sm_" + std::to_string(GetParam().sm));
  ASSERT_EQ(cubin.module.functions.size(), 3U);
  ASSERT_EQ(cubin.symbols.size(), 3U);
  ASSERT_EQ(cubin.code_bytes.size(), 3U);
  EXPECT_EQ(cubin.module.functions[0].name, "_Z6chooseIiEvPT_c");
  EXPECT_EQ(cubin.module.functions[1].name, "_Z6chooseIfEvPT_c");
  const Function& divide = cubin.module.functions[2];
  EXPECT_EQ(divide.name, "divide");
  EXPECT_TRUE(divide.described);
  EXPECT_TRUE(divide.kernel);
  EXPECT_TRUE(divide.instructions.empty());
  EXPECT_EQ(divide.registers, GetParam().registers);
  EXPECT_EQ(divide.static_shared_bytes, GetParam().shared_bytes);
  EXPECT_EQ(divide.local_bytes, 0U);
  EXPECT_EQ(divide.max_threads, 128U);
  EXPECT_EQ(divide.parameter_base, GetParam().parameter_base);
  const std::vector<Parameter> parameters{{0, 8}, {8, 8}, {16, 8}, {24, 4}, {32, 16}};
  EXPECT_EQ(divide.parameters, parameters);
  const std::vector<CodeLabel> labels{
      {"$__internal_1_$__cuda_sm20_div_rn_f64_full", GetParam().subroutine}};
  EXPECT_EQ(divide.labels, labels);
  EXPECT_EQ(cubin.module.functions[0].static_shared_bytes, 0U);
  EXPECT_EQ(cubin.module.functions[0].max_threads, 0U);
  EXPECT_EQ(cubin.module.functions[0].parameters, (std::vector<Parameter>{{0, 8}, {8, 1}}));
}

TEST_P(ElfTest, ConstantsVariablesAndAddresses) {
  const Module module = read(read_file(fixture(GetParam().file))).module;
  const auto bank = [&](std::uint32_t number, const std::string& function) {
    for (const ConstantBank& candidate : module.banks) {
      if (candidate.bank == number && candidate.function == function) {
        return candidate.bytes;
      }
    }
    ADD_FAILURE() << "no bank " << number << " of '" << function << "'";
    return std::vector<std::byte>{};
  };
  const std::array<float, 4> weights{1.0F, 0.5F, 0.25F, 0.125F};
  ASSERT_EQ(bank(3, "").size(), sizeof weights);
  EXPECT_EQ(std::memcmp(bank(3, "").data(), weights.data(), sizeof weights), 0);
  EXPECT_EQ(bank(4, "").size(), 24U);
  if (GetParam().sm < 100) {  // where `choose` has a table of jumps
    EXPECT_EQ(bank(2, "_Z6chooseIiEvPT_c").size(), 28U);
  }

  ASSERT_EQ(module.variables.size(), 3U);
  EXPECT_EQ(module.variables[0], (GlobalVariable{"counter", 4, {}}));
  EXPECT_EQ(module.variables[1].name, "table");
  const std::array<float, 3> table{1.0F, 2.0F, 3.0F};
  ASSERT_EQ(module.variables[1].initial.size(), sizeof table);
  EXPECT_EQ(std::memcmp(module.variables[1].initial.data(), table.data(), sizeof table), 0);
  EXPECT_EQ(module.variables[2].name, "middle");
  const std::vector<AddressSlot> slots{{4, 16, 2, 0}, {4, 8, 1, 0}, {4, 0, 0, 0}};
  EXPECT_EQ(module.address_slots, slots);
  const std::vector<VariablePointer> pointers{{2, 0, 1, 4}};  // middle = table + 1
  EXPECT_EQ(module.variable_pointers, pointers);
}

INSTANTIATE_TEST_SUITE_P(
    Architectures, ElfTest,
    ::testing::Values(Expected{"variables_sm_75.cubin", 75, 0x160, 1024, 26, 0x370},
                      Expected{"variables_sm_90.cubin", 90, 0x210, 2048, 26, 0x3c0},
                      Expected{"variables_sm_120.cubin", 120, 0x380, 2048, 26, 0x5e0}),
    [](const auto& instance) { return "sm_" + std::to_string(instance.param.sm); });

/// Words of `nvdisasm -hex` for instructions of `divide`, taken apart by hand.
TEST(Elf, SchedulingControls) {
  const auto controls_of_divide = [](const char* file) {
    const Cubin cubin = read(read_file(fixture(file)));
    EXPECT_EQ(cubin.controls.size(), cubin.code_bytes.size());
    for (std::size_t i = 0; i < cubin.controls.size(); ++i) {
      EXPECT_EQ(cubin.controls[i].size() * instruction_bytes, cubin.code_bytes[i]);
    }
    return cubin.controls.at(2);
  };
  constexpr std::uint8_t none = no_scheduling_barrier;
  const auto turing = controls_of_divide("variables_sm_75.cubin");
  const auto control = [](std::uint8_t stall, bool yield, std::uint8_t write, std::uint8_t wait) {
    return SchedulingControl{stall, yield, write, none, wait, 0};
  };
  EXPECT_EQ(turing.at(0x00 / 16), control(2, false, none, 0)) << "0x000fe400078e00ff";
  EXPECT_EQ(turing.at(0x10 / 16), control(4, false, 0, 0)) << "0x000e280000002500";
  EXPECT_EQ(turing.at(0x30 / 16), control(5, true, none, 1)) << "0x001fca00078e0202";
  EXPECT_EQ(turing.at(0x80 / 16), control(1, false, 2, 0)) << "0x000ea200001eeb00";
  EXPECT_EQ(turing.at(0xa0 / 16), control(1, false, 3, 0)) << "0x000ee200001eeb00";
  EXPECT_EQ(turing.at(0xf0 / 16), control(2, false, none, 8)) << "0x008fe40003f2e200";
  EXPECT_EQ(turing.at(0x4e0 / 16), (SchedulingControl{2, false, 1, 0, 1, 0}))
      << "0x001064000000000c";
  const auto hopper = controls_of_divide("variables_sm_90.cubin");
  EXPECT_EQ(hopper.at(0x20 / 16), control(8, false, 0, 0)) << "0x000e300000002500";
  EXPECT_EQ(hopper.at(0xd0 / 16), control(6, true, none, 2)) << "0x002fcc00078e0206";
  EXPECT_EQ(hopper.at(0x110 / 16), control(1, false, 0, 4)) << "0x004e220000001800";
  EXPECT_EQ(hopper.at(0x2d0 / 16), (SchedulingControl{2, false, none, 1, 0, 0}))
      << "0x0003e40000000a00";
  EXPECT_EQ(hopper.at(0x500 / 16), (SchedulingControl{1, false, none, none, 0, 4}))
      << "0x100fe200078ef807";
  EXPECT_EQ(hopper.at(0x650 / 16), (SchedulingControl{2, false, none, none, 0, 3}))
      << "0x0c0fe40007800910";
  const auto blackwell = controls_of_divide("variables_sm_120.cubin");
  EXPECT_EQ(blackwell.at(0x130 / 16), control(15, true, 0, 1)) << "0x001e1e0000000102";
  EXPECT_EQ(blackwell.at(0x140 / 16), control(15, true, none, 0)) << "0x000fde0000000000";
}

TEST(Elf, OldLayoutOfTheFlags) {
  CubinEditor editor("variables_sm_90.cubin");
  editor.header().e_ident[EI_ABIVERSION] = 7;
  editor.header().e_flags = 0x5a055a;
  EXPECT_EQ(read(editor.bytes).module.sm, 90);
}

TEST(Elf, WhatIsNoCubin) {
  EXPECT_EQ(error_for(std::string()), "f.cubin: is no ELF file, so it is no cubin");
  EXPECT_EQ(error_for("hello"), "f.cubin: is no ELF file, so it is no cubin");
  CubinEditor editor("variables_sm_90.cubin");
  EXPECT_EQ(error_for(editor.bytes.substr(0, 20)), "f.cubin: the ELF header is cut short");
  editor.header().e_machine = EM_X86_64;
  EXPECT_EQ(error_for(editor),
            "f.cubin: is an ELF file of another machine (e_machine 62), not a cubin");
  editor = CubinEditor("variables_sm_90.cubin");
  editor.header().e_ident[EI_CLASS] = ELFCLASS32;
  EXPECT_EQ(error_for(editor), "f.cubin: is a cubin of 32 bits, which CUDA no longer supports");
  editor = CubinEditor("variables_sm_90.cubin");
  editor.header().e_flags = 0x3400;
  EXPECT_EQ(error_for(editor),
            "f.cubin: holds code for sm_52; only sm_70 and later are read (e_flags 0x3400)");
}

TEST(Elf, TruncatedAtAnyByteIsNoCrash) {
  const std::string whole = read_file(fixture("variables_sm_90.cubin"));
  const std::size_t needed = CubinEditor("variables_sm_90.cubin").header().e_shoff;
  for (std::size_t size = 0; size < whole.size(); size += 13) {
    const std::string cut(whole, 0, size);  // a string of its own, so that ASan sees its end
    try {
      read(cut);
      EXPECT_GE(size, needed);
    } catch (const Error&) {
    }
  }
  EXPECT_EQ(error_for(whole.substr(0, 5000)),
            "f.cubin: the section table lies beyond the end of the file; it is cut short");
}

TEST(Elf, EveryByteChangedIsNoCrash) {
  std::string bytes = read_file(fixture("variables_sm_75.cubin"));
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const char before = bytes[at];
    bytes[at] = static_cast<char>(before ^ 0xff);
    try {
      read(bytes);
    } catch (const Error&) {
    }
    bytes[at] = before;
  }
}

TEST(Elf, SectionBeyondTheEnd) {
  CubinEditor editor("variables_sm_90.cubin");
  editor.section(".text.divide").sh_offset = editor.bytes.size();
  EXPECT_EQ(error_for(editor),
            "f.cubin: section .text.divide lies beyond the end of the file; it is cut short");
  editor = CubinEditor("variables_sm_90.cubin");
  editor.section(".text.divide").sh_type = SHT_NOBITS;
  EXPECT_EQ(error_for(editor), "f.cubin: section .text.divide holds no code");
}

TEST(Elf, Names) {
  CubinEditor editor("variables_sm_90.cubin");
  editor.section(".text.divide").sh_name = 0x7fffffff;
  EXPECT_EQ(error_for(editor).substr(0, 28), "f.cubin: the name of section") << error_for(editor);
  editor = CubinEditor("variables_sm_90.cubin");
  editor.bytes[editor.section(".strtab").sh_offset + editor.symbol("counter").st_name] = '\x1b';
  EXPECT_EQ(error_for(editor).substr(0, 27), "f.cubin: the name of symbol") << error_for(editor);
  EXPECT_TRUE(error_for(editor).ends_with("holds control characters"));
  editor = CubinEditor("variables_sm_90.cubin");
  editor.section(".symtab").sh_type = SHT_PROGBITS;
  EXPECT_EQ(error_for(editor), "f.cubin: has no symbol table, so its kernels cannot be told apart");
}

TEST(Elf, Attributes) {
  const std::string info = ".nv.info.divide";
  CubinEditor editor("variables_sm_90.cubin");
  editor.content(info)[0] = 9;
  EXPECT_EQ(error_for(editor),
            "f.cubin: section .nv.info.divide: the attribute at offset 0 has the unknown format 9");
  editor = CubinEditor("variables_sm_90.cubin");
  std::memset(editor.content(info) + 2, 0xff, 2);
  EXPECT_EQ(error_for(editor),
            "f.cubin: section .nv.info.divide: the attribute at offset 0 is cut short");
  editor = CubinEditor("variables_sm_90.cubin");
  editor.section(info).sh_size = 2;
  EXPECT_EQ(error_for(editor),
            "f.cubin: section .nv.info.divide: the attribute at offset 0 is cut short");
  editor = CubinEditor("variables_sm_90.cubin");
  editor.content(info)[1] = 0x17;  // an attribute of 4 bytes
  EXPECT_EQ(error_for(editor),
            "f.cubin: section .nv.info.divide: attribute 0x17 takes 4 bytes instead of 12");
  editor = CubinEditor("variables_sm_90.cubin");
  editor.attribute(info, 0x17)[8] = 9;  // the ordinal
  EXPECT_EQ(error_for(editor),
            "f.cubin: kernel divide: its 5 parameters are not numbered one by one");
  editor = CubinEditor("variables_sm_90.cubin");
  editor.attribute(info, 0x0a)[1] = 0x7f;
  EXPECT_EQ(error_for(editor), "f.cubin: kernel divide: nothing says where its parameters begin");
  editor = CubinEditor("variables_sm_90.cubin");
  std::memset(editor.attribute(info, 0x05) + 4, 0xff, 12);
  EXPECT_EQ(error_for(editor), "f.cubin: a kernel declares more than 65535 threads per block");
  editor = CubinEditor("variables_sm_90.cubin");
  std::memset(editor.attribute(".nv.info", 0x2f) + 4, 0x7f, 4);
  EXPECT_EQ(error_for(editor).substr(0, 67),
            "f.cubin: section .nv.info: an attribute names symbol 2139062143 of ")
      << error_for(editor);
}

TEST(Elf, Places) {
  CubinEditor editor("variables_sm_90.cubin");
  editor.symbol("$__internal_1_$__cuda_sm20_div_rn_f64_full").st_value = 1 << 20;
  EXPECT_EQ(error_for(editor),
            "f.cubin: label $__internal_1_$__cuda_sm20_div_rn_f64_full lies behind the code of "
            "divide");
  editor = CubinEditor("variables_sm_90.cubin");
  editor.symbol("table").st_size = 1 << 20;
  EXPECT_EQ(error_for(editor), "f.cubin: variable table lies outside section .nv.global.init");
  editor = CubinEditor("variables_sm_90.cubin");
  editor.symbol("counter").st_shndx = 999;
  EXPECT_EQ(error_for(editor).substr(0, 47), "f.cubin: symbol counter lies in section 999 of ");
  editor = CubinEditor("variables_sm_90.cubin");
  std::memset(editor.content(".rela.nv.constant4"), 0x11, 8);
  EXPECT_EQ(error_for(editor),
            "f.cubin: section .rela.nv.constant4 changes byte 1229782938247303441 of "
            ".nv.constant4, which has 24");
  editor = CubinEditor("variables_sm_90.cubin");
  std::memset(editor.content(".rela.nv.constant4") + 12, 0x11, 4);
  EXPECT_EQ(error_for(editor).substr(0, 76),
            "f.cubin: section .rela.nv.constant4: relocation 0 names symbol 286331153 of ");
  editor = CubinEditor("variables_sm_90.cubin");
  editor.section(".rela.nv.constant4").sh_info = 999;
  EXPECT_EQ(error_for(editor).substr(0, 58),
            "f.cubin: section .rela.nv.constant4 changes section 999 of");
  editor = CubinEditor("variables_sm_90.cubin");
  editor.section(".nv.shared.divide").sh_size = std::uint64_t{1} << 40;
  EXPECT_EQ(error_for(editor), "f.cubin: kernel divide: 1099511627776 bytes of shared memory");
  editor = CubinEditor("variables_sm_90.cubin");
  editor.section(".nv.constant3").sh_type = SHT_NOBITS;
  editor.section(".nv.constant3").sh_size = 1 << 20;
  EXPECT_EQ(error_for(editor), "f.cubin: section .nv.constant3: 1048576 bytes of constants");
}

}  // namespace
}  // namespace perfmodel::sass
