// SPDX-License-Identifier: Apache-2.0
// The shape of a scan in this site's JSON; the page and the routes share it.

export const STATES = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;
export const STEPS = [
  'queued',
  'downloading',
  'decoding',
  'measuring',
  'selecting',
  'locating',
  'registering',
  'detecting',
  'rendering',
  'uploading',
  'done',
] as const;

export type StateName = (typeof STATES)[number] | 'unspecified';
export type StepName = (typeof STEPS)[number] | 'unspecified';

export interface ScanView {
  scanId: string;
  state: StateName;
  /** Without its query string. */
  videoUrl: string;
  itemType: string;
  profile: string;
  step: StepName;
  /** Of the whole scan, 0..1. */
  fraction: number;
  /** Measured so far, and in all; 0: unknown. */
  frames: number;
  framesOf: number;
  /** Downloaded so far, and in all; 0: unknown. */
  bytes: number;
  bytesOf: number;
  /** Scans that run before this one. */
  queuePosition: number;
  attempts: number;
  /** ISO 8601. */
  createTime: string | null;
  startTime: string | null;
  endTime: string | null;
  /** Of a scan that failed or was cancelled. */
  error: { reason: string; message: string; retryable: boolean } | null;
  /** Of a scan that succeeded. */
  result: ResultView | null;
}

export interface ResultView {
  /** False when there is no verdict: `advice` says what to do. */
  usable: boolean;
  /** What was found, in one sentence; of an item filmed from both sides, on both. Empty: nothing was judged. */
  verdict: string;
  /** Why it could not be judged, e.g. "no_object"; null: it was, or no frame was steady enough. */
  notJudged: string | null;
  /** Percent of the seen surface; null: could not be seen. */
  damagedPercent: number | null;
  namedRegions: { name: string; damagedPercent: number | null }[];
  /** Connected pieces of damage. */
  regions: number;
  goldenFrames: number[];
  goldenTimesMs: number[];
  advice: string[];
  warnings: string[];
  device: string;
  deviceWhy: string;
  wallSeconds: number;
  objects: ObjectView[];
}

export interface ObjectView {
  /** Relative to the result, e.g. "overlay.png". */
  name: string;
  key: string;
  /** Empty when the worker gives out no addresses. */
  url: string;
  contentType: string;
  bytes: number;
}

export const isOver = (scan: ScanView): boolean =>
  scan.state === 'succeeded' || scan.state === 'failed' || scan.state === 'cancelled';
