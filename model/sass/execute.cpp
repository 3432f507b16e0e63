#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "model/error.hpp"
#include "model/sass/block.hpp"
#include "model/sass/block_access.hpp"
#include "model/sass/block_state.hpp"
#include "model/sass/execute_across_lanes.hpp"
#include "model/sass/execute_float.hpp"
#include "model/sass/execute_integer.hpp"
#include "model/sass/execute_lanes.hpp"
#include "model/sass/execute_predicate.hpp"
#include "model/sass/trace.hpp"
#include "model/text.hpp"

namespace perfmodel::sass {
namespace execution {
namespace {

/// Whatever is not computed becomes zero, and predicates true, so that waiting loops end.
void write_nothing(const Lanes& lanes) {
  if (lanes.instruction.has_destination) {
    for (std::size_t row = 0; row < lanes.instruction.zeroed_rows; ++row) {
      lanes.write(Row{}, row);
    }
  }
  lanes.write_predicate(0, full_mask);
}

/// Everything that changes only registers and predicates. Inlined into one function per
/// instruction set of the host.
[[gnu::always_inline]] inline void compute(const Lanes& lanes,
                                           const std::array<std::uint32_t, 3>& block,
                                           std::uint64_t executed) {
  const Instruction& instruction = lanes.instruction;
  switch (instruction.op) {
    case Op::mov:
      lanes.map1<Kind::integer>([](std::uint32_t a) { return a; });
      break;
    case Op::mov64:
      lanes.for_each([&](std::uint32_t lane) { lanes.write_wide(lane, lanes.wide(0, lane)); });
      break;
    case Op::sel:
      select(lanes, false);
      break;
    case Op::sel64: {
      const std::uint32_t first = lanes.predicate(instruction.predicates[0]);
      lanes.for_each([&](std::uint32_t lane) {
        lanes.write_wide(lane, lanes.wide((first >> lane & 1U) != 0 ? 0 : 1, lane));
      });
      break;
    }
    case Op::fsel:
      select(lanes, true);
      break;
    case Op::iadd3:
      add3(lanes);
      break;
    case Op::iadd64:
      add64(lanes);
      break;
    case Op::imad:
      multiply_add(lanes);
      break;
    case Op::imad_wide:
    case Op::imad_hi:
      multiply_add_wide(lanes);
      break;
    case Op::lea:
    case Op::lea_hi:
      load_effective_address(lanes);
      break;
    case Op::shf:
      shift_funnel(lanes);
      break;
    case Op::lop3:
      logic3(lanes);
      break;
    case Op::imnmx:
    case Op::viaddmnmx:
      integer_extreme(lanes);
      break;
    case Op::imnmx64:
      wide_extreme(lanes);
      break;
    case Op::packed_integer:
      packed_integers(lanes);
      break;
    case Op::isetp:
      compare_integers(lanes);
      break;
    case Op::iabs:
      lanes.map1<Kind::integer>(
          [](std::uint32_t a) { return static_cast<std::int32_t>(a) < 0 ? 0 - a : a; });
      break;
    case Op::popc:
      lanes.map1<Kind::integer>(
          [](std::uint32_t a) { return static_cast<std::uint32_t>(std::popcount(a)); });
      break;
    case Op::flo:
      lanes.map1<Kind::integer>([&](std::uint32_t a) {
        return leading_one(a, instruction.from == Number::s32, instruction.sign_extend);
      });
      break;
    case Op::brev:
      lanes.map1<Kind::integer>([](std::uint32_t a) { return reversed_bits(a); });
      break;
    case Op::prmt:
      lanes.map3<Kind::integer>([&](std::uint32_t a, std::uint32_t selector, std::uint32_t c) {
        return permuted(a, permute_selector(instruction.permute, selector), c);
      });
      break;
    case Op::sgxt:
      lanes.map2<Kind::integer>([&](std::uint32_t a, std::uint32_t width) {
        const std::uint32_t bits = instruction.wrap ? width % 32 : std::min(width, 32U);
        if (bits == 0) {
          return 0U;
        }
        const std::uint32_t unused = 32 - bits;
        return instruction.from == Number::s32
                   ? static_cast<std::uint32_t>(static_cast<std::int32_t>(a << unused) >>
                                                static_cast<std::int32_t>(unused))
                   : a << unused >> unused;
      });
      break;
    case Op::bmsk:
      lanes.map2<Kind::integer>([&](std::uint32_t start, std::uint32_t width) {
        const std::uint32_t from = instruction.wrap ? start % 32 : start;
        const std::uint64_t ones =
            (std::uint64_t{1} << std::min(instruction.wrap ? width % 32 : width, 32U)) - 1;
        return from >= 32 ? 0U : static_cast<std::uint32_t>(ones << from);
      });
      break;
    case Op::dp4a:
      dot4(lanes);
      break;
    case Op::dp2a:
      dot2(lanes);
      break;
    case Op::plop3: {
      const std::uint32_t a = lanes.predicate(instruction.predicates[0]);
      const std::uint32_t b = lanes.predicate(instruction.predicates[1]);
      const std::uint32_t c = lanes.predicate(instruction.predicates[2]);
      lanes.write_predicate(0, lookup(instruction.lut, a, b, c));
      lanes.write_predicate(1, lookup(instruction.lut2, a, b, c));
      break;
    }
    case Op::p2r:
      predicates_to_register(lanes);
      break;
    case Op::r2p:
      register_to_predicates(lanes);
      break;
    case Op::fadd:
      if (usual_float(instruction)) {
        lanes.map2<Kind::f32>(
            [](std::uint32_t a, std::uint32_t b) { return as_bits(as_float(a) + as_float(b)); });
      } else {
        unusual_float(lanes);
      }
      break;
    case Op::fmul:
      if (usual_float(instruction)) {
        lanes.map2<Kind::f32>(
            [](std::uint32_t a, std::uint32_t b) { return as_bits(as_float(a) * as_float(b)); });
      } else {
        unusual_float(lanes);
      }
      break;
    case Op::ffma:
      if (usual_float(instruction)) {
        fused_multiply_add(lanes);
      } else {
        unusual_float(lanes);
      }
      break;
    case Op::fadd2:
    case Op::fmul2:
    case Op::ffma2:
      packed_float(lanes);
      break;
    case Op::fmnmx:
    case Op::fmnmx3:
      float_extreme(lanes);
      break;
    case Op::fsetp:
    case Op::fset:
    case Op::dsetp:
      compare_floats(lanes);
      break;
    case Op::fchk:
      check_division(lanes);
      break;
    case Op::mufu:
      special_function(lanes);
      break;
    case Op::dadd:
    case Op::dmul:
    case Op::dfma:
    case Op::dmnmx:
      double_arithmetic(lanes);
      break;
    case Op::hadd2:
    case Op::hmul2:
    case Op::hfma2:
      half_arithmetic(lanes);
      break;
    case Op::hmnmx2:
    case Op::hsetp2:
    case Op::hset2:
      half_comparison(lanes);
      break;
    case Op::i2f:
    case Op::f2i:
    case Op::f2f:
    case Op::frnd:
      convert(lanes);
      break;
    case Op::f2fp:
      pack_halves(lanes);
      break;
    case Op::s2r:
    case Op::cs2r:
      special_register(lanes, block, executed);
      break;
    case Op::r2ur:
      to_uniform(lanes);
      break;
    case Op::vote:
      vote(lanes);
      break;
    case Op::redux:
      reduce(lanes);
      break;
    case Op::shfl:
      shuffle(lanes);
      break;
    case Op::match:
      match(lanes);
      break;
    case Op::qspc:
      query_space(lanes);
      break;
    case Op::elect: {
      const std::uint32_t first = lanes.mask & (0 - lanes.mask);
      Row row;
      row.fill(static_cast<std::uint32_t>(std::countr_zero(lanes.mask | sign_bit)));
      lanes.write(row);
      lanes.write_predicate(0, first);
      break;
    }
    case Op::b2r: {
      Row row;
      row.fill(lanes.warp.barrier_result);
      lanes.write(row);
      lanes.write_predicate(0, lanes.warp.barrier_result != 0 ? full_mask : 0);
      break;
    }
    case Op::bmov_from: {
      Row& register_row = lanes.warp.convergence[instruction.barrier_register];
      lanes.write(register_row);
      if (instruction.high) {
        lanes.for_each([&](std::uint32_t lane) { register_row[lane] = 0; });
      }
      break;
    }
    case Op::bmov_to: {
      const Row& value = lanes.row(instruction.sources[0]);
      lanes.for_each([&](std::uint32_t lane) {
        lanes.warp.convergence[instruction.barrier_register][lane] = value[lane];
      });
      break;
    }
    case Op::not_computed:
    case Op::unknown:
      write_nothing(lanes);
      break;
    default:
      break;
  }
}

}  // namespace
}  // namespace execution

[[gnu::always_inline]] inline void BlockEmulator::run_lanes(Warp& warp) {
  const std::uint64_t end = executed_ + turn_length();
  const auto* const instructions = code_.instructions.data();
  const auto count = static_cast<std::uint32_t>(code_.instructions.size());
  InstructionCounter* const counters = counts_.instructions.data();
  while (executed_ < end) {
    LaneGroup& group = warp.groups[warp.current];
    const std::uint32_t position = group.position;
    if (position >= count) {
      fail(fmt::format("{}: the code ends at address {:#06x} without EXIT",
                       printable(context_.function->name), position * instruction_bytes));
    }
    const Instruction& instruction = instructions[position];
    const std::uint32_t active = group.mask;
    if (instruction.skip != 0) {
      // Nothing that is counted depends on these: count them and pass on.
      const std::uint32_t behind = position + instruction.skip;
      const auto lanes = static_cast<std::int64_t>(std::popcount(active));
      ++skipped_executions_[position];
      --skipped_executions_[behind];
      skipped_lanes_[position] += lanes;
      skipped_lanes_[behind] -= lanes;
      executed_ += instruction.skip;
      if (trace_ != nullptr) {
        trace_->add_steps(warp.number, position, instruction.skip);
      }
      group.position = behind;
      continue;
    }
    ++executed_;
    ++work_;
    const PredicateSource guard = instruction.guard;
    const std::uint32_t guard_lanes =
        guard.negate ? ~warp.predicates[guard.index] : warp.predicates[guard.index];
    std::uint32_t mask = active & guard_lanes;
    InstructionCounter& counter = counters[position];
    ++counter.executions;
    counter.active_lanes += static_cast<std::uint64_t>(std::popcount(active));
    counter.predicated_lanes += static_cast<std::uint64_t>(std::popcount(mask));
    if (instruction.uniform) {
      mask = mask != 0 ? full_mask : 0;
    }
    if (trace_ != nullptr) {
      trace_->add_step(warp.number, position, mask == 0);
    }
    switch (instruction.op) {
      case Op::nop:
        ++group.position;
        break;
      case Op::load:
        while (mask != 0) {
          Access access;
          mask = resolve(warp, position, instruction.address, instruction.space, mask, access);
          execute_load(warp, access);
        }
        ++group.position;
        break;
      case Op::store:
        while (mask != 0) {
          Access access;
          mask = resolve(warp, position, instruction.address, instruction.space, mask, access);
          execute_store(warp, access);
        }
        ++group.position;
        break;
      case Op::atomic:
        while (mask != 0) {
          Access access;
          mask = resolve(warp, position, instruction.address, instruction.space, mask, access);
          execute_atomic(warp, access);
        }
        ++group.position;
        break;
      case Op::ldc:
        if (mask != 0) {
          execute_constant_load(warp, position, mask);
        }
        ++group.position;
        break;
      case Op::ldgsts:
        if (mask != 0) {
          execute_async_copy(warp, position, mask);
        }
        ++group.position;
        break;
      case Op::ldsm:
        if (mask != 0) {
          execute_matrix_load(warp, position, mask);
        }
        ++group.position;
        break;
      case Op::bra: {
        std::uint32_t taken = mask;
        const PredicateSource condition = instruction.predicates[0];
        taken &=
            condition.negate ? ~warp.predicates[condition.index] : warp.predicates[condition.index];
        if (instruction.high) {
          const Source& lanes = instruction.sources[0];
          const Row& wanted = lanes.pool ? context_.pool[lanes.row] : warp.rows[lanes.row];
          const std::uint32_t members = lanes.invert ? ~wanted[0] : wanted[0];
          // BRA.DIV: only where some of them are elsewhere; BRA.CONV: only where none is.
          taken = ((members & warp.live & ~active) == 0) == instruction.left ? taken : 0;
        }
        counter.taken += taken != 0 ? 1 : 0;
        const auto target = static_cast<std::uint32_t>(instruction.target);
        if (taken == active) {
          group.position = target;
        } else if (taken == 0) {
          ++group.position;
        } else {
          ++counter.divergences;
          split(warp, taken, target, active & ~taken, position + 1);
        }
        break;
      }
      case Op::call:
        if (mask == active) {
          counter.taken += 1;
          group.position = static_cast<std::uint32_t>(instruction.target);
        } else if (mask == 0) {
          ++group.position;
        } else {
          ++counter.divergences;
          counter.taken += 1;
          split(warp, mask, static_cast<std::uint32_t>(instruction.target), active & ~mask,
                position + 1);
        }
        break;
      case Op::brx:
      case Op::ret:
        jump_indirectly(warp, instruction, mask, counter);
        break;
      case Op::exit: {
        const PredicateSource condition = instruction.predicates[0];
        mask &=
            condition.negate ? ~warp.predicates[condition.index] : warp.predicates[condition.index];
        ++group.position;
        if (mask != 0) {
          leave(warp, mask);
          if (warp.live == 0 || !select_group(warp, false)) {
            return;
          }
        }
        break;
      }
      case Op::bssy: {
        Row& met = warp.convergence[instruction.barrier_register];
        for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
          met[lane] = (active & lane_bits[lane]) != 0 ? active : met[lane];
        }
        ++group.position;
        break;
      }
      case Op::bsync: {
        const PredicateSource condition = instruction.predicates[0];
        const std::uint32_t waits = mask & (condition.negate ? ~warp.predicates[condition.index]
                                                             : warp.predicates[condition.index]);
        if (waits == active) {
          wait_for_convergence(warp, instruction.barrier_register);
        } else if (waits == 0) {
          ++group.position;
        } else {
          split(warp, waits, position, active & ~waits, position + 1);
          warp.current = position_of_group(warp, waits);
          wait_for_convergence(warp, instruction.barrier_register);
        }
        if (!select_group(warp, false)) {
          return;
        }
        break;
      }
      case Op::breakb: {
        const PredicateSource condition = instruction.predicates[0];
        const std::uint32_t leaves = mask & (condition.negate ? ~warp.predicates[condition.index]
                                                              : warp.predicates[condition.index]);
        for (std::uint32_t& met : warp.convergence[instruction.barrier_register]) {
          met &= ~leaves;
        }
        ++group.position;
        if (leaves != 0) {
          release_convergence(warp);
        }
        break;
      }
      case Op::warpsync: {
        const Source& source = instruction.sources[0];
        const Row& wanted = source.pool ? context_.pool[source.row] : warp.rows[source.row];
        if (mask == 0) {
          ++group.position;
        } else {
          wait_for_lanes(warp, wanted[static_cast<std::size_t>(std::countr_zero(mask))]);
        }
        if (!select_group(warp, false)) {
          return;
        }
        break;
      }
      case Op::yield:
        warp.yielded = true;
        ++group.position;
        break;
      case Op::bar:
        if (mask == 0) {
          ++group.position;
          break;
        }
        arrive_at_barrier(warp, instruction, mask);
        if (!select_group(warp, false)) {
          return;
        }
        break;
      case Op::trap:
        if (mask != 0) {
          fail(fmt::format("{}: block ({},{},{}) runs into a trap at {}",
                           printable(context_.function->name), block_[0], block_[1], block_[2],
                           where(position)));
        }
        ++group.position;
        break;
      default:
        if (mask != 0 && instruction.needed) {
          execution::compute(execution::Lanes{context_, warp, instruction, mask, active}, block_,
                             executed_);
        }
        ++group.position;
    }
  }
}

[[gnu::target("avx2,fma,popcnt,bmi,bmi2"), gnu::flatten]] void BlockEmulator::run_lanes_avx2(
    Warp& warp) {
  run_lanes(warp);
}

void BlockEmulator::run_lanes_baseline(Warp& warp) { run_lanes(warp); }

void BlockEmulator::run_turn(Warp& warp) {
  // All that run_lanes_avx2 is compiled for.
  static const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                               __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("bmi") &&
                               __builtin_cpu_supports("bmi2");
  if (has_avx2) {
    run_lanes_avx2(warp);
  } else {
    run_lanes_baseline(warp);
  }
}

}  // namespace perfmodel::sass
