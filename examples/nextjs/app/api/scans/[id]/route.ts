// SPDX-License-Identifier: Apache-2.0
// GET: a scan as it stands.
import { getScan } from '@/glint/client';
import { checkScanId } from '@/glint/request';
import { answer, json, type WithId } from '@/glint/route';
import { scanView } from '@/glint/view';

export const runtime = 'nodejs';
export const dynamic = 'force-dynamic';

export function GET(request: Request, { params }: WithId): Promise<Response> {
  return answer(async () => {
    const scanId = checkScanId((await params).id);
    return json({ success: true, scan: scanView(await getScan(scanId, request.signal)) });
  });
}
