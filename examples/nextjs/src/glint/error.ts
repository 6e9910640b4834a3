// SPDX-License-Identifier: Apache-2.0
// Failures as one type, whichever way they came: a failed call, or a scan that failed.
import { status, type Metadata, type ServiceError } from '@grpc/grpc-js';

import type { ScanError } from '../generated/glint/v1/scan';
import { ErrorInfo, RetryInfo } from '../generated/google/rpc/error_details';
import { Status } from '../generated/google/rpc/status';

export class GlintError extends Error {
  override readonly name = 'GlintError';

  constructor(
    /** A line of glint's table of reasons, e.g. "QUEUE_FULL". */
    readonly reason: string,
    /** A google.rpc.Code. */
    readonly code: status,
    message: string,
    /** Whether the same request may succeed later. */
    readonly retryable: boolean,
    /** How long the worker asks to wait. */
    readonly retryAfterMs?: number,
    /** Whether glint itself said so; false for failures on the way to it. */
    readonly fromWorker = true,
  ) {
    super(message);
  }
}

const DOMAIN = 'glint.v1';
const RETRYABLE_CODES: ReadonlySet<status> = new Set([
  status.UNAVAILABLE,
  status.RESOURCE_EXHAUSTED,
  status.ABORTED,
  status.DEADLINE_EXCEEDED,
]);

interface Details {
  reason?: string;
  retryAfterMs?: number;
}

function readDetails(metadata: Metadata | undefined): Details {
  const [bytes] = metadata?.get('grpc-status-details-bin') ?? [];
  const found: Details = {};
  if (!(bytes instanceof Buffer)) return found;
  try {
    for (const detail of Status.decode(bytes).details) {
      if (detail.typeUrl.endsWith('/google.rpc.ErrorInfo')) {
        const info = ErrorInfo.decode(detail.value);
        if (info.domain === DOMAIN) found.reason = info.reason;
      } else if (detail.typeUrl.endsWith('/google.rpc.RetryInfo')) {
        const delay = RetryInfo.decode(detail.value).retryDelay;
        if (delay) found.retryAfterMs = delay.seconds * 1000 + Math.round(delay.nanos / 1e6);
      }
    }
  } catch {
    // Details that cannot be read add nothing; the status itself still says what happened.
  }
  return found;
}

const isServiceError = (error: unknown): error is ServiceError =>
  error instanceof Error && typeof (error as Partial<ServiceError>).code === 'number';

const ON_THE_WAY: Partial<Record<status, [reason: string, message: string]>> = {
  [status.UNAVAILABLE]: ['WORKER_UNREACHABLE', 'the scan worker cannot be reached; try again soon'],
  [status.DEADLINE_EXCEEDED]: ['DEADLINE_EXCEEDED', 'the scan worker did not answer in time'],
  [status.CANCELLED]: ['CANCELLED', 'the call was cancelled'],
};

/** What a thrown value means. Messages of failures on the way hold no addresses. */
export function toGlintError(error: unknown): GlintError {
  if (error instanceof GlintError) return error;
  if (!isServiceError(error)) {
    const message = error instanceof Error ? error.message : String(error);
    return new GlintError('INTERNAL', status.INTERNAL, message, false, undefined, false);
  }
  const { reason, retryAfterMs } = readDetails(error.metadata);
  const retryable = retryAfterMs !== undefined || RETRYABLE_CODES.has(error.code);
  if (reason) return new GlintError(reason, error.code, error.details, retryable, retryAfterMs);
  const [name, message] = ON_THE_WAY[error.code] ?? [
    status[error.code] ?? 'UNKNOWN',
    error.details || 'the scan worker failed',
  ];
  return new GlintError(name, error.code, message, retryable, retryAfterMs, false);
}

/** A scan that failed or was cancelled. */
export function scanFailure(error: ScanError | undefined): GlintError {
  if (!error) return new GlintError('INTERNAL', status.INTERNAL, 'the scan failed', false);
  return new GlintError(error.reason, error.code, error.message, error.retryable);
}
