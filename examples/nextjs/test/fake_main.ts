// SPDX-License-Identifier: Apache-2.0
// A worker to try the pages with when there is none: scans end as the video's address says.
//   node --import tsx test/fake_main.ts FOLDER     FOLDER: what `glint scan --out` left
// Prints one line {"worker": "host:port", "pictures": "http://..."} and runs until it is ended.
//   .../bad   NOT_A_VIDEO     .../blur  no usable frames     .../hold  runs until it is cancelled
//   .../full  the queue is full at the first try             anything else succeeds
//   .../gates waits twice for a POST to pictures/go: with two scans before it, and reading frames
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { status } from '@grpc/grpc-js';

import { Outcome, Scan, ScanState, ScanStep } from '../src/generated/glint/v1/scan';
import { aScan, event, failure, FakeWorker, finish } from './fake_worker';

interface Report {
  damaged_percent: number;
  regions_found: number;
  named_regions: { name: string; damaged_percent: number | null }[];
  golden_frames: { frame: number; timestamp_us: number }[];
}

const folder = process.argv[2] ?? '.';
const STEP_MS = 250;
const STEPS = [2, 3, 4, 5, 6, 7, 8, 9, 10] as ScanStep[];
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Gates that were opened and that no scan has gone through yet. */
let open = 0;

const pictures = createServer((request, response) => {
  try {
    if (request.method === 'POST' && request.url === '/go') {
      ++open;
      return void response.end();
    }
    const name = decodeURIComponent(request.url ?? '').replace(/^\/+/, '');
    if (name.includes('..')) throw new Error('outside');
    response.end(readFileSync(join(folder, name)));
  } catch {
    response.writeHead(404).end();
  }
});

function succeeded(scan: Scan, base: string, usable: boolean): Scan {
  const report = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as Report;
  const top = readdirSync(folder).filter((name) => /\.(png|json|html)$/.test(name));
  const regions = readdirSync(join(folder, 'regions')).map((name) => `regions/${name}`);
  const names = usable ? [...top, ...regions] : ['report.json'];
  const golden = usable ? report.golden_frames : [];
  const damage = (value: number | null) => (usable ? (value ?? undefined) : undefined);
  return Scan.fromPartial({
    ...scan,
    state: ScanState.SUCCEEDED,
    progress: { step: ScanStep.DONE, fraction: 1 },
    result: {
      summary: {
        outcome: usable ? Outcome.SCANNED : Outcome.NO_USABLE_FRAMES,
        damagedPercent: damage(report.damaged_percent),
        namedRegions: report.named_regions.map((region) => ({
          name: region.name,
          damagedPercent: damage(region.damaged_percent),
        })),
        regions: usable ? report.regions_found : 0,
        goldenFrames: golden.map(({ frame }) => frame),
        goldenTimesMs: golden.map((one) => Math.round(one.timestamp_us / 1000)),
        advice: usable ? [] : ['Hold the phone still for a second.', 'Avoid glare.'],
        device: 'cpu',
        deviceWhy: 'first of auto that works',
      },
      objects: names.map((name) => ({ name, key: name, url: `${base}/${name}` })),
      wallTime: { seconds: 3, nanos: 0 },
    },
  });
}

const worker = new FakeWorker();
const scans = new Map<string, Scan>();
const last = new Map<string, number>();
let refusals = 1;

function change(scanId: string, fields: Partial<Scan>): void {
  scans.set(scanId, Scan.fromPartial({ ...scans.get(scanId)!, ...fields }));
  last.set(scanId, (last.get(scanId) ?? 0) + 1);
}

const over = (scan: Scan) => scan.state > ScanState.RUNNING;

/** For a person or a test that is to see this moment, however slow its machine. */
async function gate(scanId: string, url: string): Promise<void> {
  if (!url.endsWith('/gates')) return;
  while (open === 0 && !over(scans.get(scanId)!)) await pause(50);
  open = Math.max(0, open - 1);
}

async function run(scanId: string, url: string, base: string): Promise<void> {
  for (const queuePosition of [2, 1, 0]) {
    change(scanId, { progress: { ...aScan().progress!, step: 1, fraction: 0, queuePosition } });
    if (queuePosition === 2) await gate(scanId, url);
    await pause(STEP_MS);
  }
  for (const step of STEPS) {
    if (over(scans.get(scanId)!)) return;
    const amounts = { frames: 20 * step, framesOf: 180, bytes: 4e6, bytesOf: 9e6 };
    const progress = { ...aScan().progress!, ...amounts, step, fraction: step / 11 };
    change(scanId, { state: ScanState.RUNNING, progress });
    await pause(STEP_MS);
    while (url.endsWith('/hold') && step === ScanStep.DECODING && !over(scans.get(scanId)!)) {
      await pause(50);
    }
    if (step === ScanStep.DECODING) await gate(scanId, url);
    if (url.endsWith('/bad') && step === ScanStep.DECODING) {
      const message = 'decode: the file starts as HTML does; give the address of the video itself';
      const error = { reason: 'NOT_A_VIDEO', code: 3, message, retryable: false };
      return change(scanId, { state: ScanState.FAILED, error });
    }
  }
  if (!over(scans.get(scanId)!)) {
    change(scanId, succeeded(scans.get(scanId)!, base, !url.endsWith('/blur')));
  }
}

const unknown = failure(status.NOT_FOUND, 'SCAN_NOT_FOUND', 'no scan has this id');

async function main(): Promise<void> {
  await new Promise<void>((resolve) => pictures.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(pictures.address() as AddressInfo).port}`;
  worker.submit = ({ scanId, videoUrl, options }) => {
    if (videoUrl.endsWith('/full') && refusals-- > 0) {
      return failure(status.RESOURCE_EXHAUSTED, 'QUEUE_FULL', '64 scans wait', 5_000);
    }
    scans.set(scanId, Scan.fromPartial({ scanId, videoUrl, options, state: ScanState.QUEUED }));
    void run(scanId, videoUrl, base);
    return scans.get(scanId)!;
  };
  worker.get = (scanId) => scans.get(scanId) ?? unknown;
  worker.cancel = (scanId) => {
    const scan = scans.get(scanId);
    if (!scan) return unknown;
    const error = { reason: 'CANCELLED', code: 1, message: 'cancelled', retryable: true };
    if (!over(scan)) change(scanId, { state: ScanState.CANCELLED, error });
    return scans.get(scanId)!;
  };
  worker.watch = async (call) => {
    const { scanId, afterSeq } = call.request;
    if (!scans.has(scanId)) return call.emit('error', unknown);
    const now = () => scans.get(scanId)!;
    let seen = last.get(scanId) ?? 0;
    const opening = event(seen, now(), true);
    if (over(now())) return finish(call, afterSeq >= seen ? opening : event(seen, now()));
    call.write(opening);
    while (!call.cancelled) {
      await pause(20);
      const seq = last.get(scanId) ?? 0;
      if (seq === seen) continue;
      seen = seq;
      if (over(now())) return finish(call, event(seq, now()));
      call.write(event(seq, now()));
    }
  };
  await worker.start();
  console.log(JSON.stringify({ worker: worker.address, pictures: base }));
}

void main();
