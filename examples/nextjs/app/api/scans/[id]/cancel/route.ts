// SPDX-License-Identifier: Apache-2.0
// POST: cancels a scan; one that has ended stays as it is.
import { cancelScan } from '@/glint/client';
import { checkScanId, readJson } from '@/glint/request';
import { answer, json, type WithId } from '@/glint/route';
import { scanView } from '@/glint/view';

export const runtime = 'nodejs';
export const dynamic = 'force-dynamic';

export function POST(request: Request, { params }: WithId): Promise<Response> {
  return answer(async () => {
    const scanId = checkScanId((await params).id);
    await readJson(request); // {}: says that it comes from a script of this site, not from a form
    return json({ success: true, scan: scanView(await cancelScan(scanId, request.signal)) });
  });
}
