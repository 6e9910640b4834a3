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
  /** Of scans by `photometric`: the layer it lies in, layers/<family>.png. */
  family?: 'lines' | 'outline' | 'static' | 'reference';
  /** Likewise: how surely it was seen, 0..1. */
  confidence?: number;
  /** Likewise: the frame of the video that shows it best. */
  best_frame?: number;
}

export interface ReportView {
  /** Width and height of the pictures; null without a verdict. */
  size: [number, number] | null;
  /** The largest pieces of damage. */
  regions: RegionView[];
  namedRegions: { name: string; box: Box }[];
}
