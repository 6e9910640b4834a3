// SPDX-License-Identifier: Apache-2.0
'use client';

import { STEPS, type ScanView, type StepName } from '../glint/scan_view';

const WORDS: Readonly<Record<StepName, string>> = {
  unspecified: 'Working',
  queued: 'Waiting for its turn',
  downloading: 'Downloading the video',
  decoding: 'Reading the frames',
  measuring: 'Measuring sharpness and motion',
  selecting: 'Choosing the best frames',
  locating: 'Finding the object',
  registering: 'Laying the frames onto each other',
  detecting: 'Looking for damage',
  rendering: 'Drawing the pictures',
  uploading: 'Storing the result',
  done: 'Done',
};

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);

/** How far the current step is, as far as it is known. */
function amount(scan: ScanView): string {
  const { step, queuePosition, bytes, bytesOf, frames, framesOf } = scan;
  if (step === 'queued') {
    if (queuePosition === 0) return 'next';
    return queuePosition === 1 ? 'one scan before it' : `${queuePosition} scans before it`;
  }
  if (step === 'downloading' && bytes > 0) {
    return `${megabytes(bytes)}${bytesOf > 0 ? ` of ${megabytes(bytesOf)}` : ''} MB`;
  }
  if ((step === 'decoding' || step === 'measuring') && frames > 0) {
    return `${frames}${framesOf > 0 ? ` of ${framesOf}` : ''} frames`;
  }
  return '';
}

export function Progress({ scan }: { scan: ScanView }) {
  const percent = Math.round(scan.fraction * 100);
  const at = STEPS.indexOf(scan.step as (typeof STEPS)[number]);
  return (
    <>
      <div
        className="bar"
        role="progressbar"
        aria-label="Progress of the scan"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
      >
        <i style={{ width: `${percent}%` }} />
      </div>
      {/* Only the step is announced: numbers that change twice a second would never fall silent. */}
      <p className="sr-only" role="status">
        {WORDS[scan.step]}
      </p>
      {scan.attempts > 1 && (
        <p className="hint">The scanner was restarted; this is attempt {scan.attempts}.</p>
      )}
      <ol className="steps">
        {STEPS.filter((step) => step !== 'done').map((step, index) => {
          const state = index < at ? 'past' : index === at ? 'now' : 'next';
          return (
            <li key={step} className={state} aria-current={state === 'now' ? 'step' : undefined}>
              <span>{WORDS[step]}</span>
              {state === 'now' && <em>{amount(scan)}</em>}
              {state === 'past' && <span className="sr-only">done</span>}
            </li>
          );
        })}
      </ol>
    </>
  );
}
