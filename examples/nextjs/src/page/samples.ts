// SPDX-License-Identifier: Apache-2.0
/** A video that visitors can try without one of their own. */
export interface Sample {
  title: string;
  videoUrl: string;
  itemType: string;
  profile?: string;
}

/**
 * The samples in GLINT_SAMPLES, a JSON array of {title, videoUrl, itemType, profile?}.
 * @throws Error when it is set to something else
 */
export function readSamples(text: string | undefined = process.env.GLINT_SAMPLES): Sample[] {
  if (!text) return [];
  const samples: unknown = JSON.parse(text);
  const isSample = (sample: Partial<Record<keyof Sample, unknown>> | null) =>
    typeof sample?.title === 'string' &&
    typeof sample.videoUrl === 'string' &&
    typeof sample.itemType === 'string';
  if (!Array.isArray(samples) || !samples.every(isSample)) {
    throw new Error('GLINT_SAMPLES must be a JSON array of {title, videoUrl, itemType}');
  }
  return samples as Sample[];
}
