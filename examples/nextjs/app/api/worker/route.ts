// SPDX-License-Identifier: Apache-2.0
// GET: whether a worker answers, and what it is. For the page's footer and for monitoring.
import { getWorkerInfo } from '@/glint/client';
import { answer, json } from '@/glint/route';

export const runtime = 'nodejs';
export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return answer(async () => {
    const { version, device, queued, running, lanes, draining } = await getWorkerInfo(
      request.signal,
    );
    return json({ success: true, worker: { version, device, queued, running, lanes, draining } });
  });
}
