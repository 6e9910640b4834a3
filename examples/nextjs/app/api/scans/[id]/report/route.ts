// SPDX-License-Identifier: Apache-2.0
// GET: where the damage of a finished scan lies.
import { getScan } from '@/glint/client';
import { fetchReport } from '@/glint/report';
import { checkScanId } from '@/glint/request';
import { answer, json, type WithId } from '@/glint/route';

export const runtime = 'nodejs';
export const dynamic = 'force-dynamic';

export function GET(request: Request, { params }: WithId): Promise<Response> {
  return answer(async () => {
    const scanId = checkScanId((await params).id);
    const scan = await getScan(scanId, request.signal);
    return json({ success: true, report: await fetchReport(scan) });
  });
}
