// SPDX-License-Identifier: Apache-2.0
// GET: the whole report of a finished scan, as a page. The store's own address will not do
// everywhere: Supabase serves HTML as plain text.
import { getScan } from '@/glint/client';
import { fetchReportPage } from '@/glint/report';
import { checkScanId } from '@/glint/request';
import { answer, type WithId } from '@/glint/route';

export const runtime = 'nodejs';
export const dynamic = 'force-dynamic';

// The page has its scripts and pictures in it, and nothing of this site's is its business.
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "sandbox allow-scripts allow-popups; default-src 'none'; img-src data:; " +
    "style-src 'unsafe-inline'; script-src 'unsafe-inline'",
};

export function GET(request: Request, { params }: WithId): Promise<Response> {
  return answer(async () => {
    const scan = await getScan(checkScanId((await params).id), request.signal);
    return new Response(await fetchReportPage(scan), { headers: HEADERS });
  });
}
