#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>

#include "app/commands.hpp"
#include "app/completion.hpp"
#include "app/manual.hpp"
#include "app/output.hpp"
#include "model/error.hpp"
#include "model/text.hpp"

namespace {

// Exit codes: docs/architecture.md, "Exit codes".
constexpr int exit_internal_error = 1;
constexpr int exit_bad_input = 2;
constexpr int exit_unavailable = 3;
constexpr int exit_wrong_result = 4;
constexpr int exit_regression = 5;

int exit_code(perfmodel::ErrorKind kind) {
  switch (kind) {
    case perfmodel::ErrorKind::bad_input:
      return exit_bad_input;
    case perfmodel::ErrorKind::unavailable:
      return exit_unavailable;
    case perfmodel::ErrorKind::wrong_result:
      return exit_wrong_result;
  }
  return exit_internal_error;
}

int complain(int code, const std::string& message) {
  fmt::print(stderr, "perfmodel: {}\n", message);
  return code;
}

/// What a leftover argument may have been meant as: an option where it looks like one, otherwise a
/// subcommand if none was recognised.
std::string suggestion(const CLI::App& app, const std::string& argument) {
  const std::vector<CLI::App*> parsed = app.get_subcommands();
  const CLI::App& command = parsed.empty() ? app : *parsed.front();
  std::vector<std::string> candidates;
  if (argument.starts_with('-')) {
    for (const CLI::Option* option : command.get_options()) {
      for (const std::string& name : option->get_lnames()) {
        candidates.push_back("--" + name);
      }
    }
  } else if (parsed.empty()) {
    for (const CLI::App* subcommand : app.get_subcommands({})) {
      candidates.push_back(subcommand->get_name());
    }
  }
  return perfmodel::did_you_mean(argument, candidates);
}

/// Help and version are answers; everything else that CLI11 throws is a bad command line.
int handle(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
    std::ostringstream answer;
    app.exit(error, answer, answer);
    perfmodel::app::write_stdout(answer.str());
    return 0;
  }
  const std::vector<std::string> leftover = app.remaining(true);
  if (!leftover.empty()) {
    const std::string& argument = leftover.front();
    return complain(exit_bad_input,
                    fmt::format("unexpected argument '{}'{}; see perfmodel --help",
                                perfmodel::printable(argument), suggestion(app, argument)));
  }
  const std::vector<CLI::App*> parsed = app.get_subcommands();
  return complain(exit_bad_input,
                  fmt::format("{}; see perfmodel {}--help", perfmodel::printable(error.what(), 400),
                              parsed.empty() ? "" : parsed.front()->get_name() + " "));
}

/// Answers `perfmodel complete WORD...`. The words are no command line yet, so CLI11 must not parse
/// them.
int answer_completion(const CLI::App& app, const std::vector<std::string>& words) {
  const auto specs = std::ranges::find(words, "--specs");
  const std::string folder = std::distance(specs, words.end()) > 1 ? *std::next(specs) : "";
  const auto names = [&](perfmodel::app::NameKind kind) {
    return perfmodel::app::catalogue_names(kind, folder);
  };
  perfmodel::app::write_stdout(
      perfmodel::app::completion_text(perfmodel::app::complete(app, words, names)));
  return 0;
}

/// Installing the program writes its manual page with this.
void add_manual(CLI::App& app) {
  app.add_subcommand("manual", "the manual page, for man")->group("")->callback([&app] {
    perfmodel::app::write_stdout(perfmodel::app::manual_page(app, PERFMODEL_VERSION));
  });
}

int run(int argc, char** argv) {
  perfmodel::app::GlobalOptions global;
  CLI::App app("Roofline and performance models of CUDA kernels, with or without a GPU.",
               "perfmodel");
  app.set_version_flag("--version", "perfmodel " PERFMODEL_VERSION);
  app.require_subcommand(0, 1);
  app.fallthrough();
  app.add_option("--specs", global.specs,
                 "folder of specifications; default: $PERFMODEL_SPECS, else the shipped ones")
      ->type_name("FOLDER");
  perfmodel::app::add_analyze(app, global);
  perfmodel::app::add_audit(app, global);
  perfmodel::app::add_calibrate(app, global);
  perfmodel::app::add_compare(app, global);
  perfmodel::app::add_doctor(app);
  perfmodel::app::add_import(app, global);
  perfmodel::app::add_ledger(app, global);
  perfmodel::app::add_audit_ledger(app, global);
  perfmodel::app::add_list(app, global);
  perfmodel::app::add_measure(app, global);
  perfmodel::app::add_merge(app);
  perfmodel::app::add_sweep(app, global);
  perfmodel::app::add_study(app, global);
  perfmodel::app::add_validate(app, global);
  add_manual(app);
  app.footer(
      "Examples:\n"
      "  perfmodel analyze --device rtx4090      the published SGEMM ladder, explained\n"
      "  perfmodel audit K5 --device rtx4090     one kernel, with the evidence\n"
      "  perfmodel ledger K3 --shape 512x512x64  what its source loads per FMA\n"
      "  perfmodel doctor                        what this machine can measure, and the remedies\n"
      "  perfmodel COMMAND --help                options and examples of each\n"
      "Exit codes: 0 fine, 1 internal error, 2 bad arguments or files, 3 not available "
      "here,\n"
      "4 wrong results, 5 a regression found by compare.");
  if (argc > 1 && std::string_view(argv[1]) == perfmodel::app::completion_request) {
    return answer_completion(app, {argv + 2, argv + argc});
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return handle(app, error);
  }
  if (app.get_subcommands().empty()) {
    fmt::print(stderr, "{}", app.help());
    return exit_bad_input;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const perfmodel::app::Regression& regression) {
    return complain(exit_regression, regression.what());
  } catch (const perfmodel::Error& error) {
    return complain(exit_code(error.kind()), error.what());
  } catch (const std::bad_alloc&) {
    return complain(exit_internal_error, "out of memory");
  } catch (const std::exception& error) {
    return complain(exit_internal_error,
                    fmt::format("internal error: {}; please report it", error.what()));
  }
}
