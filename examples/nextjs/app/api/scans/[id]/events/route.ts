// SPDX-License-Identifier: Apache-2.0
// GET: a scan's progress as Server-Sent Events, to its end. Goes on after Last-Event-ID or ?after=.
import { followScan } from '@/glint/follow';
import { checkScanId } from '@/glint/request';
import { answer, type WithId } from '@/glint/route';
import { eventStream, resumePoint } from '@/glint/sse';

export const runtime = 'nodejs';
export const dynamic = 'force-dynamic';
// Where the platform ends requests after a while, the browser comes back by itself.
export const maxDuration = 300;

export function GET(request: Request, { params }: WithId): Promise<Response> {
  return answer(async () => {
    const scanId = checkScanId((await params).id);
    const gone = new AbortController();
    request.signal.addEventListener('abort', () => gone.abort(), { once: true });
    const afterSeq = resumePoint(request);
    return eventStream(followScan(scanId, { afterSeq, signal: gone.signal }), gone);
  });
}
