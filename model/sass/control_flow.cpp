#include "model/sass/control_flow.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace perfmodel::sass {
namespace {

/// Each is followed through the code once.
constexpr std::size_t most_jumps_back = 1000;

using Ways = std::vector<std::vector<std::uint32_t>>;

Ways predecessors_of(const Ways& successors) {
  Ways predecessors(successors.size());
  for (std::uint32_t i = 0; i < successors.size(); ++i) {
    for (const std::uint32_t next : successors[i]) {
      predecessors[next].push_back(i);
    }
  }
  return predecessors;
}

/// The instructions of `body` and those that lead to `from` without passing `first`. Empty where
/// the entry of the function is among them: then the jump from `from` to `first` makes no loop.
std::vector<bool> extended(std::vector<bool> body, std::uint32_t first, std::uint32_t from,
                           const Ways& predecessors) {
  std::vector<std::uint32_t> open;
  const auto reach = [&](std::uint32_t position) {
    if (!body[position]) {
      body[position] = true;
      open.push_back(position);
    }
  };
  body[first] = true;
  reach(from);
  while (!open.empty()) {
    const std::uint32_t position = open.back();
    open.pop_back();
    std::ranges::for_each(predecessors[position], reach);
  }
  return first != 0 && body[0] ? std::vector<bool>() : body;
}

}  // namespace

bool is_control(Op op) {
  switch (op) {
    case Op::bra:
    case Op::brx:
    case Op::call:
    case Op::ret:
    case Op::exit:
    case Op::bssy:
    case Op::bsync:
    case Op::breakb:
    case Op::bmov_to:
    case Op::warpsync:
    case Op::yield:
    case Op::bar:
    case Op::trap:
      return true;
    default:
      return false;
  }
}

bool is_unconditional(const PredicateSource& guard) {
  return guard.index % 8 == predicate_true && !guard.negate;
}

std::vector<std::vector<std::uint32_t>> successors_of(const Code& code) {
  const auto count = static_cast<std::uint32_t>(code.instructions.size());
  std::vector<std::uint32_t> behind_calls;
  for (std::uint32_t i = 0; i + 1 < count; ++i) {
    if (code.instructions[i].op == Op::call) {
      behind_calls.push_back(i + 1);
    }
  }
  std::vector<std::vector<std::uint32_t>> successors(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Instruction& instruction = code.instructions[i];
    bool falls_through = true;
    switch (instruction.op) {
      case Op::bra:
      case Op::call:
        successors[i].push_back(static_cast<std::uint32_t>(instruction.target));
        falls_through = instruction.high || !is_unconditional(instruction.guard) ||
                        !is_unconditional(instruction.predicates[0]);
        break;
      case Op::ret:
        successors[i] = behind_calls;
        falls_through = !is_unconditional(instruction.guard);
        break;
      case Op::exit:
        falls_through =
            !is_unconditional(instruction.guard) || !is_unconditional(instruction.predicates[0]);
        break;
      default:
        break;
    }
    if (falls_through && i + 1 < count) {
      successors[i].push_back(i + 1);
    }
  }
  return successors;
}

std::vector<Loop> find_loops(const Code& code) {
  const Ways predecessors = predecessors_of(successors_of(code));
  std::map<std::uint32_t, std::pair<std::uint32_t, std::vector<bool>>> by_first;
  std::size_t jumps_back = 0;
  for (std::uint32_t i = 0; i < code.instructions.size(); ++i) {
    const Instruction& jump = code.instructions[i];
    if (jump.op != Op::bra || jump.target < 0 || std::cmp_greater(jump.target, i)) {
      continue;
    }
    if (++jumps_back > most_jumps_back) {
      break;
    }
    const auto first = static_cast<std::uint32_t>(jump.target);
    const auto known = by_first.find(first);
    std::vector<bool> body =
        extended(known == by_first.end() ? std::vector<bool>(code.instructions.size())
                                         : known->second.second,
                 first, i, predecessors);
    if (!body.empty()) {
      by_first[first] = {i, std::move(body)};
    }
  }
  std::vector<Loop> loops;
  for (const auto& [first, found] : by_first) {
    Loop loop;
    loop.first = first;
    loop.last = found.first;
    for (std::uint32_t i = 0; i < found.second.size(); ++i) {
      if (found.second[i]) {
        loop.body.push_back(i);
      }
    }
    for (const auto& [other, outer] : by_first) {
      loop.depth += other != first && outer.second[first] ? 1 : 0;
    }
    loops.push_back(std::move(loop));
  }
  return loops;
}

}  // namespace perfmodel::sass
