// SPDX-License-Identifier: Apache-2.0
'use client';

import type { Box, RegionView } from '../glint/report_view';

/** What the picture points at. */
export interface Marked {
  key: string;
  box: Box;
}

interface Marking {
  marked?: Marked;
  onMark: (marked: Marked | undefined) => void;
}

const NAMES: Readonly<Record<string, string>> = {
  spine: 'Spine',
  corner_tl: 'Corner, top left',
  corner_tr: 'Corner, top right',
  corner_br: 'Corner, bottom right',
  corner_bl: 'Corner, bottom left',
  surface: 'Surface',
};
const KINDS: Readonly<Record<RegionView['kind'], string>> = {
  line: 'Line',
  spot: 'Spot',
  edge_loss: 'Edge loss',
  area: 'Area',
  stain: 'Stain',
  fading: 'Fading',
};

/** What gave the damage away. */
const FAMILIES: Readonly<Record<NonNullable<RegionView['family']>, string>> = {
  lines: 'by its glint',
  outline: 'by the outline',
  static: 'in every light',
  reference: 'by the good copy',
};

/** A row's button that marks its place in the picture; pressing it again takes the mark away. */
function Mark({
  target,
  marked,
  onMark,
  children,
}: Marking & { target?: Marked; children: string }) {
  if (!target) return <>{children}</>;
  const pressed = marked?.key === target.key;
  return (
    <button
      type="button"
      className="link"
      aria-pressed={pressed}
      onClick={() => onMark(pressed ? undefined : target)}
    >
      {children}
    </button>
  );
}

export function NamedRegionTable({
  regions,
  places,
  ...marking
}: Marking & {
  regions: { name: string; damagedPercent: number | null }[];
  places: { name: string; box: Box }[];
}) {
  return (
    <section className="card">
      <table>
        <caption>Parts</caption>
        <thead>
          <tr>
            <th scope="col">Part</th>
            <th scope="col" className="number">
              Damaged
            </th>
          </tr>
        </thead>
        <tbody>
          {regions.map(({ name, damagedPercent }) => {
            const box = places.find((place) => place.name === name)?.box;
            const target = box && { key: name, box };
            return (
              <tr key={name} className={marking.marked?.key === name ? 'marked' : undefined}>
                <th scope="row">
                  <Mark target={target} {...marking}>
                    {NAMES[name] ?? name.replaceAll('_', ' ')}
                  </Mark>
                </th>
                <td className="number">
                  {damagedPercent === null ? <i>not seen</i> : `${damagedPercent.toFixed(1)} %`}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

/** Largest first, as the report has them. */
export function DefectTable({ regions, ...marking }: Marking & { regions: RegionView[] }) {
  const confident = regions.some(({ confidence }) => confidence !== undefined);
  return (
    <section className="card">
      <div className="scroller" tabIndex={0} role="region" aria-label="Places of damage">
        <table>
          <caption>Places</caption>
          <thead>
            <tr>
              <th scope="col">Place</th>
              <th scope="col" className="number">
                Length
              </th>
              <th scope="col" className="number wide-only">
                Area
              </th>
              <th scope="col" className="number">
                Strength
              </th>
              {confident && (
                <th scope="col" className="number">
                  Confidence
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {regions.map(({ id, kind, family, box, length_px, area_px, strength, confidence }) => {
              const key = `#${id}`;
              return (
                <tr key={id} className={marking.marked?.key === key ? 'marked' : undefined}>
                  <th scope="row">
                    <Mark target={{ key, box }} {...marking}>{`${KINDS[kind]} ${id}`}</Mark>
                    {family && <small>{FAMILIES[family]}</small>}
                  </th>
                  <td className="number">{length_px.toFixed(0)} px</td>
                  <td className="number wide-only">{area_px} px²</td>
                  <td className="number">{(strength * 100).toFixed(0)} %</td>
                  {confident && (
                    <td className="number">
                      {confidence === undefined ? '' : `${(confidence * 100).toFixed(0)} %`}
                    </td>
                  )}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
}
