// SPDX-License-Identifier: Apache-2.0
// What the page gets of report.json. Boxes are left, top, width, height in object pixels.

export type Box = [number, number, number, number];

export interface RegionView {
  id: number;
  kind: 'line' | 'spot' | 'edge_loss' | 'area' | 'stain' | 'fading';
  box: Box;
  area_px: number;
  length_px: number;
  /** 0..1 */
  strength: number;
}

export interface ReportView {
  /** Width and height of the pictures; null without usable frames. */
  size: [number, number] | null;
  /** The largest pieces of damage. */
  regions: RegionView[];
  namedRegions: { name: string; box: Box }[];
}
