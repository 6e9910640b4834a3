// SPDX-License-Identifier: Apache-2.0
// POST a video as application/octet-stream: 201 {videoUrl} for POST /api/scans.
import { answer, json } from '@/glint/route';
import { passOn } from '@/glint/upload';

export const runtime = 'nodejs';
export const dynamic = 'force-dynamic';
export const maxDuration = 300;

export function POST(request: Request): Promise<Response> {
  return answer(async () => json({ success: true, videoUrl: await passOn(request) }, 201));
}
