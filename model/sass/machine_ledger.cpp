#include "model/sass/machine_ledger.hpp"

namespace perfmodel::sass {

const char* pipe_name(Pipe pipe) {
  switch (pipe) {
    case Pipe::fma:
      return "fma";
    case Pipe::alu:
      return "alu";
    case Pipe::xu:
      return "xu";
    case Pipe::fp64:
      return "fp64";
    case Pipe::tensor:
      return "tensor";
    case Pipe::lsu:
      return "lsu";
    case Pipe::uniform:
      return "uniform";
    case Pipe::control:
      return "control";
    case Pipe::other:
      return "other";
  }
  return "";
}

const char* access_class_name(AccessClass access) {
  switch (access) {
    case AccessClass::none:
      return "none";
    case AccessClass::broadcast:
      return "broadcast";
    case AccessClass::distinct:
      return "distinct";
    case AccessClass::coalesced:
      return "coalesced";
    case AccessClass::strided:
      return "strided";
    case AccessClass::gather:
      return "gather";
  }
  return "";
}

const char* defect_kind_name(DefectKind kind) {
  switch (kind) {
    case DefectKind::out_of_bounds:
      return "out of bounds";
    case DefectKind::misaligned:
      return "misaligned";
    case DefectKind::uninitialised_read:
      return "uninitialised read";
    case DefectKind::shared_race:
      return "shared-memory race";
  }
  return "";
}

const char* sampling_name(Sampling sampling) {
  switch (sampling) {
    case Sampling::all:
      return "all";
    case Sampling::classes:
      return "classes";
    case Sampling::random:
      return "random";
  }
  return "";
}

}  // namespace perfmodel::sass
