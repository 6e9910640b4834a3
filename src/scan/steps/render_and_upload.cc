// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <span>

#include "analyse/rectify.h"
#include "assess/both_sides.h"
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

/// Adds the files of the back and its report, and sums up both sides.
BackResult AddBack(const Pictured& front, Pictured back, std::vector<Artifact>& artifacts) {
  for (Artifact& artifact : back.artifacts) {
    artifact.name.insert(0, kBackFolder);
    artifacts.push_back(std::move(artifact));
  }
  artifacts.push_back(TextArtifact(std::string(kBackFolder) + "report.json",
                                   ToJson(back.report, back.assessment), "application/json"));
  BothSides both = Together({front.report, front.assessment}, {back.report, back.assessment});
  return {std::move(back.report), std::move(back.assessment), std::move(both)};
}

}  // namespace

absl::StatusOr<Pictured> RenderPictures(const ScanContext& scan, StageSet& stages,
                                        Detected detected, GoldenPictures& golden_pictures) {
  GLINT_RETURN_IF_ERROR(scan.Enter(ScanStep::kRendering));
  Pictured side{.pictures = std::move(detected.pictures),
                .report = std::move(detected.report),
                .assessment = std::move(detected.assessment)};
  if (detected.reference) {
    const auto& [frame, frame_from_object] = *detected.reference;
    GLINT_ASSIGN_OR_RETURN(const Plane rectified, Rectify(frame.picture->ToRgb(), frame_from_object,
                                                          side.report.object->size, stages));
    GLINT_ASSIGN_OR_RETURN(side.pictures.rectified, stages.backend->Download(rectified));
  }
  std::vector<Artifact>& artifacts = side.artifacts;
  GLINT_ASSIGN_OR_RETURN(artifacts, RenderArtifacts(side.report, side.pictures, scan.deps.pool));
  GLINT_ASSIGN_OR_RETURN(side.pictures.golden, golden_pictures.Finish());
  for (std::size_t i = 0; i < side.pictures.golden.size(); ++i) {
    artifacts.push_back(
        {GoldenPictureName(i), std::move(side.pictures.golden[i].png), "image/png"});
  }
  std::erase_if(artifacts, [&](const Artifact& artifact) {
    return !scan.deps.store.Takes(artifact.content_type);
  });
  GLINT_RETURN_IF_ERROR(
      AddExports(scan.request, side.report, side.assessment, side.pictures, artifacts));
  return side;
}

absl::StatusOr<Rendered> RenderReport(const ScanContext& scan, Pictured front,
                                      std::optional<Pictured> back) {
  Rendered rendered{.artifacts = std::move(front.artifacts)};
  std::vector<Artifact>& artifacts = rendered.artifacts;
  const ScanPictures back_pictures = back ? std::move(back->pictures) : ScanPictures();
  std::optional<BackSummary> summary;
  if (back) {
    const BackResult& of_back = rendered.back.emplace(AddBack(front, *std::move(back), artifacts));
    summary.emplace(of_back.report, of_back.assessment, of_back.both);
  }
  if (scan.deps.store.Takes(kHtml)) {
    const SideOnPage front_side{front.report, front.pictures, front.assessment};
    GLINT_ASSIGN_OR_RETURN(
        const std::string page,
        summary ? RenderHtml(front_side, {summary->report, back_pictures, summary->assessment},
                             summary->both, scan.deps.pool)
                : RenderHtml(front.report, front.pictures, scan.deps.pool, front.assessment));
    artifacts.push_back(TextArtifact("report.html", page, kHtml));
  }
  artifacts.push_back(TextArtifact("report.json", ToJson(front.report, front.assessment, summary),
                                   "application/json"));
  rendered.report = std::move(front.report);
  rendered.assessment = std::move(front.assessment);
  return rendered;
}

absl::StatusOr<ScanResult> UploadResult(const ScanContext& scan, Rendered rendered) {
  GLINT_RETURN_IF_ERROR(scan.Enter(ScanStep::kUploading));
  GLINT_ASSIGN_OR_RETURN(const std::unique_ptr<Publication> set,
                         scan.deps.store.Begin(scan.request.prefix, scan.cancel));
  std::vector<Artifact>& artifacts = rendered.artifacts;
  const std::size_t pictures = artifacts.size() - 1;  // and the page: all but the report
  std::int64_t frames = std::ssize(rendered.report.frames);
  std::int64_t frames_of = rendered.report.video.frames;
  if (rendered.back) {
    frames += std::ssize(rendered.back->report.frames);
    frames_of += rendered.back->report.video.frames;
  }
  const auto on_stored = [&](std::size_t stored) {
    scan.clock.Advance(static_cast<double>(stored) / static_cast<double>(pictures), frames,
                       frames_of);
  };
  GLINT_RETURN_IF_ERROR(PutAll(std::span(artifacts).first(pictures), *set, scan.cancel, on_stored));
  ScanResult result{.report = std::move(rendered.report),
                    .assessment = std::move(rendered.assessment),
                    .timing = scan.clock.SoFar(scan.deps.pool.threads()),
                    .back = std::move(rendered.back)};
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
