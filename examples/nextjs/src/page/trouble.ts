// SPDX-License-Identifier: Apache-2.0
// Failures as a person would want them: what happened, and what to do.

export interface Trouble {
  title: string;
  advice: string;
  /** The exact words of the worker, for those who need them. */
  detail?: string;
  /** Whether sending the same again makes sense. */
  again: boolean;
  /** The page tries no more before this has passed. */
  waitSeconds?: number;
}

const WORDS: Readonly<Record<string, [title: string, advice: string]>> = {
  INVALID_REQUEST: ['That does not look right', 'Check the address of the video.'],
  INVALID_OPTION: ['That does not look right', 'Check the address of the video and the settings.'],
  INPUT_NOT_FOUND: [
    'There is no video at this address',
    'Open the address in a new tab: it must start a video or a download. Links expire.',
  ],
  INPUT_UNREADABLE: [
    'The video is not public',
    'Its server asks for a sign-in. Use an address that works in a private window.',
  ],
  URL_NOT_ALLOWED: [
    'This address cannot be used',
    'It leads to a private network, an unusual port or through a forbidden redirect. ' +
      'Put the video where the internet can reach it over https.',
  ],
  DOWNLOAD_FAILED: [
    'The video could not be downloaded',
    'Its server failed or was too slow. Trying again often helps.',
  ],
  NOT_A_VIDEO: [
    'This is not a video',
    'The address leads to something else, often a web page that shows the video. ' +
      'Use the address of the video file itself.',
  ],
  UNSUPPORTED_VIDEO: [
    'This kind of video is not supported',
    'Save it as MP4 with H.264 or HEVC, as phones do by default, and try again.',
  ],
  CORRUPT_VIDEO: [
    'The video is damaged',
    'Too little of it can be read. Upload it again, or film once more.',
  ],
  DECODER_DIED: [
    'The video could not be read',
    'It broke the decoder. Save it anew, for example with your phone’s editor, and try again.',
  ],
  LIMIT_EXCEEDED: [
    'The video is too large or too long',
    'A few seconds at 1080p are plenty. Trim it and try again.',
  ],
  QUEUE_FULL: ['Very busy right now', 'Many scans are waiting. Try again in a moment.'],
  OVERLOADED: ['Very busy right now', 'Try again in a moment.'],
  SCAN_NOT_FOUND: [
    'This scan is not known',
    'The address may be mistyped, or the scan may be too old to be kept.',
  ],
  SCAN_CONFLICT: ['This name is taken', 'Another scan has the same id. Start a new one.'],
  CANCELLED: ['Cancelled', 'Nothing was kept. You can start it again.'],
  WORKER_UNREACHABLE: [
    'The scanner is not reachable',
    'It may be starting or restarting. What you sent already is safe. Try again in a moment.',
  ],
  DRAINING: ['The scanner is restarting', 'Try again in a moment.'],
  DEADLINE_EXCEEDED: ['This took too long', 'Try again; a shorter video helps.'],
  NO_UPLOADS: ['This site takes no files', 'Give the address of the video instead.'],
  NO_LIST: ['There is no list here', 'Keep the address of your scan: it leads back to it.'],
  QUOTA_EXCEEDED: ['As much as is allowed is on its way', 'Try again when a scan has ended.'],
  OFFLINE: ['No connection', 'Your browser cannot reach this site. Check your connection.'],
};
const OTHERWISE: [string, string] = [
  'Something went wrong on our side',
  'It is not your video’s fault. Try again later; if it keeps happening, tell us the detail below.',
];
/** Their message says no more than the title does. */
const SAID_BY_TITLE = new Set(['CANCELLED', 'OFFLINE', 'SCAN_NOT_FOUND']);

export interface FailureBody {
  reason?: string;
  error?: string;
  retryable?: boolean;
  retryAfterSeconds?: number;
}

export function explain({ reason, error, retryable, retryAfterSeconds }: FailureBody): Trouble {
  const [title, advice] = WORDS[reason ?? ''] ?? OTHERWISE;
  return {
    title,
    advice,
    detail: error && !SAID_BY_TITLE.has(reason ?? '') ? error : undefined,
    again: retryable ?? false,
    waitSeconds: retryAfterSeconds,
  };
}

/** A call of this site's API; throws Trouble. */
export async function callApi<Answer>(path: string, body?: unknown): Promise<Answer> {
  let response: Response;
  try {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' } };
    response = await fetch(
      path,
      body === undefined ? undefined : { ...init, body: JSON.stringify(body) },
    );
  } catch {
    throw explain({ reason: 'OFFLINE', retryable: true });
  }
  const answer = (await response.json().catch(() => ({}))) as FailureBody;
  if (!response.ok) throw explain(answer);
  return answer as Answer;
}
