// SPDX-License-Identifier: Apache-2.0
'use client';

import { useState, type CSSProperties, type SyntheticEvent } from 'react';

import type { Marked } from './region_tables';

interface CompareProps {
  /** Addresses of two pictures of the same size. */
  before: string;
  after: string;
  /** Their size in object pixels; null: taken from the picture. */
  size: [number, number] | null;
  marked?: Marked;
}

/**
 * The object with and without the marks, and a slider between them. The slider is a range input
 * over the whole picture: pointer, touch, arrow keys and screen readers work as with any other.
 */
export function Compare({ before, after, size, marked }: CompareProps) {
  const [split, setSplit] = useState(50);
  const [natural, setNatural] = useState<[number, number]>();
  const [broken, setBroken] = useState(false);
  const [width, height] = size ?? natural ?? [3, 4];
  const onLoad = ({ currentTarget: image }: SyntheticEvent<HTMLImageElement>) =>
    setNatural([image.naturalWidth, image.naturalHeight]);
  const style = { '--split': `${split}%`, '--shape': `${width} / ${height}` } as CSSProperties;
  if (broken) {
    return (
      <p className="notice warning">
        The pictures could not be loaded. Their addresses may have expired: reload the page.
      </p>
    );
  }
  return (
    <figure className="card compare-card">
      <div className="compare" style={style}>
        <img src={before} alt="The object, flattened" onLoad={onLoad} onError={() => setBroken(true)} />
        <img className="after" src={after} alt="The same with its damage marked" />
        <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
          {marked && (
            <rect
              x={marked.box[0]}
              y={marked.box[1]}
              width={marked.box[2]}
              height={marked.box[3]}
            />
          )}
        </svg>
        <i className="knob" aria-hidden="true" />
        <input
          type="range"
          min={0}
          max={100}
          value={split}
          aria-label="How much of the picture shows the damage marked"
          aria-valuetext={`${100 - split} percent`}
          onChange={(event) => setSplit(Number(event.target.value))}
        />
      </div>
      <figcaption className="hint">
        <span>← as filmed</span>
        <span>damage marked →</span>
      </figcaption>
    </figure>
  );
}
