// SPDX-License-Identifier: Apache-2.0
// A worker for tests: real gRPC on a real socket, behaviour by the test.
import {
  Metadata,
  Server,
  ServerCredentials,
  status,
  type ServerUnaryCall,
  type ServerWritableStream,
} from '@grpc/grpc-js';

import { Scan, ScanState, ScanStep } from '../src/generated/glint/v1/scan';
import {
  ScanServiceService,
  type CancelScanRequest,
  type GetScanRequest,
  type ListScansRequest,
  type SubmitScanRequest,
  type WatchScanRequest,
  WatchScanResponse,
} from '../src/generated/glint/v1/scan_service';
import { WorkerInfo, WorkerServiceService } from '../src/generated/glint/v1/worker_service';
import { ErrorInfo, RetryInfo } from '../src/generated/google/rpc/error_details';
import { Status } from '../src/generated/google/rpc/status';

export interface Failure {
  code: status;
  details: string;
  metadata?: Metadata;
}

/** A failure as the worker sends it. */
export function failure(
  code: status,
  reason: string,
  message: string,
  retryMs?: number,
): Failure {
  const info = ErrorInfo.encode({ reason, domain: 'glint.v1', metadata: {} }).finish();
  const details = [{ typeUrl: 'type.googleapis.com/google.rpc.ErrorInfo', value: Buffer.from(info) }];
  if (retryMs !== undefined) {
    const retryDelay = { seconds: Math.floor(retryMs / 1000), nanos: (retryMs % 1000) * 1e6 };
    const retry = RetryInfo.encode({ retryDelay }).finish();
    details.push({ typeUrl: 'type.googleapis.com/google.rpc.RetryInfo', value: Buffer.from(retry) });
  }
  const metadata = new Metadata();
  metadata.set(
    'grpc-status-details-bin',
    Buffer.from(Status.encode({ code, message, details }).finish()),
  );
  return { code, details: message, metadata };
}

type Watch = ServerWritableStream<WatchScanRequest, WatchScanResponse>;

export class FakeWorker {
  /** Authorization header of every call, in order. */
  readonly tokens: (string | undefined)[] = [];
  readonly submitted: SubmitScanRequest[] = [];
  /** after_seq of every WatchScan. */
  readonly watched: number[] = [];
  /** WatchScan streams that their client left. */
  left = 0;
  /** TCP peers that were seen: one per channel. */
  readonly peers = new Set<string>();

  submit: (request: SubmitScanRequest) => Scan | Failure = (request) =>
    aScan({ scanId: request.scanId, videoUrl: request.videoUrl });
  get: (scanId: string) => Scan | Failure = (scanId) => aScan({ scanId });
  cancel: (scanId: string) => Scan | Failure = (scanId) =>
    aScan({ scanId, state: ScanState.CANCELLED });
  watch: (call: Watch) => void = (call) => call.end();

  /** Of every ListScans. */
  readonly listed: string[] = [];
  /** Where its HTTP port would be. */
  httpUrl = '';

  private server = new Server();
  address = '';

  async start(address = '127.0.0.1:0'): Promise<void> {
    this.server = new Server();
    const reply =
      <Request, Response>(make: (request: Request) => Response | Failure) =>
      (
        call: ServerUnaryCall<Request, Response>,
        done: (error: Failure | null, response?: Response) => void,
      ) => {
        this.see(call);
        const made = make(call.request);
        if (typeof made === 'object' && made !== null && 'details' in made) done(made as Failure);
        else done(null, made as Response);
      };
    const scanReply = <Request>(make: (request: Request) => Scan | Failure) =>
      reply((request: Request) => {
        const made = make(request);
        return 'details' in made ? made : { scan: made, created: true };
      });
    this.server.addService(ScanServiceService, {
      submitScan: scanReply((request: SubmitScanRequest) => {
        this.submitted.push(request);
        return this.submit(request);
      }),
      getScan: scanReply((request: GetScanRequest) => this.get(request.scanId)),
      cancelScan: scanReply((request: CancelScanRequest) => this.cancel(request.scanId)),
      listScans: reply((request: ListScansRequest) => {
        this.listed.push(request.pageToken);
        return { scans: [aScan()], nextPageToken: request.pageToken ? '' : 'more' };
      }),
      watchScan: (call: Watch) => {
        this.see(call);
        this.watched.push(call.request.afterSeq);
        call.on('cancelled', () => ++this.left);
        this.watch(call);
      },
    });
    this.server.addService(WorkerServiceService, {
      getWorkerInfo: reply(() => ({
        worker: WorkerInfo.create({ version: '9.9.9', device: 'cpu', httpUrl: this.httpUrl }),
      })),
    });
    const port = await new Promise<number>((resolve, reject) =>
      this.server.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      ),
    );
    this.address = `127.0.0.1:${port}`;
  }

  /** As a crash: every connection breaks. */
  stop(): void {
    this.server.forceShutdown();
  }

  private see(call: { metadata: Metadata; getPeer(): string }): void {
    this.tokens.push(call.metadata.get('authorization')[0]?.toString());
    this.peers.add(call.getPeer());
  }
}

export const aScan = (fields: Parameters<typeof Scan.fromPartial>[0] = {}): Scan =>
  Scan.fromPartial({
    scanId: 'one',
    state: ScanState.RUNNING,
    progress: { step: ScanStep.DECODING, fraction: 0.5 },
    ...fields,
  });

/** A finished scan with every object that a card has. */
export function aResult(scanId = 'one', base = 'https://store.example/one'): Scan {
  const names = ['mask.png', 'heatmap.png', 'overlay.png', 'rectified.png', 'golden_01.png'];
  names.push('golden_02.png', 'regions/corner_tl_crop.png', 'regions/corner_tl_mask.png');
  names.push('regions/corner_tl_overlay.png', 'regions/surface_crop.png');
  names.push('regions/surface_overlay.png', 'report.html', 'report.json');
  return aScan({
    scanId,
    state: ScanState.SUCCEEDED,
    progress: { step: ScanStep.DONE, fraction: 1 },
    result: {
      summary: {
        outcome: 1,
        damagedPercent: 2.5,
        namedRegions: [{ name: 'corner_tl', damagedPercent: 7.25 }, { name: 'surface' }],
        regions: 3,
        goldenFrames: [40, 12],
        goldenTimesMs: [1333, 400],
        advice: [],
        warnings: ['3 frames were damaged'],
        device: 'cpu',
      },
      objects: names.map((name) => ({ name, key: `one/${name}`, url: base && `${base}/${name}` })),
      wallTime: { seconds: 2, nanos: 500_000_000 },
    },
  });
}

export const event = (seq: number, scan: Scan, snapshot = false): WatchScanResponse =>
  WatchScanResponse.fromPartial({ event: { seq, scan }, snapshot });

/** The last message of a stream. (`call.end` takes metadata, not a message.) */
export function finish(call: Watch, last: WatchScanResponse): void {
  call.write(last);
  call.end();
}
