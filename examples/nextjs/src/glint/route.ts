// SPDX-License-Identifier: Apache-2.0
// What all routes share: an answer for whatever is thrown, and nothing cached on the way.
import { errorResponse } from './http_errors';

export interface WithId {
  params: Promise<{ id: string }>;
}

export async function answer(work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    return errorResponse(error);
  }
}

export const json = (body: unknown, status = 200): Response =>
  Response.json(body, { status, headers: { 'cache-control': 'no-store' } });
