#include "model/sass/elf.hpp"

#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "model/error.hpp"
#include "model/text.hpp"

namespace perfmodel::sass {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::uint16_t machine_cuda = 190;
constexpr std::uint8_t abi_version_of_cuda_13 = 8;  // from then on e_flags has another layout
constexpr unsigned char entry_flag = 0x10;          // STO_CUDA_ENTRY in st_other

// Attributes of .nv.info (EIATTR_...).
constexpr std::uint8_t attribute_max_threads = 0x05;
constexpr std::uint8_t attribute_param_cbank = 0x0a;
constexpr std::uint8_t attribute_reqntid = 0x10;
constexpr std::uint8_t attribute_frame_size = 0x11;
constexpr std::uint8_t attribute_min_stack_size = 0x12;
constexpr std::uint8_t attribute_kparam_info = 0x17;
constexpr std::uint8_t attribute_regcount = 0x2f;
constexpr std::uint8_t attribute_kparam_info_v2 = 0x45;  // sizes of 16 KiB and more

// Their formats (EIFMT_...): the last is a size and that many bytes, the others are two bytes.
constexpr std::uint8_t format_none = 1;
constexpr std::uint8_t format_half = 3;
constexpr std::uint8_t format_sized = 4;

// Relocations that write a 64-bit address (R_CUDA_64, R_CUDA_G64).
constexpr std::uint32_t relocation_64 = 2;
constexpr std::uint32_t relocation_generic_64 = 4;
constexpr std::uint64_t address_bytes = 8;

template <typename Number>
Number number_at(Bytes bytes, std::size_t offset) {
  Number number{};
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

struct ElfSection {
  std::string name;
  GElf_Shdr header{};
  Elf_Scn* handle = nullptr;
};

struct ElfSymbol {
  std::string name;
  GElf_Sym entry{};
  std::size_t section = 0;  ///< 0: undefined, absolute or common
};

struct Relocation {
  std::uint64_t offset = 0;
  std::uint32_t type = 0;
  std::size_t symbol = 0;
  std::optional<std::int64_t> addend;  ///< none: stands in the place itself
};

/// Sections, symbols and relocations; every access is checked.
class ElfImage {
 public:
  ElfImage(Bytes bytes, std::string file) : file_(std::move(file)) {
    elf_version(EV_CURRENT);
    // libelf takes no pointer to const, but changes nothing of an image that it only reads.
    auto* data = const_cast<char*>(  // NOLINT(cppcoreguidelines-pro-type-const-cast)
        reinterpret_cast<const char*>(bytes.data()));
    elf_.reset(elf_memory(data, bytes.size()));
    if (!elf_ || elf_kind(elf_.get()) != ELF_K_ELF ||
        gelf_getehdr(elf_.get(), &header_) == nullptr) {
      fail_here("the ELF header is cut short");
    }
    // libelf takes a section table that is not there for an empty one.
    const std::uint64_t table = header_.e_shoff;
    if (table > bytes.size() ||
        (bytes.size() - table) / sizeof(Elf64_Shdr) < std::max<std::size_t>(header_.e_shnum, 1)) {
      fail_without_table();
    }
    read_sections();
    read_symbols();
  }

  [[noreturn]] void fail_here(const std::string& what) const {
    fail(fmt::format("{}: {}", file_, what));
  }

  [[nodiscard]] const GElf_Ehdr& header() const { return header_; }
  [[nodiscard]] const std::vector<ElfSection>& sections() const { return sections_; }
  [[nodiscard]] const std::vector<ElfSymbol>& symbols() const { return symbols_; }

  [[nodiscard]] Bytes bytes_of(const ElfSection& section) const {
    if (section.header.sh_type == SHT_NOBITS || section.header.sh_size == 0) {
      return {};
    }
    const Elf_Data* data = elf_rawdata(section.handle, nullptr);
    if (data == nullptr || data->d_buf == nullptr || data->d_size != section.header.sh_size) {
      fail_here(fmt::format("section {} lies beyond the end of the file; it is cut short",
                            printable(section.name)));
    }
    return {static_cast<const std::byte*>(data->d_buf), data->d_size};
  }

  [[nodiscard]] std::vector<Relocation> relocations_of(const ElfSection& section) const {
    const bool with_addend = section.header.sh_type == SHT_RELA;
    const Bytes bytes = bytes_of(section);
    const std::size_t entry_bytes = with_addend ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    std::vector<Relocation> relocations;
    for (std::size_t at = 0; at + entry_bytes <= bytes.size(); at += entry_bytes) {
      Relocation relocation;
      const auto info = number_at<std::uint64_t>(bytes, at + offsetof(Elf64_Rela, r_info));
      relocation.offset = number_at<std::uint64_t>(bytes, at);
      relocation.type = static_cast<std::uint32_t>(GELF_R_TYPE(info));
      relocation.symbol = GELF_R_SYM(info);
      if (with_addend) {
        relocation.addend = number_at<std::int64_t>(bytes, at + offsetof(Elf64_Rela, r_addend));
      }
      if (relocation.symbol >= symbols_.size()) {
        fail_here(fmt::format("section {}: relocation {} names symbol {} of {}",
                              printable(section.name), at / entry_bytes, relocation.symbol,
                              symbols_.size()));
      }
      relocations.push_back(relocation);
    }
    return relocations;
  }

 private:
  struct EndElf {
    void operator()(Elf* elf) const { elf_end(elf); }
  };

  [[noreturn]] void fail_without_table() const {
    fail_here("the section table lies beyond the end of the file; it is cut short");
  }

  [[nodiscard]] std::string text_at(std::size_t table, std::size_t offset,
                                    const std::string& owner) const {
    const char* text = elf_strptr(elf_.get(), table, offset);
    if (text == nullptr) {
      fail_here(fmt::format("the name of {} lies outside its string table", owner));
    }
    const std::string name = text;
    const bool harmless = std::ranges::all_of(
        name, [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != '\x7f'; });
    if (!harmless) {
      fail_here(fmt::format("the name of {} holds control characters", owner));
    }
    return name;
  }

  void read_sections() {
    std::size_t count = 0;
    std::size_t names = 0;
    if (elf_getshdrnum(elf_.get(), &count) != 0 || elf_getshdrstrndx(elf_.get(), &names) != 0) {
      fail_without_table();
    }
    for (std::size_t i = 0; i < count; ++i) {
      ElfSection section;
      section.handle = elf_getscn(elf_.get(), i);
      if (section.handle == nullptr || gelf_getshdr(section.handle, &section.header) == nullptr) {
        fail_without_table();
      }
      section.name = text_at(names, section.header.sh_name, fmt::format("section {}", i));
      sections_.push_back(std::move(section));
    }
  }

  void read_symbols() {
    const auto table =
        std::ranges::find(sections_, std::uint32_t{SHT_SYMTAB},
                          [](const auto& section) { return section.header.sh_type; });
    if (table == sections_.end()) {
      fail_here("has no symbol table, so its kernels cannot be told apart");
    }
    const auto index = static_cast<std::size_t>(table - sections_.begin());
    const auto extended = std::ranges::find_if(sections_, [&](const ElfSection& section) {
      return section.header.sh_type == SHT_SYMTAB_SHNDX && section.header.sh_link == index;
    });
    const Bytes entries = bytes_of(*table);
    const Bytes indices = extended == sections_.end() ? Bytes{} : bytes_of(*extended);
    const std::size_t count = entries.size() / sizeof(Elf64_Sym);
    symbols_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      ElfSymbol& symbol = symbols_[i];
      symbol.entry = number_at<GElf_Sym>(entries, i * sizeof(Elf64_Sym));
      symbol.name =
          text_at(table->header.sh_link, symbol.entry.st_name, fmt::format("symbol {}", i));
      symbol.section = symbol.entry.st_shndx;
      if (symbol.section == SHN_XINDEX && (i + 1) * sizeof(std::uint32_t) <= indices.size()) {
        symbol.section = number_at<std::uint32_t>(indices, i * sizeof(std::uint32_t));
      } else if (symbol.section >= SHN_LORESERVE) {
        symbol.section = 0;
      }
      if (symbol.section >= sections_.size()) {
        fail_here(fmt::format("symbol {} lies in section {} of {}", printable(symbol.name),
                              symbol.section, sections_.size()));
      }
    }
  }

  std::string file_;
  std::unique_ptr<Elf, EndElf> elf_;
  GElf_Ehdr header_{};
  std::vector<ElfSection> sections_;
  std::vector<ElfSymbol> symbols_;
};

/// One attribute of a .nv.info section.
struct InfoAttribute {
  std::uint8_t code = 0;
  Bytes data;
};

std::vector<InfoAttribute> attributes_of(const ElfImage& image, const ElfSection& section) {
  constexpr std::size_t head_bytes = 4;
  const Bytes bytes = image.bytes_of(section);
  std::vector<InfoAttribute> attributes;
  std::size_t at = 0;
  while (at < bytes.size()) {
    const auto cut_short = [&] {
      image.fail_here(fmt::format("section {}: the attribute at offset {} is cut short",
                                  printable(section.name), at));
    };
    if (bytes.size() - at < head_bytes) {
      cut_short();
    }
    const auto format = number_at<std::uint8_t>(bytes, at);
    const auto code = number_at<std::uint8_t>(bytes, at + 1);
    if (format < format_none || format > format_sized) {
      image.fail_here(
          fmt::format("section {}: the attribute at offset {} has the unknown format {}",
                      printable(section.name), at, format));
    }
    std::size_t length = 0;
    if (format == format_sized) {
      length = number_at<std::uint16_t>(bytes, at + 2);
      if (bytes.size() - at - head_bytes < length) {
        cut_short();
      }
      attributes.push_back({code, bytes.subspan(at + head_bytes, length)});
    } else if (format == format_half) {
      attributes.push_back({code, bytes.subspan(at + 2, 2)});
    }
    at += head_bytes + length;
  }
  return attributes;
}

/// The text after `prefix`, or nothing where `name` does not begin so.
std::optional<std::string> after(const std::string& name, std::string_view prefix) {
  return name.starts_with(prefix) ? std::optional(name.substr(prefix.size())) : std::nullopt;
}

struct BankName {
  std::uint32_t bank = 0;
  std::string function;
};

/// Takes ".nv.constant2.NAME" apart.
std::optional<BankName> parse_bank_name(const std::string& section) {
  const auto rest = after(section, ".nv.constant");
  if (!rest) {
    return std::nullopt;
  }
  BankName name;
  const char* end = rest->data() + rest->size();
  const auto [stop, status] = std::from_chars(rest->data(), end, name.bank);
  if (status != std::errc() || (stop != end && *stop != '.')) {
    return std::nullopt;
  }
  if (stop != end) {
    name.function = std::string(stop + 1, end);
  }
  return name;
}

/// The controls of code of sm_70 or later.
std::vector<SchedulingControl> controls_of(Bytes code) {
  constexpr unsigned bits_per_byte = 8;
  constexpr std::size_t word_offset =
      control_shift / bits_per_byte / sizeof(std::uint32_t) * sizeof(std::uint32_t);
  constexpr unsigned shift = control_shift - bits_per_byte * word_offset;
  static_assert(shift + control_bits <= bits_per_byte * sizeof(std::uint32_t));
  std::vector<SchedulingControl> controls;
  controls.reserve(code.size() / instruction_bytes);
  for (std::size_t at = 0; at + instruction_bytes <= code.size(); at += instruction_bytes) {
    controls.push_back(unpack_control(number_at<std::uint32_t>(code, at + word_offset) >> shift));
  }
  return controls;
}

struct NumberedParameter {
  std::size_t ordinal = 0;
  Parameter parameter;
};

class CubinReader {
 public:
  explicit CubinReader(const ElfImage& image) : image_(image) {}

  Cubin read() {
    Module& module = cubin_.module;
    module.sm = architecture();
    module.arch = fmt::format("sm_{}", module.sm);
    read_functions();
    read_labels();
    for (const ElfSection& section : image_.sections()) {
      read_info(section);
      read_shared(section);
      read_bank(section);
    }
    check_parameters();
    read_variables();
    for (const ElfSection& section : image_.sections()) {
      read_relocations(section);
    }
    return std::move(cubin_);
  }

 private:
  [[nodiscard]] int architecture() const {
    const std::uint32_t flags = image_.header().e_flags;
    constexpr std::uint32_t byte = 0xff;
    const bool new_layout = image_.header().e_ident[EI_ABIVERSION] >= abi_version_of_cuda_13;
    const std::uint32_t sm = new_layout ? (flags >> 8U) & byte : flags & byte;
    constexpr std::uint32_t first_with_this_code = 70;
    if (sm < first_with_this_code) {
      image_.fail_here(fmt::format(
          "holds code for sm_{}; only sm_70 and later are read (e_flags 0x{:x})", sm, flags));
    }
    return static_cast<int>(sm);
  }

  /// A section `.text.NAME` holds one function; its symbol has that name.
  void read_functions() {
    constexpr auto none = static_cast<std::size_t>(-1);
    const auto& sections = image_.sections();
    std::vector<std::size_t> owner(sections.size(), none);
    for (std::size_t i = 0; i < image_.symbols().size(); ++i) {
      const ElfSymbol& symbol = image_.symbols()[i];
      if (GELF_ST_TYPE(symbol.entry.st_info) == STT_FUNC && symbol.section != 0 &&
          after(sections[symbol.section].name, ".text.") == symbol.name) {
        owner[symbol.section] = i;
      }
    }
    function_of_section_.assign(sections.size(), none);
    for (std::size_t i = 0; i < sections.size(); ++i) {
      if (owner[i] == none) {
        continue;
      }
      const ElfSymbol& symbol = image_.symbols()[owner[i]];
      Function function;
      function.name = symbol.name;
      function.described = true;
      function.kernel = (symbol.entry.st_other & entry_flag) != 0;
      const std::size_t index = cubin_.module.functions.size();
      if (!function_of_name_.emplace(function.name, index).second) {
        image_.fail_here(fmt::format("function {} stands here twice", printable(function.name)));
      }
      function_of_section_[i] = index;
      cubin_.module.functions.push_back(std::move(function));
      cubin_.symbols.push_back(static_cast<std::uint32_t>(owner[i]));
      cubin_.code_bytes.push_back(sections[i].header.sh_size);
      const Bytes code = image_.bytes_of(sections[i]);
      if (code.size() != sections[i].header.sh_size) {
        image_.fail_here(fmt::format("section {} holds no code", printable(sections[i].name)));
      }
      cubin_.controls.push_back(controls_of(code));
    }
  }

  void read_labels() {
    for (const ElfSymbol& symbol : image_.symbols()) {
      const std::size_t index = function_of_section_[symbol.section];
      if (GELF_ST_TYPE(symbol.entry.st_info) != STT_FUNC || symbol.section == 0 ||
          index >= cubin_.module.functions.size() ||
          symbol.name == cubin_.module.functions[index].name) {
        continue;
      }
      if (symbol.entry.st_value >= cubin_.code_bytes[index]) {
        image_.fail_here(fmt::format("label {} lies behind the code of {}", printable(symbol.name),
                                     printable(cubin_.module.functions[index].name)));
      }
      cubin_.module.functions[index].labels.push_back(
          {symbol.name, static_cast<std::uint32_t>(symbol.entry.st_value)});
    }
    for (Function& function : cubin_.module.functions) {
      std::ranges::stable_sort(function.labels, {}, &CodeLabel::address);
    }
  }

  [[nodiscard]] Function* function_named(const std::string& name) {
    const auto found = function_of_name_.find(name);
    return found == function_of_name_.end() ? nullptr : &cubin_.module.functions[found->second];
  }

  void read_info(const ElfSection& section) {
    if (section.name != ".nv.info" && !section.name.starts_with(".nv.info.")) {
      return;
    }
    Function* function = function_named(after(section.name, ".nv.info.").value_or(""));
    std::vector<NumberedParameter> parameters;
    for (const InfoAttribute& attribute : attributes_of(image_, section)) {
      const auto need = [&](std::size_t bytes) {
        if (attribute.data.size() < bytes) {
          image_.fail_here(fmt::format("section {}: attribute 0x{:x} takes {} bytes instead of {}",
                                       printable(section.name), attribute.code,
                                       attribute.data.size(), bytes));
        }
      };
      switch (attribute.code) {
        case attribute_regcount:
        case attribute_frame_size:
        case attribute_min_stack_size:
          need(8);
          apply_symbol_attribute(attribute, section);
          break;
        case attribute_max_threads:
        case attribute_reqntid:
          need(12);
          if (function != nullptr) {
            function->max_threads = threads_of(attribute);
          }
          break;
        case attribute_param_cbank:
          need(8);
          if (function != nullptr) {
            function->parameter_base = number_at<std::uint16_t>(attribute.data, 4);
          }
          break;
        case attribute_kparam_info:
        case attribute_kparam_info_v2:
          need(12);
          if (function != nullptr) {
            parameters.push_back(parameter_of(attribute));
          }
          break;
        default:
          break;
      }
    }
    if (function != nullptr) {
      set_parameters(parameters, *function);
    }
  }

  void apply_symbol_attribute(const InfoAttribute& attribute, const ElfSection& section) {
    const auto symbol = number_at<std::uint32_t>(attribute.data, 0);
    const auto value = number_at<std::uint32_t>(attribute.data, 4);
    if (symbol >= image_.symbols().size()) {
      image_.fail_here(fmt::format("section {}: an attribute names symbol {} of {}",
                                   printable(section.name), symbol, image_.symbols().size()));
    }
    Function* function = function_named(image_.symbols()[symbol].name);
    if (function == nullptr) {
      return;  // of a subroutine
    }
    if (attribute.code == attribute_regcount) {
      function->registers = value;
    } else {
      function->local_bytes = std::max(function->local_bytes, value);
    }
  }

  [[nodiscard]] std::uint32_t threads_of(const InfoAttribute& attribute) const {
    std::uint64_t product = 1;
    for (const std::size_t at : {0U, 4U, 8U}) {
      product *= number_at<std::uint32_t>(attribute.data, at);
      if (product > UINT16_MAX) {
        image_.fail_here("a kernel declares more than 65535 threads per block");
      }
    }
    return static_cast<std::uint32_t>(product);
  }

  /// Index (4 bytes), ordinal (2), offset (2), then the size: in the upper 14 bits of 32, or on its
  /// own in the newer variant.
  static NumberedParameter parameter_of(const InfoAttribute& attribute) {
    const auto packed = number_at<std::uint32_t>(attribute.data, 8);
    constexpr unsigned size_shift = 18;
    constexpr std::uint32_t half = 0xffff;
    return {number_at<std::uint16_t>(attribute.data, 4),
            {number_at<std::uint16_t>(attribute.data, 6),
             attribute.code == attribute_kparam_info ? packed >> size_shift : packed & half}};
  }

  void set_parameters(const std::vector<NumberedParameter>& parameters, Function& function) const {
    function.parameters.assign(parameters.size(), {});
    for (const auto& [ordinal, parameter] : parameters) {
      if (ordinal >= parameters.size() || function.parameters[ordinal].size_bytes != 0 ||
          parameter.size_bytes == 0) {
        image_.fail_here(fmt::format("kernel {}: its {} parameters are not numbered one by one",
                                     printable(function.name), parameters.size()));
      }
      function.parameters[ordinal] = parameter;
    }
  }

  void check_parameters() const {
    for (const Function& function : cubin_.module.functions) {
      if (!function.parameters.empty() && function.parameter_base == 0) {
        image_.fail_here(fmt::format("kernel {}: nothing says where its parameters begin",
                                     printable(function.name)));
      }
    }
  }

  void read_shared(const ElfSection& section) {
    Function* function = function_named(after(section.name, ".nv.shared.").value_or(""));
    if (function == nullptr) {
      return;
    }
    if (section.header.sh_size > UINT32_MAX) {
      image_.fail_here(fmt::format("kernel {}: {} bytes of shared memory",
                                   printable(function->name), section.header.sh_size));
    }
    function->static_shared_bytes = static_cast<std::uint32_t>(section.header.sh_size);
  }

  void read_bank(const ElfSection& section) {
    const auto name = parse_bank_name(section.name);
    if (!name || name->bank == 0) {
      return;
    }
    ConstantBank bank;
    bank.bank = name->bank;
    bank.function = name->function;
    if (section.header.sh_type == SHT_NOBITS) {
      constexpr std::uint64_t largest_bank_bytes = 1U << 16U;
      if (section.header.sh_size > largest_bank_bytes) {
        image_.fail_here(fmt::format("section {}: {} bytes of constants", printable(section.name),
                                     section.header.sh_size));
      }
      bank.bytes.resize(section.header.sh_size);
    } else {
      const Bytes bytes = image_.bytes_of(section);
      bank.bytes.assign(bytes.begin(), bytes.end());
    }
    cubin_.module.banks.push_back(std::move(bank));
  }

  [[nodiscard]] static bool holds_variables(const ElfSection& section) {
    return section.name == ".nv.global" || section.name.starts_with(".nv.global.");
  }

  void read_variables() {
    variable_of_symbol_.assign(image_.symbols().size(), no_variable);
    for (std::size_t i = 0; i < image_.symbols().size(); ++i) {
      const ElfSymbol& symbol = image_.symbols()[i];
      const ElfSection& section = image_.sections()[symbol.section];
      if (GELF_ST_TYPE(symbol.entry.st_info) != STT_OBJECT || symbol.section == 0 ||
          !holds_variables(section)) {
        continue;
      }
      const std::uint64_t begin = symbol.entry.st_value;
      const std::uint64_t size = symbol.entry.st_size;
      if (begin > section.header.sh_size || size > section.header.sh_size - begin) {
        image_.fail_here(fmt::format("variable {} lies outside section {}", printable(symbol.name),
                                     printable(section.name)));
      }
      GlobalVariable variable{symbol.name, size, {}};
      if (section.header.sh_type != SHT_NOBITS) {
        const Bytes bytes = image_.bytes_of(section).subspan(begin, size);
        variable.initial.assign(bytes.begin(), bytes.end());
      }
      variable_of_symbol_[i] = static_cast<std::uint32_t>(cubin_.module.variables.size());
      variable_of_place_[{symbol.section, begin}] = variable_of_symbol_[i];
      cubin_.module.variables.push_back(std::move(variable));
    }
  }

  struct Place {
    std::uint32_t variable = 0;
    std::uint64_t offset = 0;
  };

  /// The variable of a section that holds the byte at `offset`.
  [[nodiscard]] std::optional<Place> variable_at(std::size_t section, std::uint64_t offset) const {
    auto next = variable_of_place_.upper_bound({section, offset});
    if (next == variable_of_place_.begin()) {
      return std::nullopt;
    }
    const auto& [place, variable] = *--next;
    const bool inside = place.first == section &&
                        offset - place.second < cubin_.module.variables[variable].size_bytes;
    return inside ? std::optional(Place{variable, offset - place.second}) : std::nullopt;
  }

  /// What a relocation points at, where that is a variable: by its own symbol, or by the symbol of
  /// its section.
  [[nodiscard]] std::optional<Place> target_of(const Relocation& relocation,
                                               std::uint64_t addend) const {
    const std::uint32_t variable = variable_of_symbol_[relocation.symbol];
    if (variable != no_variable) {
      return Place{variable, addend};
    }
    const ElfSymbol& symbol = image_.symbols()[relocation.symbol];
    if (GELF_ST_TYPE(symbol.entry.st_info) == STT_SECTION) {
      return variable_at(symbol.section, addend);
    }
    return std::nullopt;
  }

  void read_relocations(const ElfSection& section) {
    if (section.header.sh_type != SHT_RELA && section.header.sh_type != SHT_REL) {
      return;
    }
    if (section.header.sh_info >= image_.sections().size()) {
      image_.fail_here(fmt::format("section {} changes section {} of {}", printable(section.name),
                                   section.header.sh_info, image_.sections().size()));
    }
    const ElfSection& changed = image_.sections()[section.header.sh_info];
    const auto bank = parse_bank_name(changed.name);
    const bool in_bank = bank && bank->bank != 0 && bank->function.empty();
    if ((!in_bank && !holds_variables(changed)) || changed.header.sh_type == SHT_NOBITS) {
      return;
    }
    const Bytes bytes = image_.bytes_of(changed);
    for (const Relocation& relocation : image_.relocations_of(section)) {
      if (relocation.type != relocation_64 && relocation.type != relocation_generic_64) {
        continue;
      }
      if (bytes.size() < address_bytes || relocation.offset > bytes.size() - address_bytes) {
        image_.fail_here(fmt::format("section {} changes byte {} of {}, which has {}",
                                     printable(section.name), relocation.offset,
                                     printable(changed.name), bytes.size()));
      }
      const std::uint64_t addend = relocation.addend
                                       ? static_cast<std::uint64_t>(*relocation.addend)
                                       : number_at<std::uint64_t>(bytes, relocation.offset);
      const auto target = target_of(relocation, addend);
      if (!target) {
        continue;
      }
      if (in_bank) {
        cubin_.module.address_slots.push_back({bank->bank,
                                               static_cast<std::uint32_t>(relocation.offset),
                                               target->variable, target->offset});
      } else if (const auto place = variable_at(section.header.sh_info, relocation.offset)) {
        cubin_.module.variable_pointers.push_back(
            {place->variable, place->offset, target->variable, target->offset});
      }
    }
  }

  static constexpr std::uint32_t no_variable = UINT32_MAX;

  const ElfImage& image_;
  Cubin cubin_;
  std::vector<std::size_t> function_of_section_;
  std::unordered_map<std::string, std::size_t> function_of_name_;
  std::vector<std::uint32_t> variable_of_symbol_;
  std::map<std::pair<std::size_t, std::uint64_t>, std::uint32_t> variable_of_place_;
};

}  // namespace

bool is_elf(std::span<const std::byte> bytes) {
  return bytes.size() >= SELFMAG && std::memcmp(bytes.data(), ELFMAG, SELFMAG) == 0;
}

bool is_cubin(std::span<const std::byte> bytes) {
  constexpr std::size_t machine_offset = offsetof(Elf64_Ehdr, e_machine);
  return is_elf(bytes) && bytes.size() >= machine_offset + 2 &&
         number_at<std::uint16_t>(bytes, machine_offset) == machine_cuda;
}

Cubin read_cubin(std::span<const std::byte> bytes, const std::string& file) {
  if (!is_elf(bytes)) {
    fail(fmt::format("{}: is no ELF file, so it is no cubin", file));
  }
  if (bytes.size() < sizeof(Elf64_Ehdr)) {
    fail(fmt::format("{}: the ELF header is cut short", file));
  }
  if (!is_cubin(bytes)) {
    fail(fmt::format("{}: is an ELF file of another machine (e_machine {}), not a cubin", file,
                     number_at<std::uint16_t>(bytes, offsetof(Elf64_Ehdr, e_machine))));
  }
  if (bytes[EI_CLASS] != std::byte{ELFCLASS64} || bytes[EI_DATA] != std::byte{ELFDATA2LSB}) {
    fail(fmt::format("{}: is a cubin of 32 bits, which CUDA no longer supports", file));
  }
  const ElfImage image(bytes, file);
  return CubinReader(image).read();
}

}  // namespace perfmodel::sass
