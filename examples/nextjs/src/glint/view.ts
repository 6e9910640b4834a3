// SPDX-License-Identifier: Apache-2.0
// What a browser gets to see of a scan: plain JSON with words for enums, null for "unknown".
import type { Duration } from '../generated/google/protobuf/duration';
import {
  Outcome,
  ScanState,
  ScanStep,
  type Scan,
  type ScanResult,
} from '../generated/glint/v1/scan';
import type { ScanView, StateName, StepName } from './scan_view';

const lowerName = (names: Record<number, string>, value: number): string =>
  (names[value] ?? 'unspecified').toLowerCase();

const iso = (time: Date | undefined): string | null => time?.toISOString() ?? null;

const seconds = (duration: Duration | undefined): number =>
  duration ? duration.seconds + duration.nanos / 1e9 : 0;

function resultView(result: ScanResult): NonNullable<ScanView['result']> {
  const summary = result.summary;
  return {
    usable: summary?.outcome === Outcome.SCANNED,
    verdict: result.bothSides?.verdict || summary?.verdict || '',
    notJudged: summary?.notJudged?.cause ?? null,
    damagedPercent: summary?.damagedPercent ?? null,
    namedRegions: (summary?.namedRegions ?? []).map(({ name, damagedPercent }) => ({
      name,
      damagedPercent: damagedPercent ?? null,
    })),
    regions: summary?.regions ?? 0,
    goldenFrames: summary?.goldenFrames ?? [],
    goldenTimesMs: summary?.goldenTimesMs ?? [],
    advice: summary?.advice ?? [],
    warnings: summary?.warnings ?? [],
    device: summary?.device ?? '',
    deviceWhy: summary?.deviceWhy ?? '',
    wallSeconds: seconds(result.wallTime),
    objects: result.objects.map(({ name, key, url, contentType, bytes }) => ({
      name,
      key,
      url,
      contentType,
      bytes,
    })),
  };
}

export function scanView(scan: Scan): ScanView {
  const progress = scan.progress;
  return {
    scanId: scan.scanId,
    state: lowerName(ScanState, scan.state) as StateName,
    videoUrl: scan.videoUrl,
    itemType: scan.options?.itemType ?? '',
    profile: scan.options?.profile ?? '',
    step: lowerName(ScanStep, progress?.step ?? 0) as StepName,
    fraction: Math.min(1, Math.max(0, progress?.fraction ?? 0)),
    frames: progress?.frames ?? 0,
    framesOf: progress?.framesOf ?? 0,
    bytes: progress?.bytes ?? 0,
    bytesOf: progress?.bytesOf ?? 0,
    queuePosition: progress?.queuePosition ?? 0,
    attempts: scan.attempts,
    createTime: iso(scan.createTime),
    startTime: iso(scan.startTime),
    endTime: iso(scan.endTime),
    error: scan.error
      ? {
          reason: scan.error.reason,
          message: scan.error.message,
          retryable: scan.error.retryable,
        }
      : null,
    result: scan.result ? resultView(scan.result) : null,
  };
}
