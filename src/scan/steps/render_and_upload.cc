// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <span>

#include "analyse/rectify.h"
#include "base/status_macros.h"
#include "export/export.h"
#include "report/html.h"
#include "report/json.h"
#include "report/names.h"
#include "scan/put_all.h"
#include "scan/steps/scan_steps.h"

namespace glint {
namespace {

constexpr const char* kHtml = "text/html; charset=utf-8";

Artifact TextArtifact(std::string name, const std::string& text, std::string content_type) {
  Artifact artifact{.name = std::move(name), .content_type = std::move(content_type)};
  artifact.content.resize(text.size());
  std::memcpy(artifact.content.data(), text.data(), text.size());
  return artifact;
}

std::vector<StoredObject> ObjectsOf(std::span<const Artifact> artifacts) {
  std::vector<StoredObject> objects;
  objects.reserve(artifacts.size());
  for (const Artifact& artifact : artifacts) {
    objects.push_back({artifact.name, artifact.content_type, std::ssize(artifact.content)});
  }
  return objects;
}

/// The result in the formats of other tools, whether or not the store is to take such types: they
/// were asked for by name.
absl::Status AddExports(const ScanRequest& request, const ScanReport& report,
                        const std::optional<Assessment>& assessment, const ScanPictures& pictures,
                        std::vector<Artifact>& artifacts) {
  if (request.exports.empty() || pictures.labels.empty()) return absl::OkStatus();
  GLINT_ASSIGN_OR_RETURN(const AnnotatedPicture picture,
                         Annotate({report, assessment, pictures.labels}, Coordinates::kObject));
  for (const ExportFormat format : request.exports) {
    GLINT_ASSIGN_OR_RETURN(const std::string text, Export({&picture, 1}, format, Shapes::kMask));
    artifacts.push_back(
        TextArtifact(std::string(FileName(format)), text, std::string(ContentType(format))));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Rendered> RenderResult(const ScanContext& scan, StageSet& stages, Detected detected,
                                      GoldenPictures& golden_pictures) {
  GLINT_RETURN_IF_ERROR(scan.Enter(ScanStep::kRendering));
  const ScanReport& report = detected.report;
  ScanPictures& pictures = detected.pictures;
  if (detected.reference) {
    const auto& [frame, frame_from_object] = *detected.reference;
    GLINT_ASSIGN_OR_RETURN(const Plane rectified, Rectify(frame.picture->ToRgb(), frame_from_object,
                                                          report.object->size, stages));
    GLINT_ASSIGN_OR_RETURN(pictures.rectified, stages.backend->Download(rectified));
  }
  Rendered rendered;
  std::vector<Artifact>& artifacts = rendered.artifacts;
  GLINT_ASSIGN_OR_RETURN(artifacts, RenderArtifacts(report, pictures, scan.deps.pool));
  GLINT_ASSIGN_OR_RETURN(pictures.golden, golden_pictures.Finish());
  for (std::size_t i = 0; i < pictures.golden.size(); ++i) {
    artifacts.push_back({GoldenPictureName(i), std::move(pictures.golden[i].png), "image/png"});
  }
  std::erase_if(artifacts, [&](const Artifact& artifact) {
    return !scan.deps.store.Takes(artifact.content_type);
  });
  if (scan.deps.store.Takes(kHtml)) {
    GLINT_ASSIGN_OR_RETURN(const std::string page,
                           RenderHtml(report, pictures, scan.deps.pool, detected.assessment));
    artifacts.push_back(TextArtifact("report.html", page, kHtml));
  }
  GLINT_RETURN_IF_ERROR(AddExports(scan.request, report, detected.assessment, pictures, artifacts));
  artifacts.push_back(
      TextArtifact("report.json", ToJson(report, detected.assessment), "application/json"));
  rendered.report = std::move(detected.report);
  rendered.assessment = std::move(detected.assessment);
  return rendered;
}

absl::StatusOr<ScanResult> UploadResult(const ScanContext& scan, Rendered rendered) {
  GLINT_RETURN_IF_ERROR(scan.Enter(ScanStep::kUploading));
  GLINT_ASSIGN_OR_RETURN(const std::unique_ptr<Publication> set,
                         scan.deps.store.Begin(scan.request.prefix, scan.cancel));
  std::vector<Artifact>& artifacts = rendered.artifacts;
  const std::size_t pictures = artifacts.size() - 1;  // and the page: all but the report
  const auto on_stored = [&](std::size_t stored) {
    scan.clock.Advance(static_cast<double>(stored) / static_cast<double>(pictures),
                       std::ssize(rendered.report.frames), rendered.report.video.frames);
  };
  GLINT_RETURN_IF_ERROR(PutAll(std::span(artifacts).first(pictures), *set, scan.cancel, on_stored));
  ScanResult result{.report = std::move(rendered.report),
                    .assessment = std::move(rendered.assessment),
                    .timing = scan.clock.SoFar(scan.deps.pool.threads())};
  artifacts.insert(artifacts.end() - 1,
                   TextArtifact("timing.json", ToJson(result.timing), "application/json"));
  for (const Artifact& last : std::span(artifacts).last(2)) {  // the report stays the last one
    GLINT_RETURN_IF_ERROR(scan.cancel.Check());
    GLINT_RETURN_IF_ERROR(set->Put(last.name, last.content, last.content_type));
  }
  if (scan.deps.before_commit) {
    GLINT_RETURN_IF_ERROR(scan.deps.before_commit(result, ObjectsOf(artifacts), *set));
  }
  GLINT_RETURN_IF_ERROR(set->Commit());
  return result;
}

}  // namespace glint
