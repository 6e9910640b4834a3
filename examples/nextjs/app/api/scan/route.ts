// SPDX-License-Identifier: Apache-2.0
// POST {videoUrl, scanId, itemType}, as apps of the former Python worker send it. With ?compat=1
// the answer comes when the scan is over, in the shape that those apps read; otherwise it is that
// of POST /api/scans. The same request again joins the scan that runs already.
import { status } from '@grpc/grpc-js';

import { submitScan } from '@/glint/client';
import { compatAnswer } from '@/glint/compat';
import { GlintError } from '@/glint/error';
import { followScan, isFinal } from '@/glint/follow';
import { parseScanRequest, readJson } from '@/glint/request';
import { answer, json } from '@/glint/route';
import { scanView } from '@/glint/view';

export const runtime = 'nodejs';
export const dynamic = 'force-dynamic';
export const maxDuration = 300;

/** Below maxDuration, so that the caller gets an answer and not a broken connection. */
const PATIENCE_MS = 280_000;

async function scanToTheEnd(scanId: string, left: AbortSignal) {
  const stop = new AbortController();
  const leave = () => stop.abort();
  left.addEventListener('abort', leave, { once: true });
  const timer = setTimeout(leave, PATIENCE_MS);
  try {
    for await (const { scan } of followScan(scanId, { signal: stop.signal })) {
      if (isFinal(scan)) return scan;
    }
  } finally {
    clearTimeout(timer);
    left.removeEventListener('abort', leave);
  }
  const text = `the scan "${scanId}" goes on; send the same request again to wait for it`;
  throw new GlintError('DEADLINE_EXCEEDED', status.DEADLINE_EXCEEDED, text, true, 1_000, false);
}

export function POST(request: Request): Promise<Response> {
  return answer(async () => {
    const wanted = parseScanRequest(await readJson(request), 'card');
    const { scan, created } = await submitScan(wanted, request.signal);
    if (new URL(request.url).searchParams.get('compat') !== '1') {
      return json({ success: true, created, scan: scanView(scan) }, 202);
    }
    return json(compatAnswer(await scanToTheEnd(scan.scanId, request.signal)));
  });
}
