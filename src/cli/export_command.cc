// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "base/status_macros.h"
#include "cli/choice.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/json_line.h"
#include "export/export.h"
#include "glint/error.h"
#include "report/read_report.h"

namespace glint {
namespace {

namespace fs = std::filesystem;

struct ExportOptions {
  std::vector<std::string> results;
  ExportFormat format = ExportFormat::kCoco;
  Coordinates coordinates = Coordinates::kObject;
  Shapes shapes = Shapes::kMask;
  std::string out = "-";
  bool json = false;  // results go to stdout as they are
};

/// The results that a path names: itself, or those in a folder of them, by name.
absl::StatusOr<std::vector<fs::path>> ResultsIn(const std::string& path) {
  std::error_code none;
  if (fs::exists(fs::path(path) / "report.json", none)) return std::vector<fs::path>{path};
  std::vector<fs::path> results;
  for (const auto& entry : fs::directory_iterator(path, none)) {
    if (fs::exists(entry.path() / "report.json", none)) results.push_back(entry.path());
  }
  std::ranges::sort(results);
  if (!results.empty()) return results;
  return Error(Reason::kInputNotFound,
               fmt::format("'{}' holds no report.json; name the folder of a result, or a folder of "
                           "them",
                           path));
}

/// The pictures' folder as the exported file has to say it: from where that lies, '/' in between.
std::string FolderFrom(const fs::path& out_folder, const fs::path& result) {
  std::error_code none;
  const fs::path relative = fs::proximate(result, out_folder, none);
  const std::string text = (none ? result : relative).generic_string();
  return text == "." ? "" : text;
}

/// A result's picture with all that is marked; nothing where it judged nothing.
absl::StatusOr<std::optional<AnnotatedPicture>> Read(const fs::path& result,
                                                     const ExportOptions& options,
                                                     const fs::path& out_folder) {
  GLINT_ASSIGN_OR_RETURN(const StoredReport stored, ReadReport(result));
  if (stored.report.outcome != ScanOutcome::kScanned || !stored.report.object) return std::nullopt;
  GLINT_ASSIGN_OR_RETURN(const Plane labels, ReadLabelsPicture(result, stored.report));
  return Annotate({stored.report, stored.assessment, labels}, options.coordinates,
                  FolderFrom(out_folder, result));
}

/// Writes beside and renames, so that nobody reads half a file.
absl::Status Write(const fs::path& file, const std::string& text) {
  const fs::path beside = file.string() + ".partial";
  std::ofstream stream(beside, std::ios::binary);
  stream << text;
  stream.close();
  std::error_code failed;
  if (stream) fs::rename(beside, file, failed);
  if (stream && !failed) return absl::OkStatus();
  std::error_code ignored;
  fs::remove(beside, ignored);
  return Error(Reason::kOutputUnwritable,
               fmt::format("'{}' cannot be written; check its folder and the space on the disk",
                           file.string()));
}

/// LabelMe: a file for each picture, named after its folder.
absl::Status WriteEach(const std::vector<AnnotatedPicture>& pictures,
                       const ExportOptions& options) {
  std::error_code ignored;
  fs::create_directories(options.out, ignored);
  std::set<std::string> names;
  for (const AnnotatedPicture& picture : pictures) {
    std::string name = fs::path(picture.file).parent_path().filename().string();
    if (name.empty()) name = picture.scan_id;
    if (!names.insert(name).second) {
      return Error(Reason::kInvalidOption,
                   fmt::format("two of the results are called '{}'; export them apart", name));
    }
    GLINT_ASSIGN_OR_RETURN(const std::string text,
                           Export({&picture, 1}, options.format, options.shapes));
    GLINT_RETURN_IF_ERROR(Write(fs::path(options.out) / (name + ".json"), text));
  }
  return absl::OkStatus();
}

/// Whether the output is a folder of files, one for each picture.
bool IsFolder(const ExportOptions& options, std::size_t pictures) {
  std::error_code none;
  return options.format == ExportFormat::kLabelme && options.out != "-" &&
         (pictures > 1 || fs::is_directory(options.out, none));
}

absl::StatusOr<int> RunExport(const ExportOptions& options, const CommandContext& context) {
  std::vector<fs::path> results;
  for (const std::string& path : options.results) {
    GLINT_ASSIGN_OR_RETURN(const std::vector<fs::path> found, ResultsIn(path));
    results.insert(results.end(), found.begin(), found.end());
  }
  const bool folder = IsFolder(options, results.size());
  const fs::path out_folder = options.out == "-" ? fs::path() : fs::path(options.out);
  const fs::path written_to = folder ? out_folder : out_folder.parent_path();
  std::vector<AnnotatedPicture> pictures;
  for (const fs::path& result : results) {
    GLINT_ASSIGN_OR_RETURN(auto picture,
                           Read(result, options, written_to.empty() ? "." : written_to));
    if (picture) {
      pictures.push_back(*std::move(picture));
    } else {
      context.console.Say(fmt::format(
          "'{}' is left out: the scan judged nothing, and its report says why", result.string()));
    }
  }
  if (folder) {
    GLINT_RETURN_IF_ERROR(WriteEach(pictures, options));
    return kExitSuccess;
  }
  GLINT_ASSIGN_OR_RETURN(const std::string text, Export(pictures, options.format, options.shapes));
  if (options.out == "-") {
    context.console.Print(text);
    return kExitSuccess;
  }
  GLINT_RETURN_IF_ERROR(Write(options.out, text));
  return kExitSuccess;
}

}  // namespace

void AddExportCommand(CLI::App& app, Action& action) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* command = app.add_subcommand(
      "export", "Write results for annotation tools and spreadsheets: COCO, CVAT, LabelMe, CSV");
  command
      ->add_option("result", options->results,
                   "Folders of results, as glint scan writes them, or folders of those")
      ->required();
  std::map<std::string, ExportFormat> formats;
  for (const ExportFormat format : kExportFormats) formats.emplace(Name(format), format);
  AddChoice(*command, "--format", options->format, formats, "What to write");
  AddChoice(*command, "--coordinates", options->coordinates,
            {{"object", Coordinates::kObject}, {"frame", Coordinates::kFrame}},
            "In which picture: the object seen straight from above (rectified.png), or the frame "
            "of the video in which it was located");
  AddChoice(*command, "--shapes", options->shapes,
            {{"mask", Shapes::kMask}, {"polygon", Shapes::kPolygon}},
            "How a defect is written: as run lengths, or as polygons along the borders of its "
            "pixels; both are exact");
  command
      ->add_option(
          "-o,--out", options->out,
          "The file; '-' is stdout; for LabelMe and several results a folder. Pictures are "
          "named from where it lies")
      ->capture_default_str();
  command->footer(ExitCodeHelp());
  ActWhenChosen(*command, action, options, RunExport);
}

}  // namespace glint
