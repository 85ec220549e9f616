import assert from 'node:assert/strict';
import { z } from 'zod';
import type { Route } from '../../../src/api/define-route.js';
import { isObject } from '../../../src/api/json-schema.js';
import { routes } from '../../../src/api/routes/index.js';
import { openedLink } from '../../support/http/receiver-link.js';
import { Shop } from '../../support/http/shop.js';
import { webhookBody } from '../../support/http/webhook-definition.js';
import { around, misspellings, partsOf, VALIDATOR_TEXT } from '../../support/models/request-members.js';
import { startTestApi, type TestApi } from '../../support/worlds/test-api.js';

const SOME_ID = '0123456789abcdef01234567';

/** Asks a route with what its own schemas call plausible. */
function plausible(route: Route, headers: Record<string, string>): [string, RequestInit] {
  const path = route.path.replace(':documentType', 'ORDER').replace(/[:*][A-Za-z_]\w*/g, SOME_ID);
  const init: RequestInit = { method: route.method, headers };
  if (route.body === undefined || route.method === 'GET') return [path, init];
  const type = 'form' in route.body ? 'application/x-www-form-urlencoded' : 'application/json';
  return [path, { ...init, headers: { ...headers, 'content-type': type }, body: plausibleBody(route) }];
}

function plausibleBody(route: Route): string {
  if (route.body === undefined || 'form' in route.body || !('schema' in route.body)) return '[{}]';
  const { required, properties } = z.toJSONSchema(route.body.schema, { io: 'input', unrepresentable: 'any' });
  const fields = (required ?? []).map((name) => [
    name,
    isObject(properties) ? plausibleValue(properties[name]) : SOME_ID,
  ]);
  return JSON.stringify(Object.fromEntries(fields));
}

function plausibleValue(schema: unknown): unknown {
  const { type, enum: choices } = isObject(schema) ? schema : {};
  if (Array.isArray(choices)) return choices[0];
  if (type === 'array') return [];
  if (type === 'object') return {};
  if (type === 'boolean') return true;
  return type === 'number' || type === 'integer' ? 1 : SOME_ID;
}

describe('every route of the registry', () => {
  let api: TestApi;
  let shop: Shop;
  let webhookId: string;
  let foreign: { account: string; token: string };
  before(async () => {
    api = await startTestApi();
    foreign = await api.newAccount();
    shop = new Shop(api, api.account, api.token, 0);
    ({ webhookId } = await shop.ask('POST', '/api/v2/webhook', { body: webhookBody() }));
  });
  after(() => api.stop());

  /** Of somebody who may call a route with this scope. A receiver may end its session, so that each has its own. */
  const headersOf = async (scope: string): Promise<Record<string, string>> => {
    if (scope === 'receiver') return { ...(await openedLink(api, shop, webhookId)).headers };
    return scope === 'operator' ? api.headers({ token: api.operatorToken }) : api.headers();
  };

  for (const route of routes) {
    const name = `${route.method} ${route.path}`;
    const { auth } = route;
    if (!('scope' in auth)) {
      it(`${name} asks for no token, and is meant to`, () => {
        assert.ok('public' in auth || 'signedUrl' in auth);
        assert.equal(route.siteContext, false, 'a data set without a token');
      });
      continue;
    }

    it(`${name} answers 401 without a token`, async () => {
      const { authorization: _, ...context } = api.headers();
      const response = await api.fetch(...plausible(route, context));
      assert.equal(response.status, 401);
    });

    // A route for which a request names no account is about that of the token, whoever asks.
    const isOfToken = auth.scope !== 'operator' && route.siteContext === false;

    if (!isOfToken)
      it(`${name} never answers 2xx to a foreign token`, async () => {
        const headers = { ...api.headers({ token: foreign.token }), 'tenant-key': api.account };
        const response = await api.fetch(...plausible(route, headers));
        assert.equal(response.status, 403, await response.text());
      });

    it(`${name} answers 403 to a token without its scope`, async () => {
      const wrong = auth.scope === 'operator' ? api.token : api.operatorToken;
      const response = await api.fetch(
        ...plausible(route, { ...api.headers({ token: wrong }), 'tenant-key': api.account }),
      );
      assert.equal(response.status, 403);
    });

    it(`${name} never answers 500 to a plausible request, nor to nonsense`, async () => {
      const headers = await headersOf(auth.scope);
      const [path, init] = plausible(route, { ...headers, 'tenant-key': api.account });
      for (const body of [init.body, '{}', '[]', '[null]', '"x"', '{"', '[{"sku":1,"id":{},"name":[]}]']) {
        const response = await api.fetch(path, body == null ? init : { ...init, body });
        const answer = await response.text();
        const isForeseen = response.status === 503 && route.refusals?.[503] !== undefined;
        assert.ok(response.status < 500 || isForeseen, `${response.status} to ${String(body)}: ${answer}`);
        if (init.body === undefined) break;
      }
    });

    it(`${name} answers 400 to misspelt fields and query parameters, with each path and the near names`, async () => {
      const headers = await headersOf(auth.scope);
      const [path, init] = plausible(route, { ...headers, 'tenant-key': api.account });
      const refused = async (asked: string, given: RequestInit, misspelt: readonly string[]) => {
        const response = await api.fetch(asked, given);
        const answer = await response.text();
        assert.equal(response.status, 400, `${asked} ${String(given.body)}: ${answer}`);
        // Notifications are answered in the texts of their interface; this header says more.
        const said = route.family === 'notification' ? (response.headers.get('x-error-detail') ?? '') : answer;
        assert.doesNotMatch(said, VALIDATOR_TEXT);
        assert.ok(
          misspelt.some((one) => said.includes(one)),
          said,
        );
      };
      await refused(`${path}?misspelt=1`, init, ['misspelt']);
      if (route.body === undefined && route.query === undefined && route.method !== 'GET') {
        const headersOfJson = { ...init.headers, 'content-type': 'application/json' };
        await refused(path, { ...init, headers: headersOfJson, body: '{"misspelt":1}' }, ['misspelt']);
      }
      for (const { part, members } of partsOf(route)) {
        for (const { parent, siblings, name: first } of members) {
          if (first !== siblings[0]) continue;
          const wrong = siblings.map((one) => misspellings({ parent, siblings, name: one })[0] ?? '');
          const fields = Object.fromEntries(wrong.map((one) => [one, 'x']));
          if (part === 'query') await refused(`${path}?${new URLSearchParams(fields)}`, init, wrong);
          else await refused(path, { ...init, body: JSON.stringify(around(parent, fields)) }, wrong);
        }
      }
      if (route.siteContext === false) return;
      const context = JSON.stringify({ account: api.account, Stage: 'sandbox' });
      const misread = { ...init, headers: { ...headers, 'tenant-key': api.account, 'x-site-context': context } };
      await refused(path, misread, ['Stage']);
    });

    if (route.siteContext === 'tenant-key') {
      it(`${name} answers 400 without tenant-key, 403 to another account's, and heeds x-site-context`, async () => {
        const { authorization = '' } = api.headers();
        const ask = async (headers: Record<string, string>) => {
          const response = await api.fetch(...plausible(route, { authorization, ...headers }));
          await response.body?.cancel();
          return response.status;
        };
        assert.equal(await ask({}), 400);
        assert.equal(await ask({ 'tenant-key': ' ' }), 400);
        assert.equal(await ask({ 'tenant-key': foreign.account }), 403);
        const foreignContext = JSON.stringify({ account: foreign.account });
        assert.equal(await ask({ 'tenant-key': api.account, 'x-site-context': foreignContext }), 403);
        assert.equal(await ask({ 'tenant-key': api.account, 'x-site-context': 'nonsense' }), 400);
      });
    }

    if (route.siteContext === true) {
      it(`${name} answers 400 without x-site-context`, async () => {
        const { authorization = '' } = api.headers();
        const response = await api.fetch(...plausible(route, { authorization }));
        assert.equal(response.status, 400);
      });
    }
  }

  it('knows nothing that another account knows: its ids are not found', async () => {
    const own = { ...api.headers({ token: foreign.token, account: foreign.account }), 'tenant-key': foreign.account };
    for (const route of routes.filter(
      ({ path, auth, method }) => 'scope' in auth && method === 'GET' && path.includes(':'),
    )) {
      const response = await api.fetch(...plausible(route, own));
      assert.ok([400, 403, 404].includes(response.status), `${route.path}: ${response.status}`);
    }
  });
});
