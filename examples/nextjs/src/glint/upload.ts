// SPDX-License-Identifier: Apache-2.0
// Passes a visitor's video on to the worker's HTTP port, without keeping it here.
import { randomUUID } from 'node:crypto';

import { status } from '@grpc/grpc-js';

import { getWorkerInfo } from './client';
import { GlintError } from './error';
import { invalid } from './request';
import { readSettings } from './settings';

/** google.rpc.Status as the worker's HTTP port sends it. */
interface Refusal {
  message?: string;
  code?: number;
  details?: { reason?: string }[];
}

async function refused(answer: Response): Promise<GlintError> {
  const said = (await answer.json().catch(() => ({}))) as Refusal;
  const reason = said.details?.find((detail) => detail.reason)?.reason ?? 'WORKER_UNREACHABLE';
  const code = (said.code ?? status.UNAVAILABLE) as status;
  const text = said.message ?? `the worker answered ${answer.status}`;
  return new GlintError(reason, code, text, answer.status >= 429, undefined, true);
}

/**
 * Brings the body of a request to the worker.
 * @return what `videoUrl` of a scan is then
 * @throws GlintError as the worker refuses it, or when it takes no uploads
 */
export async function passOn(request: Request): Promise<string> {
  const length = request.headers.get('content-length');
  if (!request.body || !length) throw invalid('send the video as the body, with its content-length');
  if (request.headers.get('content-type') !== 'application/octet-stream') {
    throw invalid('send the video with content-type: application/octet-stream'); // no foreign form can
  }
  const base = (await getWorkerInfo(request.signal)).httpUrl;
  if (!base) {
    const text = 'the worker takes no uploads: start it with --http, or give the address of a video';
    throw new GlintError('NO_UPLOADS', status.FAILED_PRECONDITION, text, false, undefined, false);
  }
  const { token } = readSettings();
  const headers: Record<string, string> = { 'content-length': length };
  if (token) headers.authorization = `Bearer ${token}`;
  const id = `site-${randomUUID()}`;
  const init: RequestInit & { duplex: 'half' } = {
    method: 'PUT',
    headers,
    body: request.body,
    signal: request.signal,
    duplex: 'half',
  };
  let answer: Response;
  try {
    answer = await fetch(`${base}/v1/uploads/${id}`, init);
  } catch {
    const text = 'the upload to the worker broke off; try again';
    throw new GlintError('WORKER_UNREACHABLE', status.UNAVAILABLE, text, true, undefined, false);
  }
  if (!answer.ok) throw await refused(answer);
  return `upload://${id}`;
}
