/** The link of a receiver, opened in a browser: what it sends with each request. */
import assert from 'node:assert/strict';
import type { TestApi } from '../worlds/test-api.js';
import { cookieIn } from './browser-session.js';
import { type Answer, callApi } from './call-api.js';
import type { Shop } from './shop.js';

export interface OpenedLink {
  readonly id: string;
  readonly code: string;
  readonly cookie: string;
  /** The headers of every request. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Makes a link. @returns its id, and the code in its fragment */
export async function makeLink(
  shop: Shop,
  webhookId: string,
  body: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly id: string; readonly code: string }> {
  const path = `/api/v2/webhook/${webhookId}/receiver-links`;
  const { id, link } = await shop.ask('POST', path, { body: { name: 'Partner', ...body } });
  return { id, code: decodeURIComponent(new URL(link).hash.replace('#code=', '')) };
}

/** What the page sends that the link leads to. */
export function openLink(
  api: Pick<TestApi, 'fetch' | 'url'>,
  code: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return callApi(api, 'POST', '/api/v2/receiver', { body: { code }, headers: { origin: api.url, ...headers } });
}

/** Makes a link, and opens it. */
export async function openedLink(
  api: Pick<TestApi, 'fetch' | 'url'>,
  shop: Shop,
  webhookId: string,
  body: Readonly<Record<string, unknown>> = {},
): Promise<OpenedLink> {
  const { id, code } = await makeLink(shop, webhookId, body);
  const answer = await openLink(api, code);
  assert.equal(answer.status, 200, answer.text);
  const cookie = cookieIn(answer);
  return { id, code, cookie, headers: { cookie, origin: api.url, 'sec-fetch-site': 'same-origin' } };
}
