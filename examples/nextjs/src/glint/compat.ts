// SPDX-License-Identifier: Apache-2.0
// The answer that apps of the former Python worker read: everything about a finished scan at once.
import { status } from '@grpc/grpc-js';

import { Outcome, type Scan } from '../generated/glint/v1/scan';
import { GlintError, scanFailure } from './error';

/** As the former worker named things; addresses are absolute. */
export interface CompatAnswer {
  success: true;
  scanId: string;
  goldenFrames: string[];
  /** Seconds from the first frame, in the order of goldenFrames. */
  frameTimestamps: number[];
  /** Null when nothing could be judged: then there is no verdict, not a good one. */
  cvAnalysis: {
    /** Percent of the seen surface; null: could not be seen. */
    damageScore: number | null;
    /** Percent by named region; regions that could not be seen are left out. */
    regionScores: Record<string, number>;
    images: {
      defectMask?: string;
      overlay?: string;
      varianceMap?: string;
      regionCrops: Record<string, string>;
      regionOverlays: Record<string, string>;
    };
  } | null;
  advice: string[];
  warnings: string[];
}

function images(urls: ReadonlyMap<string, string>) {
  const byRegion = (suffix: string) => {
    const found: Record<string, string> = {};
    for (const [name, url] of urls) {
      const region = /^regions\/(.+)_(crop|overlay)\.png$/.exec(name);
      if (region?.[1] && region[2] === suffix) found[region[1]] = url;
    }
    return found;
  };
  return {
    defectMask: urls.get('mask.png'),
    overlay: urls.get('overlay.png'),
    varianceMap: urls.get('heatmap.png'),
    regionCrops: byRegion('crop'),
    regionOverlays: byRegion('overlay'),
  };
}

/**
 * The answer for a scan that is over.
 * @throws GlintError for a scan that failed or was cancelled, and when the worker is set up to give
 *   out no addresses of pictures
 */
export function compatAnswer(scan: Scan): CompatAnswer {
  const { result } = scan;
  if (!result) throw scanFailure(scan.error);
  const urls = new Map(result.objects.map(({ name, url }) => [name, url]));
  if ([...urls.values()].some((url) => url === '')) {
    throw new GlintError(
      'NO_ADDRESSES',
      status.FAILED_PRECONDITION,
      "the worker gives out no addresses of pictures: set its store's URL mode to public or signed",
      false,
      undefined,
      false,
    );
  }
  const golden = [...urls.keys()].filter((name) => /^golden_\d+\.png$/.test(name)).sort();
  const summary = result.summary;
  const scanned = summary?.outcome === Outcome.SCANNED;
  return {
    success: true,
    scanId: scan.scanId,
    goldenFrames: golden.map((name) => urls.get(name) ?? ''),
    frameTimestamps: (summary?.goldenTimesMs ?? []).map((ms) => ms / 1000),
    cvAnalysis: scanned
      ? {
          damageScore: summary.damagedPercent ?? null,
          regionScores: Object.fromEntries(
            summary.namedRegions.flatMap(({ name, damagedPercent }) =>
              damagedPercent === undefined ? [] : [[name, damagedPercent]],
            ),
          ),
          images: images(urls),
        }
      : null,
    advice: summary?.advice ?? [],
    warnings: summary?.warnings ?? [],
  };
}
