// SPDX-License-Identifier: Apache-2.0
// POST {videoUrl, scanId?, itemType?, profile?}: puts a scan into the queue, 202 with its state.
import { submitScan } from '@/glint/client';
import { parseScanRequest, readJson } from '@/glint/request';
import { answer, json } from '@/glint/route';
import { scanView } from '@/glint/view';

export const runtime = 'nodejs';
export const dynamic = 'force-dynamic';

export function POST(request: Request): Promise<Response> {
  return answer(async () => {
    const wanted = parseScanRequest(await readJson(request), 'generic');
    const { scan, created } = await submitScan(wanted, request.signal);
    return json({ success: true, created, scan: scanView(scan) }, 202);
  });
}
