// SPDX-License-Identifier: Apache-2.0
// Typed calls with a deadline each. A call that could not reach the worker is made once more on a
// fresh channel: an idle connection of a process that was frozen looks alive and is dead. Every
// call here may be repeated: SubmitScan is idempotent on its scan_id.
import type { CallOptions, Metadata, ServiceError } from '@grpc/grpc-js';

import type { Scan, ScanOptions } from '../generated/glint/v1/scan';
import {
  CancelScanRequest,
  GetScanRequest,
  ListScansRequest,
  SubmitScanRequest,
  type CancelScanResponse,
  type GetScanResponse,
  type ListScansResponse,
  type SubmitScanResponse,
} from '../generated/glint/v1/scan_service';
import type { GetWorkerInfoResponse, WorkerInfo } from '../generated/glint/v1/worker_service';
import { connection, reconnect, type Connection } from './connection';
import { GlintError, toGlintError } from './error';

const TIMEOUT_MS = 10_000;
/** The first attempt gets less, so that the second still has time. */
const FIRST_TIMEOUT_MS = 4_000;

type Callback<Response> = (error: ServiceError | null, response: Response) => void;
type Call<Response> = (
  to: Connection,
  metadata: Metadata,
  options: CallOptions,
  done: Callback<Response>,
) => { cancel(): void };

function once<Response>(
  to: Connection,
  call: Call<Response>,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const options = { deadline: Date.now() + timeoutMs };
    const running = call(to, to.metadata, options, (error, response) => {
      signal?.removeEventListener('abort', leave);
      if (error) reject(error);
      else resolve(response);
    });
    const leave = () => running.cancel();
    if (signal?.aborted) leave();
    else signal?.addEventListener('abort', leave, { once: true });
  });
}

/** CANCELLED: by a proxy or a dying worker; callers ask first whether they cancelled themselves. */
const ON_THE_WAY = new Set(['WORKER_UNREACHABLE', 'DEADLINE_EXCEEDED', 'CANCELLED']);

/** Whether another connection may help: the failure came from the way, or that worker is leaving. */
export function worthAnotherChannel(error: GlintError): boolean {
  if (error.reason === 'DRAINING') return true;
  return !error.fromWorker && ON_THE_WAY.has(error.reason);
}

async function unary<Response>(call: Call<Response>, signal?: AbortSignal): Promise<Response> {
  const first = connection();
  try {
    return await once(first, call, FIRST_TIMEOUT_MS, signal);
  } catch (error) {
    const failure = toGlintError(error);
    if (signal?.aborted || !worthAnotherChannel(failure)) throw failure;
  }
  try {
    return await once(reconnect(first), call, TIMEOUT_MS - FIRST_TIMEOUT_MS, signal);
  } catch (error) {
    throw toGlintError(error);
  }
}

/** The answer's field that the API promises to set. */
function required<Value>(value: Value | undefined, field: string): Value {
  if (value === undefined) throw toGlintError(new Error(`the worker's answer lacks "${field}"`));
  return value;
}

export interface ScanRequest {
  scanId: string;
  videoUrl: string;
  options: Partial<ScanOptions>;
}

export async function submitScan(
  request: ScanRequest,
  signal?: AbortSignal,
): Promise<{ scan: Scan; created: boolean }> {
  const message = SubmitScanRequest.fromPartial(request);
  const answer = await unary<SubmitScanResponse>(
    (to, metadata, options, done) => to.scans.submitScan(message, metadata, options, done),
    signal,
  );
  return { scan: required(answer.scan, 'scan'), created: answer.created };
}

export async function getScan(scanId: string, signal?: AbortSignal): Promise<Scan> {
  const answer = await unary<GetScanResponse>(
    (to, metadata, options, done) => to.scans.getScan(GetScanRequest.fromPartial({ scanId }), metadata, options, done),
    signal,
  );
  return required(answer.scan, 'scan');
}

/** Scans, newest first. @param after  `nextPageToken` of the page before; empty: from the newest */
export function listScans(after: string, signal?: AbortSignal): Promise<ListScansResponse> {
  const request = ListScansRequest.fromPartial({ pageSize: 50, pageToken: after });
  return unary<ListScansResponse>(
    (to, metadata, options, done) => to.scans.listScans(request, metadata, options, done),
    signal,
  );
}

export async function cancelScan(scanId: string, signal?: AbortSignal): Promise<Scan> {
  const answer = await unary<CancelScanResponse>(
    (to, metadata, options, done) => to.scans.cancelScan(CancelScanRequest.fromPartial({ scanId }), metadata, options, done),
    signal,
  );
  return required(answer.scan, 'scan');
}

export async function getWorkerInfo(signal?: AbortSignal): Promise<WorkerInfo> {
  const answer = await unary<GetWorkerInfoResponse>(
    (to, metadata, options, done) => to.worker.getWorkerInfo({}, metadata, options, done),
    signal,
  );
  return required(answer.worker, 'worker');
}
