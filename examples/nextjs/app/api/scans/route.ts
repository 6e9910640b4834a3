// SPDX-License-Identifier: Apache-2.0
// POST {videoUrl, scanId?, itemType?, profile?}: puts a scan into the queue, 202 with its state.
// GET: the scans, newest first, where visitors have signed in: who knows a scan's id can cancel it.
import { status } from '@grpc/grpc-js';

import { listScans, submitScan } from '@/glint/client';
import { GlintError } from '@/glint/error';
import { asksForLogin } from '@/glint/login';
import { parseScanRequest, readJson } from '@/glint/request';
import { answer, json } from '@/glint/route';
import { scanView } from '@/glint/view';

export const runtime = 'nodejs';
export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return answer(async () => {
    if (!asksForLogin()) {
      const text = 'a site that asks nobody who they are lists no scans: set GLINT_SITE_LOGIN';
      throw new GlintError('NO_LIST', status.PERMISSION_DENIED, text, false, undefined, false);
    }
    const after = new URL(request.url).searchParams.get('after') ?? '';
    const { scans, nextPageToken } = await listScans(after, request.signal);
    return json({ success: true, scans: scans.map(scanView), next: nextPageToken });
  });
}

export function POST(request: Request): Promise<Response> {
  return answer(async () => {
    const wanted = parseScanRequest(await readJson(request), 'generic');
    const { scan, created } = await submitScan(wanted, request.signal);
    return json({ success: true, created, scan: scanView(scan) }, 202);
  });
}
