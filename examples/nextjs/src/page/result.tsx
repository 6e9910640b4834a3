// SPDX-License-Identifier: Apache-2.0
'use client';

import { useEffect, useMemo, useState } from 'react';

import type { ReportView } from '../glint/report_view';
import type { ResultView } from '../glint/scan_view';
import { Compare } from './compare';
import { DefectTable, NamedRegionTable, type Marked } from './region_tables';
import { callApi } from './trouble';

const percent = (value: number | null): string =>
  value === null ? 'not seen' : `${value < 10 ? value.toFixed(1) : value.toFixed(0)} %`;

function Notes({ title, kind, notes }: { title: string; kind: string; notes: string[] }) {
  if (!notes.length) return null;
  return (
    <section className={`notice ${kind}`}>
      <h2>{title}</h2>
      <ul>
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </section>
  );
}

function useReport(scanId: string, wanted: boolean): ReportView | null | undefined {
  const [report, setReport] = useState<ReportView | null>();
  useEffect(() => {
    if (!wanted) return;
    let left = false;
    callApi<{ report: ReportView }>(`/api/scans/${encodeURIComponent(scanId)}/report`).then(
      (answer) => left || setReport(answer.report),
      () => left || setReport(null), // the pictures and scores are worth showing without it
    );
    return () => {
      left = true;
    };
  }, [scanId, wanted]);
  return report;
}

function Golden({ result, urls }: { result: ResultView; urls: ReadonlyMap<string, string> }) {
  const pictures = [...urls].filter(([name, url]) => /^golden_\d+\.png$/.test(name) && url).sort();
  if (!pictures.length) return null;
  return (
    <section className="card">
      <h2>The frames it was made from</h2>
      <ul className="strip">
        {pictures.map(([name, url], index) => (
          <li key={name}>
            <a href={url} target="_blank" rel="noreferrer">
              <img src={url} alt={`Frame ${result.goldenFrames[index] ?? ''}`} loading="lazy" />
            </a>
            <span>{((result.goldenTimesMs[index] ?? 0) / 1000).toFixed(2)} s</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Every picture and file of the result, to be kept. */
function Downloads({ result }: { result: ResultView }) {
  const objects = result.objects.filter(({ url }) => url);
  if (!objects.length) return null;
  return (
    <details className="card">
      <summary>Masks, pictures and files to download</summary>
      <ul>
        {objects.map(({ name, url, bytes }) => (
          <li key={name}>
            <a href={url} download={name.replaceAll('/', '_')} target="_blank" rel="noreferrer">
              {name}
            </a>{' '}
            {(bytes / 1000).toFixed(0)} kB
          </li>
        ))}
      </ul>
    </details>
  );
}

export function Result({ scanId, result }: { scanId: string; result: ResultView }) {
  const [marked, setMarked] = useState<Marked>();
  const urls = useMemo(
    () => new Map(result.objects.map(({ name, url }) => [name, url])),
    [result.objects],
  );
  const report = useReport(scanId, result.usable && Boolean(urls.get('report.json')));
  const before = urls.get('rectified.png');
  const after = urls.get('overlay.png');
  return (
    <>
      {!result.usable && (
        <section className={`notice ${result.notJudged ? 'warning' : 'trouble'}`} role="alert">
          <h2>{result.notJudged ? 'Not judged' : 'No frame was steady enough'}</h2>
          <p>So there is nothing to judge: this says nothing about the object’s condition.</p>
        </section>
      )}
      {result.verdict && <p className="verdict">{result.verdict}</p>}
      <Notes title="For a better video" kind="advice" notes={result.advice} />
      <Notes title="Please note" kind="warning" notes={result.warnings} />
      {result.usable && (
        <dl className="tiles">
          <div>
            <dt>Damaged surface</dt>
            <dd className="damage">{percent(result.damagedPercent)}</dd>
          </div>
          <div>
            <dt>Places</dt>
            <dd>{result.regions}</dd>
          </div>
          <div>
            <dt>Took</dt>
            <dd>{result.wallSeconds.toFixed(1)} s</dd>
          </div>
        </dl>
      )}
      {result.usable && (!before || !after) && (
        <p className="notice warning">
          The worker gives out no addresses of pictures. They are in its store; set the store’s URL
          mode to see them here.
        </p>
      )}
      <div className="explore">
        {before && after && (
          <Compare before={before} after={after} size={report?.size ?? null} marked={marked} />
        )}
        {result.usable && (
          <div className="side">
            <NamedRegionTable
              regions={result.namedRegions}
              places={report?.namedRegions ?? []}
              marked={marked}
              onMark={setMarked}
            />
            {report && report.regions.length > 0 && (
              <DefectTable regions={report.regions} marked={marked} onMark={setMarked} />
            )}
            {report === null && (
              <p className="notice warning">The list of places could not be loaded.</p>
            )}
          </div>
        )}
      </div>
      <Golden result={result} urls={urls} />
      <Downloads result={result} />
      <p className="hint">
        {urls.get('report.html') && (
          <a
            href={`/api/scans/${encodeURIComponent(scanId)}/page`}
            target="_blank"
            rel="noreferrer"
          >
            The whole report
          </a>
        )}{' '}
        Made on {result.device}
        {result.deviceWhy && ` (${result.deviceWhy})`}.
      </p>
    </>
  );
}
