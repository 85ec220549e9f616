/** A session of a browser: what it sends with each request of a page of the service itself. */
import assert from 'node:assert/strict';
import type { TestApi } from '../worlds/test-api.js';
import { type Answer, callApi } from './call-api.js';

export interface BrowserSession {
  readonly id: string;
  /** Name and value, as browsers send it. */
  readonly cookie: string;
  /** The headers of every request. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What the browser sends, as a page of the service itself sends it. */
export function logInWith(
  api: Pick<TestApi, 'fetch' | 'url'>,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return callApi(api, 'POST', '/api/v2/session', { body, headers: { origin: api.url, ...headers } });
}

/** Logs in, with a token or with the code of a link. */
export async function openSession(
  api: Pick<TestApi, 'fetch' | 'url'>,
  credentials: { readonly token: string } | { readonly code: string },
): Promise<BrowserSession> {
  const answer = await logInWith(api, credentials);
  assert.equal(answer.status, 200, answer.text);
  const cookie = cookieIn(answer);
  return { id: answer.body.id, cookie, headers: { cookie, origin: api.url, 'sec-fetch-site': 'same-origin' } };
}

/** Name and value of the cookie that an answer sets. */
export function cookieIn({ headers }: Answer): string {
  return (headers.get('set-cookie') ?? '').replace(/;.*/, '');
}
