// SPDX-License-Identifier: Apache-2.0
// What callers of the routes may send, checked before the worker is asked.
import { randomUUID } from 'node:crypto';

import { status } from '@grpc/grpc-js';

import type { ScanRequest } from './client';
import { GlintError } from './error';

export const invalid = (message: string): GlintError =>
  new GlintError('INVALID_REQUEST', status.INVALID_ARGUMENT, message, false, undefined, false);

const MAX_BODY_BYTES = 32 * 1024;
const MAX_URL_BYTES = 8192;
const SCAN_ID = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/;
const UPLOAD = /^upload:\/\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/;

/**
 * What callers may call an item, and what glint calls it: it decides the named regions. A toy is no
 * flat sheet: glint looks at the side that the video shows, without assuming a spine.
 */
const ITEM_TYPES: Readonly<Record<string, string>> = {
  comic: 'comic',
  card: 'card',
  page: 'page',
  generic: 'generic',
  surface: 'surface',
  toy: 'generic',
};
const PROFILES = ['', 'classic', 'photometric'];

export function checkScanId(scanId: unknown): string {
  if (typeof scanId === 'string' && SCAN_ID.test(scanId)) return scanId;
  throw invalid('scanId must be 1 to 128 letters, digits, ".", "_" or "-", without a leading dot');
}

function checkUrl(url: unknown): string {
  const rule = 'videoUrl must be an http(s) address without user name and password';
  if (typeof url !== 'string' || Buffer.byteLength(url) > MAX_URL_BYTES) throw invalid(rule);
  if (UPLOAD.test(url)) return url; // what POST /api/uploads gave
  let parsed: URL;
  try {
    parsed = new URL(url.trim());
  } catch {
    throw invalid(rule);
  }
  if (!/^https?:$/.test(parsed.protocol) || parsed.username || parsed.password) throw invalid(rule);
  return url.trim();
}

function oneOf<Value>(table: Readonly<Record<string, Value>>, name: unknown, field: string): Value {
  if (typeof name === 'string' && Object.hasOwn(table, name)) return table[name] as Value;
  throw invalid(`${field} must be one of ${Object.keys(table).join(', ')}`);
}

/** The field as it is called now, or as the former worker's callers call it. */
const either = (body: Record<string, unknown>, name: string, former: string): unknown =>
  body[name] ?? body[former];

/**
 * The request in a body {videoUrl, scanId?, itemType?, profile?}; video_url, scan_id and item_type are
 * taken, too, which callers of the former Python worker send.
 * @param defaultItemType  where the body names none
 */
export function parseScanRequest(body: unknown, defaultItemType: string): ScanRequest {
  if (typeof body !== 'object' || body === null) throw invalid('the body must be a JSON object');
  const fields = body as Record<string, unknown>;
  const videoUrl = either(fields, 'videoUrl', 'video_url');
  const scanId = either(fields, 'scanId', 'scan_id');
  const itemType = either(fields, 'itemType', 'item_type');
  const { profile } = fields;
  if (profile !== undefined && !PROFILES.includes(profile as string)) {
    throw invalid('profile must be classic or photometric');
  }
  return {
    scanId: scanId === undefined ? `scan-${randomUUID()}` : checkScanId(scanId),
    videoUrl: checkUrl(videoUrl),
    options: {
      itemType: oneOf(ITEM_TYPES, itemType ?? defaultItemType, 'itemType'),
      profile: (profile as string | undefined) ?? '',
    },
  };
}

/** The JSON of a request, if it is small and says that it is JSON (which a foreign form cannot). */
export async function readJson(request: Request): Promise<unknown> {
  if (!/^application\/json\b/i.test(request.headers.get('content-type') ?? '')) {
    throw invalid('send JSON with content-type: application/json');
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body?.getReader();
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    size += part.value.byteLength;
    if (size > MAX_BODY_BYTES) {
      await reader?.cancel();
      throw invalid(`the body is larger than ${MAX_BODY_BYTES} bytes`);
    }
    chunks.push(part.value);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw invalid('the body is no JSON');
  }
}
