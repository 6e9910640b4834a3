// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/line_steps.h"

#include <algorithm>
#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "analyse/photometric/evidence/energy_normalisation.h"
#include "analyse/photometric/lost_ink/dash_on_line.h"
#include "analyse/photometric/lost_ink/dash_rows.h"
#include "analyse/photometric/lost_ink/white_strokes.h"
#include "analyse/photometric/outline/background.h"
#include "analyse/photometric/pixels/masks.h"
#include "analyse/photometric/searches/dull_lines.h"
#include "analyse/photometric/searches/faint_paths.h"
#include "analyse/photometric/searches/line_bridges.h"
#include "analyse/photometric/searches/side_lines.h"
#include "analyse/photometric/searches/stroke_lines.h"
#include "base/freed_memory.h"
#include "base/host_call.h"
#include "base/mat.h"
#include "base/status_macros.h"

namespace glint::photometric {
namespace {

/// Evidence above which a ridge may run. @param levels  in levels of the evidence
std::int32_t Threshold(double levels, std::int32_t level) {
  return static_cast<std::int32_t>(std::min(levels * level, 2147483647.0));
}

/// The ridge pixels whose evidence exceeds a bound, or that are a line's for certain.
Plane CrestsAbove(std::int32_t bound, const Plane& ridges, const Plane& certain,
                  const Plane& energy) {
  return AsPlane(AsMat(ridges) & ((AsMat(energy) > bound) | (AsMat(certain) != 0)));
}

/// The ridges of evidence on the device, on the host.
absl::StatusOr<Plane> Ridges(const LineEvidence& evidence, std::int32_t above_energy,
                             std::int32_t above_point, const RidgeParams& params,
                             StageSet& stages) {
  GLINT_ASSIGN_OR_RETURN(const Plane ridges,
                         stages.ridge->Run(evidence, above_energy, above_point, params));
  return stages.backend->Download(ridges);
}

/// The paths that are lines and no print. A path is decided anew without its parts that are print.
absl::StatusOr<Lines> FindUnveiledPaths(PathInput input, const VeiledViews& views,
                                        const LineParams& params, ThreadPool& pool) {
  Lines lines;
  VeiledPrint veiled;
  const auto decide = [&]() -> absl::Status {
    GLINT_ASSIGN_OR_RETURN(lines, FindLinePaths(input, params.paths));
    GLINT_ASSIGN_OR_RETURN(
        veiled, FindVeiledPrint(lines, input.directions, views, params.veiled_print, pool));
    return absl::OkStatus();
  };
  GLINT_RETURN_IF_ERROR(decide());
  if (!veiled.parts.empty()) {
    GLINT_RETURN_IF_ERROR(HostCall("lines", [&] {
      const cv::Mat parts = AsMat(veiled.parts);
      AsMat(input.ridges).setTo(0, parts);
      AsMat(input.certain).setTo(0, parts);
    }));
    GLINT_RETURN_IF_ERROR(decide());
  }
  GLINT_RETURN_IF_ERROR(HostCall("lines", [&] {
    veiled.lines.flip();
    lines = KeepLines(std::move(lines), veiled.lines);
  }));
  return lines;
}

/// From ridges to lines.
/// @param search  its energy, directions and print; its lines are set
absl::Status DecideLines(const Plane& ridges, const SurfaceMasks& masks, const VeiledViews& views,
                         const LineParams& params, ThreadPool& pool, LineSearch& search) {
  PathInput input{.ridges = {},
                  .energy = search.energy,
                  .level = kEnergyUnit,
                  .surface = masks.surface,
                  .gaps = masks.gaps,
                  .directions = search.directions,
                  .print = &search.print,
                  .certain = {}};
  GLINT_RETURN_IF_ERROR(HostCall("lines", [&] {
    input.certain = FindLongLines(search.energy, search.directions, ridges, search.print,
                                  params.long_lines, pool);
    input.ridges = CrestsAbove(Threshold(params.weak_energy, kEnergyUnit), ridges, input.certain,
                               search.energy);
  }));
  GLINT_ASSIGN_OR_RETURN(search.lines, FindUnveiledPaths(std::move(input), views, params, pool));
  search.lines.mask = {};
  return absl::OkStatus();
}

/// Dashes of bare paper. @param colour  ViewStack::colour; empty: none are looked for
PaperDashes FindDashes(const Plane& colour, const BrokenInkInput& print, const LineParams& params,
                       ThreadPool& pool) {
  if (colour.empty()) return {};
  const cv::Mat object = AsMat(colour)(ObjectIn(AsMat(colour).size()));
  PaperDashes paper = FindPaperDashes(object, AsMat(print.surface), params.paper_dashes, pool);
  paper.dashes = WithoutStrokes(std::move(paper.dashes), print.albedo, params.white_strokes);
  return paper;
}

/// Lines whose ink is gone. They look the same in every view, but a row of dashes is surer where
/// the light shows its line.
std::vector<FoundLine> FindLostInkLines(const BrokenInkInput& print, const PaperDashes& paper,
                                        const LineResponse& response, const LineParams& params,
                                        ThreadPool& pool) {
  std::vector<FoundLine> found = WithoutOutlined(FindBrokenInk(print, params.broken_ink, pool),
                                                 print.albedo, params.white_strokes);
  const auto is_lit = [&](const FoundLine& row) {
    return IsLit(row.line, response, print.albedo, params.lit_rows);
  };
  const std::vector<FoundLine> rows = FindDashRows(paper, params.dash_rows, is_lit);
  found.insert(found.end(), rows.begin(), rows.end());
  const std::vector<FoundLine> streaks =
      FindCornerStreaks(print.albedo, print.surface, params.corner_streaks, pool);
  found.insert(found.end(), streaks.begin(), streaks.end());
  return found;
}

/// Straight lines that answer to the light where it is known what they would be.
std::vector<FoundLine> FindLitLines(const LineResponse& response, const Plane& albedo,
                                    const PaperDashes& paper, const Lines& known,
                                    std::span<const FoundLine> lost_ink, const LineParams& params,
                                    ThreadPool& pool) {
  std::vector<FoundLine> found = FindRimTicks(response, albedo, params.rim_ticks, pool);
  const auto dashes_on = [&](const StraightLine& line) {
    return DashScoreOn(line, paper.dashes, params.dash_rows);
  };
  const std::vector<FoundLine> creases =
      FindCornerCreases(response, albedo, dashes_on, params.corner_creases, pool);
  found.insert(found.end(), creases.begin(), creases.end());
  const std::vector<FoundLine> folds =
      FindThroughFolds(response, albedo, lost_ink, params.through_folds, pool);
  found.insert(found.end(), folds.begin(), folds.end());
  const std::vector<FoundLine> dashes =
      FindLitDashes(paper.dashes, known, response, albedo, params.lit_dashes, pool);
  found.insert(found.end(), dashes.begin(), dashes.end());
  return found;
}

/// What is looked for as a straight line, the surest first of each kind.
/// @param known  the paths
std::vector<FoundLine> FindStraightLines(const BrokenInkInput& print, const PaperDashes& paper,
                                         const LineResponse& response, const HostViews& host,
                                         const Lines& known, const LineParams& params,
                                         ThreadPool& pool) {
  std::vector<FoundLine> found = FindLostInkLines(print, paper, response, params, pool);
  ReturnFreedMemory();  // of looking at the print
  const std::vector<FoundLine> lit =
      FindLitLines(response, print.albedo, paper, known, found, params, pool);
  found.insert(found.end(), lit.begin(), lit.end());
  const std::vector<FoundLine> dull =
      FindDullLines(host.greys, host.valid, print.albedo, print.surface, params.dull_lines, pool);
  found.insert(found.end(), dull.begin(), dull.end());
  return found;
}

/// Adds long segments to the lines that are known by then.
Lines AddSegments(Lines lines, const LineResponse& response, const Plane& albedo,
                  const Plane& energy, const LineParams& params, ThreadPool& pool) {
  const std::vector<FoundLine> segments =
      FindLineSegments(response, albedo, lines, params.segments, pool);
  const Plane added = lines.mask;  // by other means
  lines = AddFoundLines(std::move(lines), segments, energy, params.added_lines);
  AsMat(lines.mask) |= AsMat(added);
  return lines;
}

/// Leaves out what is no line by how it looks: strokes of the print and the object's own edge.
/// @param colour  ViewStack::colour; empty: nothing is known of that edge
Lines DropStrokesAndSides(Lines lines, const Plane& albedo, const Plane& colour,
                          const LineParams& params, ThreadPool& pool) {
  lines = DropStrokes(std::move(lines), albedo, params.stroke_lines, pool);
  if (colour.empty()) return lines;
  return DropSides(std::move(lines), AsMat(colour), params.side_lines);
}

}  // namespace

absl::StatusOr<NoiseModel> MeasureNoise(const PhotometricViews& views, const LightModel& model,
                                        const PhotometricParams& params, StageSet& stages) {
  GLINT_ASSIGN_OR_RETURN(Plane magnitude, stages.residual->MedianMagnitude(views, model.residuals));
  GLINT_ASSIGN_OR_RETURN(magnitude, stages.backend->Download(magnitude));
  NoiseModel noise;
  GLINT_RETURN_IF_ERROR(HostCall("noise", [&] {
    noise = FitNoise(NoiseCells(model.on_host, magnitude, params.noise, params.evidence.min_views),
                     params.noise, params.residual.assumed_noise);
  }));
  return noise;
}

absl::StatusOr<LineSearch> SearchLines(const PhotometricViews& views, const LightModel& model,
                                       const NoiseModel& noise, const SurfaceMasks& masks,
                                       const HostViews& host, const PhotometricParams& params,
                                       StageSet& stages, ThreadPool& pool) {
  Backend& backend = *stages.backend;
  LineSearch search;
  GLINT_ASSIGN_OR_RETURN(
      LineEvidence evidence,
      stages.line_evidence->Run(views, model.residuals, model.albedo, noise, params.evidence));
  ReturnFreedMemory();  // of the groups of views
  Plane raw;
  GLINT_ASSIGN_OR_RETURN(raw, backend.Download(evidence.energy));
  GLINT_ASSIGN_OR_RETURN(search.directions, backend.Download(evidence.direction));
  GLINT_RETURN_IF_ERROR(HostCall("lines", [&] {
    AsMat(raw).setTo(0, AsMat(masks.surface) == 0);
    raw = NormaliseEnergy(std::span(&raw, 1), model.on_host, params.energy, pool)[0];
    search.energy = NormaliseBySurroundings(raw, params.lines.surround, pool);
    search.print = FindPrintContours(model.on_host.grey, params.lines.print, pool);
  }));
  GLINT_ASSIGN_OR_RETURN(evidence.energy, backend.Upload(search.energy));
  const std::int32_t min_crest = Threshold(params.lines.long_lines.min_crest, kEnergyUnit);
  GLINT_ASSIGN_OR_RETURN(const Plane ridges, Ridges(evidence, min_crest, -1, params.ridge, stages));
  const VeiledViews veiled{.greys = host.greys, .valid = host.valid, .albedo = model.on_host.grey};
  GLINT_RETURN_IF_ERROR(DecideLines(ridges, masks, veiled, params.lines, pool, search));
  return search;
}

absl::Status AddStraightLines(const LightModel& model, const HostViews& host, const Plane& surface,
                              const Plane& colour, const LineParams& params, Backend& backend,
                              ThreadPool& pool, LineSearch& search) {
  GLINT_ASSIGN_OR_RETURN(const std::vector<StoredPlane> residuals,
                         DownloadResiduals(model, backend));
  return HostCall("lines", [&] {
    const Albedo& albedo = model.on_host;
    const BrokenInkInput print{.albedo = albedo.grey,
                               .energy = search.energy,
                               .directions = search.directions,
                               .surface = surface};
    const PaperDashes paper = FindDashes(colour, print, params, pool);
    const ResidualViews views{.residuals = residuals,
                              .valid = host.valid,
                              .gradient = albedo.gradient,
                              .surface = surface};
    const LineResponse response(views, params.response, pool);
    search.lines =
        LeaveOutUnlit(std::move(search.lines), response, albedo.grey, params.faint_paths, pool);
    const std::vector<FoundLine> found =
        FindStraightLines(print, paper, response, host, search.lines, params, pool);
    search.lines = AddFoundLines(std::move(search.lines), found, search.energy, params.added_lines);
    search.lines =
        AddSegments(std::move(search.lines), response, albedo.grey, search.energy, params, pool);
    const LineGuides guides{
        .response = response, .albedo = albedo.grey, .paper = paper, .dash_rows = params.dash_rows};
    search.lines = ExtendLines(std::move(search.lines), guides, params.extension, pool);
    const cv::Mat known = AsMat(search.lines.ids) != 0;
    search.lines = DropShiftedContours(std::move(search.lines), residuals, host.valid, albedo.grey,
                                       params.contour_shift, pool);
    search.lines = DropStrokesAndSides(std::move(search.lines), albedo.grey, colour, params, pool);
    search.lines = ExtendFaintEnds(std::move(search.lines), known & (AsMat(search.lines.ids) == 0),
                                   guides, params.extension, pool);
    search.lost_ink =
        FindLostInk(search.lines.ids, search.directions, search.print, params.lost_ink);
    AsMat(search.lost_ink) |= AsMat(search.lines.mask);
  });
}

absl::StatusOr<StaticLineSearch> SearchStaticLines(const Albedo& on_host, const SurfaceMasks& masks,
                                                   const PhotometricParams& params,
                                                   StageSet& stages, ThreadPool& pool) {
  Backend& backend = *stages.backend;
  GLINT_ASSIGN_OR_RETURN(StaticLines found,
                         FindStaticLines(on_host.grey, on_host.count, params.static_lines, pool));
  LineEvidence& evidence = found.evidence;
  GLINT_ASSIGN_OR_RETURN(evidence.energy, backend.Upload(evidence.energy));
  GLINT_ASSIGN_OR_RETURN(evidence.direction, backend.Upload(evidence.direction));
  GLINT_ASSIGN_OR_RETURN(evidence.point, backend.Upload(evidence.point));
  const std::int32_t weak = Threshold(params.static_lines.weak_energy_deviations, found.deviation);
  GLINT_ASSIGN_OR_RETURN(const Plane ridges, Ridges(evidence, weak, weak, params.ridge, stages));
  GLINT_ASSIGN_OR_RETURN(evidence.energy, backend.Download(evidence.energy));
  GLINT_ASSIGN_OR_RETURN(evidence.direction, backend.Download(evidence.direction));
  GLINT_ASSIGN_OR_RETURN(Lines lines, FindLinePaths({.ridges = ridges,
                                                     .energy = evidence.energy,
                                                     .level = found.deviation,
                                                     .surface = masks.surface,
                                                     .gaps = masks.gaps,
                                                     .directions = evidence.direction,
                                                     .print = nullptr,
                                                     .certain = {}},
                                                    params.static_lines.paths));
  StaticLineSearch search{.mask = std::move(lines.mask), .energy = {}};
  GLINT_RETURN_IF_ERROR(HostCall(
      "static lines", [&] { search.energy = InDeviations(evidence.energy, found.deviation); }));
  return search;
}

absl::StatusOr<WideLines> DrawWideLines(const LightModel& model, std::span<const Plane> valid,
                                        const NoiseModel& noise, const PhotometricParams& params,
                                        Backend& backend, ThreadPool& pool, LineSearch& search) {
  WideLines wide;
  std::vector<StoredPlane> residuals(model.residuals.size());
  std::vector<std::vector<LineVisibility>> visibility;
  if (!search.lines.paths.empty()) {
    GLINT_ASSIGN_OR_RETURN(residuals, DownloadResiduals(model, backend));
    GLINT_RETURN_IF_ERROR(HostCall("lines", [&] {
      visibility =
          MeasureLineVisibility(residuals, valid, model.on_host, noise, search.lines, pool);
      wide.found = KeepVisibleLines(params.line_visibility, search.lines, visibility);
    }));
  }
  const Plane& ids = search.lines.ids;
  const std::size_t count = wide.found.size();
  GLINT_ASSIGN_OR_RETURN(const DrawnLines drawn, DrawLines(ids, count, search.directions, residuals,
                                                           params.line_width, pool));
  GLINT_ASSIGN_OR_RETURN(const Plane folds,
                         FillFolds(ids, search.directions, visibility, params.folds));
  for (std::size_t i = 0; i < count; ++i) wide.found[i].width = drawn.widths[i];
  GLINT_RETURN_IF_ERROR(HostCall("lines", [&] {
    wide.mask = AsPlane(AsMat(drawn.mask) | AsMat(folds));
    if (!search.lost_ink.empty()) AsMat(wide.mask) |= AsMat(search.lost_ink);
    AsMat(wide.mask) |= AsMat(BridgeLines(search.lines, model.on_host.count, params.lines.bridges));
    // Specks beside a line are no defects of their own.
    wide.mask = AsPlane(ComponentsTouching(AsMat(wide.mask), AsMat(ids) != 0, 8));
  }));
  return wide;
}

}  // namespace glint::photometric
