#include "model/sass/prepare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "model/error.hpp"
#include "model/sass/block_state.hpp"
#include "model/text.hpp"

namespace perfmodel::sass {
namespace {

constexpr std::size_t bank0_bytes = std::size_t{64} << 10;
constexpr std::uint32_t constant_banks = 32;
// The most that any supported device lets a block have, and what the system keeps of it.
constexpr std::uint32_t most_shared_bytes = 228U << 10;
/// Room for the frames of subroutines, where a kernel has any.
constexpr std::uint32_t call_stack_bytes = 16U << 10;

/// Where the system keeps what a kernel knows of its launch, in constant bank 0.
struct BankLayout {
  std::uint32_t block_size;
  std::uint32_t grid_size;
  std::uint32_t stack_top;
  std::uint32_t parameters;
  std::uint32_t local_window;
};

BankLayout bank_layout(int sm) {
  if (sm >= 100) {
    return {0x360, 0x370, 0x37c, 0x380, 0x2f8};
  }
  return {0x0, 0xc, 0x28, sm >= 90 ? 0x210U : 0x160U, 0x20};
}

template <class T>
void put(std::vector<std::byte>& bytes, std::size_t offset, const T& value) {
  if (offset + sizeof(T) <= bytes.size()) {
    std::memcpy(bytes.data() + offset, &value, sizeof(T));
  }
}

void check_geometry(const Function& function, const Launch& launch) {
  const std::string name = printable(function.name);
  for (const auto& [extents, limits, what] :
       {std::tuple{launch.grid, std::array{2147483647U, 65535U, 65535U}, "grid"},
        std::tuple{launch.block, std::array{1024U, 1024U, 64U}, "block"}}) {
    for (std::size_t i = 0; i < 3; ++i) {
      if (extents[i] < 1 || extents[i] > limits[i]) {
        fail(fmt::format("{}: {} [{}, {}, {}] is impossible: extent {} must be 1 to {}", name, what,
                         extents[0], extents[1], extents[2], "xyz"[i], limits[i]));
      }
    }
  }
  const std::uint64_t threads = std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  const std::uint32_t limit = function.max_threads != 0 ? function.max_threads : 1024;
  if (threads > limit) {
    fail(fmt::format("{}: a block of {} threads exceeds {} {}", name, threads,
                     function.max_threads != 0 ? "the kernel's declared" : "the limit of", limit));
  }
  if (std::uint64_t{function.static_shared_bytes} + launch.dynamic_shared_bytes >
      most_shared_bytes) {
    fail(fmt::format("{}: {} static and {} dynamic bytes of shared memory exceed {}", name,
                     function.static_shared_bytes, launch.dynamic_shared_bytes, most_shared_bytes));
  }
}

/// The kernel's parameters; where the code does not say, as C would lay out the arguments.
std::vector<Parameter> parameters_of(const Function& function, const Launch& launch) {
  if (function.described) {
    return function.parameters;
  }
  std::vector<Parameter> parameters;
  std::uint32_t offset = 0;
  for (const Argument& argument : launch.arguments) {
    const auto* const value = std::get_if<ValueArgument>(&argument);
    const std::uint32_t size = value != nullptr ? value->size_bytes : 8;
    offset = (offset + size - 1) / size * size;
    parameters.push_back({offset, size});
    offset += size;
  }
  return parameters;
}

/// What an argument for a parameter of that size may be.
const char* fitting_types(std::uint32_t size_bytes) {
  return size_bytes > 8    ? "structures cannot be described"
         : size_bytes == 8 ? "give an i64, u64, f64 or a buffer"
                           : "give an i32, u32 or f32";
}

void check_arguments(const Function& function, const std::vector<Parameter>& parameters,
                     const Launch& launch) {
  const std::string name = printable(function.name);
  if (parameters.size() != launch.arguments.size()) {
    std::string sizes;
    for (const Parameter& parameter : parameters) {
      sizes += fmt::format("{}{}", sizes.empty() ? "" : ", ", parameter.size_bytes);
    }
    fail(
        fmt::format("{} takes {} parameter{}{}, but the launch gives {} argument{}; give one for "
                    "each, in their order",
                    name, parameters.size(), parameters.size() == 1 ? "" : "s",
                    sizes.empty() ? "" : fmt::format(" (of {} bytes)", sizes),
                    launch.arguments.size(), launch.arguments.size() == 1 ? "" : "s"));
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto* const value = std::get_if<ValueArgument>(&launch.arguments[i]);
    const std::uint32_t given = value != nullptr ? value->size_bytes : 8;
    const std::uint32_t wanted = parameters[i].size_bytes;
    // A 32-bit value may stand for a narrower one.
    if (given != wanted && (value == nullptr || given != 4 || wanted >= 4)) {
      fail(fmt::format("{}: parameter {} has {} bytes, but argument {} is {} of {}; {}", name,
                       i + 1, wanted, i + 1, value != nullptr ? "a value" : "a buffer, an address",
                       given, fitting_types(wanted)));
    }
  }
}

std::span<const std::byte> bank_contents(const Module& module, const Function& function,
                                         std::uint32_t bank) {
  std::span<const std::byte> shared;
  for (const ConstantBank& candidate : module.banks) {
    if (candidate.bank != bank) {
      continue;
    }
    if (candidate.function == function.name) {
      return candidate.bytes;
    }
    if (candidate.function.empty()) {
      shared = candidate.bytes;
    }
  }
  return shared;
}

class Preparation {
 public:
  Preparation(const Module& module, const Function& function, const Launch& launch,
              PreparedLaunch& into)
      : module_(module), function_(function), launch_(launch), into_(into) {}

  void lay_out_memory() {
    for (const GlobalVariable& variable : module_.variables) {
      std::vector<std::byte>& initial = variables_.emplace_back(variable.initial);
      initial.resize(variable.size_bytes);
      BufferArgument contents;
      contents.size_bytes = variable.size_bytes;
      contents.fill = Fill::zeros;
      variable_addresses_.push_back(
          into_.memory.add(fmt::format("variable {}", printable(variable.name)), contents));
    }
    for (std::size_t i = 0; i < launch_.arguments.size(); ++i) {
      const auto* const buffer = std::get_if<BufferArgument>(&launch_.arguments[i]);
      into_.buffers.push_back(-1);
      if (buffer != nullptr) {
        if (buffer->fill == Fill::data && buffer->data.size() != buffer->size_bytes) {
          fail(fmt::format("argument {}: {} bytes of data for a buffer of {}", i + 1,
                           buffer->data.size(), buffer->size_bytes));
        }
        into_.buffers.back() = static_cast<int>(into_.memory.regions().size());
        buffer_addresses_.push_back(into_.memory.add(fmt::format("buffer {}", i + 1), *buffer));
      } else {
        buffer_addresses_.push_back(0);
      }
    }
    // Variables hold their initial values, which may be addresses of each other.
    for (const VariablePointer& pointer : module_.variable_pointers) {
      put(variables_.at(pointer.variable), pointer.offset_bytes,
          variable_addresses_.at(pointer.target) + pointer.addend);
    }
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      Region& region = into_.memory.regions()[i];
      if (!variables_[i].empty()) {
        std::memcpy(region.at(0), variables_[i].data(), variables_[i].size());
      }
    }
  }

  void fill_banks() {
    auto& banks = into_.context.banks;
    banks.resize(constant_banks);
    for (std::uint32_t bank = 1; bank < constant_banks; ++bank) {
      const auto contents = bank_contents(module_, function_, bank);
      banks[bank].assign(contents.begin(), contents.end());
    }
    for (const AddressSlot& slot : module_.address_slots) {
      if (slot.bank < constant_banks) {
        put(banks[slot.bank], slot.offset_bytes,
            variable_addresses_.at(slot.variable) + slot.addend);
      }
    }
    std::vector<std::byte>& bank = banks[0];
    bank.resize(bank0_bytes);
    const BankLayout layout = bank_layout(module_.sm);
    for (std::size_t i = 0; i < 3; ++i) {
      put(bank, layout.block_size + 4 * i, launch_.block[i]);
      put(bank, layout.grid_size + 4 * i, launch_.grid[i]);
    }
    put(bank, layout.stack_top, into_.context.local_bytes);
    put(bank, layout.local_window, local_window);
    if (module_.sm < 90) {
      put(bank, 0x18, shared_window);  // later a special register
    }
    const std::uint32_t base = function_.described ? function_.parameter_base : layout.parameters;
    const std::vector<Parameter> parameters = parameters_of(function_, launch_);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const std::size_t offset = base + parameters[i].offset_bytes;
      if (const auto* const value = std::get_if<ValueArgument>(&launch_.arguments[i])) {
        if (offset + parameters[i].size_bytes <= bank.size()) {
          std::memcpy(bank.data() + offset, value->bytes.data(), parameters[i].size_bytes);
        }
      } else {
        put(bank, offset, buffer_addresses_[i]);
      }
    }
  }

  void fill_pool() {
    for (const PoolEntry& entry : into_.code.pool) {
      std::uint32_t value = entry.value;
      if (entry.constant) {
        const std::vector<std::byte>& bank = into_.context.banks[entry.bank];
        if (std::size_t{entry.offset_bytes} + 4 <= bank.size()) {
          std::memcpy(&value, bank.data() + entry.offset_bytes, 4);
        }
      }
      into_.context.pool.emplace_back().fill(value);
    }
  }

 private:
  const Module& module_;
  const Function& function_;
  const Launch& launch_;
  PreparedLaunch& into_;
  std::vector<std::vector<std::byte>> variables_;
  std::vector<std::uint64_t> variable_addresses_;
  std::vector<std::uint64_t> buffer_addresses_;
};

bool uses_local_memory(const Code& code) {
  return std::ranges::any_of(code.instructions, [](const Instruction& instruction) {
    return instruction.space == MemorySpace::local || instruction.space == MemorySpace::generic;
  });
}

}  // namespace

std::unique_ptr<PreparedLaunch> prepare_launch(const Module& module, const Function& function,
                                               const Launch& launch,
                                               const EmulationOptions& options, bool values) {
  check_geometry(function, launch);
  check_arguments(function, parameters_of(function, launch), launch);
  auto prepared = std::make_unique<PreparedLaunch>();
  prepared->code = decode(function, module.sm, DecodeOptions{options.count_unknown});
  find_first_uses(prepared->code);
  if (options.find_defects) {
    find_unread_loads(prepared->code);
  }
  if (!values) {
    prepared->slice = slice_for_counting(prepared->code);
  }
  LaunchContext& context = prepared->context;
  context.module = &module;
  context.function = &function;
  context.code = &prepared->code;
  context.launch = &launch;
  context.memory = &prepared->memory;
  context.instruction_budget = options.instruction_budget;
  context.defects = options.find_defects;
  context.shared_bytes = function.described
                             ? function.static_shared_bytes + launch.dynamic_shared_bytes
                             : most_shared_bytes;
  if (uses_local_memory(prepared->code)) {
    context.local_bytes = (function.local_bytes + 15) / 16 * 16 +
                          (prepared->code.calls || !function.described ? call_stack_bytes : 0);
  }
  Preparation preparation(module, function, launch, *prepared);
  preparation.lay_out_memory();
  preparation.fill_banks();
  preparation.fill_pool();
  return prepared;
}

}  // namespace perfmodel::sass
