// SPDX-License-Identifier: Apache-2.0
// The one place that says which HTTP status a failure has.
import { status } from '@grpc/grpc-js';

import { GlintError, toGlintError } from './error';

/** By reason: the column HTTP of docs/api.md, where the reason says more than its code. */
const BY_REASON: Readonly<Record<string, number>> = {
  INVALID_REQUEST: 400, // said by these routes, not by the worker
  NO_ADDRESSES: 500, // likewise
  NO_LIST: 403,
  NO_UPLOADS: 501,
  QUOTA_EXCEEDED: 429,
  INPUT_NOT_FOUND: 404,
  INPUT_UNREADABLE: 403,
  NOT_A_VIDEO: 415,
  UNSUPPORTED_VIDEO: 415,
  LIMIT_EXCEEDED: 413,
  URL_NOT_ALLOWED: 403,
  CANCELLED: 499,
  DOWNLOAD_FAILED: 502,
  STORE_DENIED: 500,
  OUTPUT_UNWRITABLE: 500,
  OUT_OF_MEMORY: 503,
  // Not 401: the token is this site's, and its visitors can do nothing about it.
  UNAUTHENTICATED: 500,
};

/** By code, for reasons of newer workers and for failures on the way. */
const BY_CODE: Readonly<Partial<Record<status, number>>> = {
  [status.INVALID_ARGUMENT]: 400,
  [status.OUT_OF_RANGE]: 400,
  [status.NOT_FOUND]: 404,
  [status.ALREADY_EXISTS]: 409,
  [status.ABORTED]: 409,
  [status.CANCELLED]: 499,
  [status.FAILED_PRECONDITION]: 422,
  [status.PERMISSION_DENIED]: 403,
  [status.DATA_LOSS]: 422,
  [status.RESOURCE_EXHAUSTED]: 429,
  [status.UNIMPLEMENTED]: 501,
  [status.UNAVAILABLE]: 503,
  [status.DEADLINE_EXCEEDED]: 504,
};

export const httpStatus = (error: GlintError): number =>
  BY_REASON[error.reason] ?? BY_CODE[error.code] ?? 500;

/** The body of every failed answer. */
export interface ErrorBody {
  success: false;
  /** What happened and what to do about it. */
  error: string;
  reason: string;
  retryable: boolean;
  retryAfterSeconds?: number;
}

export function errorBody(error: GlintError): ErrorBody {
  const body: ErrorBody = {
    success: false,
    error: error.message,
    reason: error.reason,
    retryable: error.retryable,
  };
  if (error.retryAfterMs !== undefined) {
    body.retryAfterSeconds = Math.max(1, Math.ceil(error.retryAfterMs / 1000));
  }
  return body;
}

/** The answer for anything that was thrown. What only the operator should see goes to the log. */
export function errorResponse(thrown: unknown): Response {
  const error = toGlintError(thrown);
  const code = httpStatus(error);
  const body = errorBody(error);
  if (error.reason === 'UNAUTHENTICATED' || (error.reason === 'INTERNAL' && !error.fromWorker)) {
    console.error(`glint: ${error.reason}: ${error.message}`);
    body.error = 'this site is not set up correctly; its log says more';
  }
  const headers = new Headers({ 'cache-control': 'no-store' });
  if (body.retryAfterSeconds) headers.set('retry-after', String(body.retryAfterSeconds));
  return Response.json(body, { status: code, headers });
}
