// SPDX-License-Identifier: Apache-2.0
// The stored report: the part of it that the page draws, and the whole of it as a page of its own.
import { status } from '@grpc/grpc-js';

import type { Scan } from '../generated/glint/v1/scan';
import { GlintError } from './error';
import type { ReportView } from './report_view';

interface ReportFile {
  object: { size: [number, number] } | null;
  regions: ReportView['regions'];
  named_regions: { name: string; box: ReportView['namedRegions'][number]['box'] }[];
}

const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Asks the store for one file of a finished scan, on the server: a bucket need not allow foreign
 * pages to read it.
 * @throws GlintError when the scan has no such file yet, or the store does not give it
 */
async function fetchObject<T>(
  scan: Scan,
  name: string,
  read: (answer: Response) => Promise<T>,
): Promise<T> {
  const url = scan.result?.objects.find((object) => object.name === name)?.url;
  if (!url) {
    const text = `there is no address of ${name}: the scan is not over, or the worker gives none`;
    throw new GlintError('SCAN_NOT_FOUND', status.NOT_FOUND, text, false, undefined, false);
  }
  const failed = (why: string) =>
    new GlintError('STORE_FAILED', status.UNAVAILABLE, why, true, undefined, false);
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(10_000), cache: 'no-store' });
    if (!answer.ok) throw failed(`the store answered ${answer.status} for the report`);
    if (Number(answer.headers.get('content-length')) > MAX_BYTES) throw failed('the report is huge');
    return await read(answer);
  } catch (error) {
    throw error instanceof GlintError ? error : failed('the store cannot be reached for the report');
  }
}

/** The report as a page that needs no other file, whatever type the store serves it as. */
export const fetchReportPage = (scan: Scan): Promise<string> =>
  fetchObject(scan, 'report.html', (answer) => answer.text());

/** What the page draws of a finished scan's report: a small part of the file. */
export async function fetchReport(scan: Scan): Promise<ReportView> {
  const file = await fetchObject(
    scan,
    'report.json',
    (answer) => answer.json() as Promise<ReportFile>,
  );
  return {
    size: file.object?.size ?? null,
    regions: file.regions.map((region) => ({
      id: region.id,
      kind: region.kind,
      box: region.box,
      area_px: region.area_px,
      length_px: region.length_px,
      strength: region.strength,
      family: region.family,
      confidence: region.confidence,
      best_frame: region.best_frame,
    })),
    namedRegions: file.named_regions.map(({ name, box }) => ({ name, box })),
  };
}
