// SPDX-License-Identifier: Apache-2.0
// Who may use the site. middleware.ts asks this for every page and route: put your app's own sign-in
// here. As it is, GLINT_SITE_LOGIN=user:password makes browsers ask for these, and without it
// everybody may, which is for a site that only this machine reaches (`npm start` sees to that).

type Environment = Readonly<Record<string, string | undefined>>;

/** Takes as long for a wrong guess as for the right one. */
function same(one: string, other: string): boolean {
  let differing = one.length ^ other.length;
  for (let i = 0; i < one.length; ++i) differing |= one.charCodeAt(i) ^ other.charCodeAt(i % other.length);
  return differing === 0;
}

/** Whether visitors are told apart from strangers at all. */
export const asksForLogin = (env: Environment = process.env): boolean => Boolean(env.GLINT_SITE_LOGIN);

/** Whether a request with these headers may go on. */
export function mayVisit(headers: Headers, env: Environment = process.env): boolean {
  if (!asksForLogin(env)) return true;
  const [scheme, sent] = (headers.get('authorization') ?? '').split(' ');
  if (scheme?.toLowerCase() !== 'basic' || !sent) return false;
  try {
    const bytes = Uint8Array.from(atob(sent), (c) => c.charCodeAt(0));
    return same(env.GLINT_SITE_LOGIN ?? '', new TextDecoder().decode(bytes));
  } catch {
    return false;
  }
}
