/**
 * Each route of the registry × each wrong way to ask it: without a token, with a malformed, unknown, expired, revoked,
 * under-scoped or foreign one, or with the cookie of a session of one of these, with the ids of another tenant or of another stage. Every request is refused as
 * documented, says nothing of what it named, and changes nothing, neither in the database nor in the queues.
 */
import assert from 'node:assert/strict';
import type { Route } from '../../../src/api/define-route.js';
import { routes } from '../../../src/api/routes/index.js';
import { ACCOUNT_SCOPES } from '../../../src/domain/access/scopes.js';
import { createToken, revokeToken } from '../../../src/domain/access/tokens.js';
import { forEachBackend, onOneBackend } from '../../support/for-each-backend.js';
import { type BrowserSession, openSession } from '../../support/http/browser-session.js';
import type { Answer } from '../../support/http/call-api.js';
import { callApi } from '../../support/http/call-api.js';
import { makeLink, type OpenedLink, openedLink } from '../../support/http/receiver-link.js';
import type { Shop } from '../../support/http/shop.js';
import { webhookBody } from '../../support/http/webhook-definition.js';
import { until } from '../../support/until.js';
import { startWorld, type World } from '../../support/worlds/world.js';

/** What the other tenant must not see in any answer. */
const SECRET = 'matrix-secret';
/** Keys that the owner chose. The answer that there is no such thing may repeat them. */
const SKU = 'matrix-item';
const DOCUMENT = 'matrix-order';
const PROFILE = 'matrix-profile';
const STAGE = 'staging';
const CATALOG = { attributes: ['Title'], categories: { Disk: ['Title'] } } as const;

/** What one tenant has, for every parameter of every path. */
interface Belongings {
  readonly sessionId: string;
  readonly personId: string;
  readonly webhookId: string;
  /** Of a link of its receiver. */
  readonly linkId: string;
  readonly eventRequestId: string;
  readonly jobId: string;
  readonly fileId: string;
  readonly categoryId: string;
  readonly attributeId: string;
  readonly sku: string;
  readonly documentId: string;
  /** The name of an import profile. */
  readonly profile: string;
  readonly viewId: string;
  readonly publishedFileId: string;
  readonly feedId: string;
  /** Of the address of that file. */
  readonly key: string;
}

type Credentials = Readonly<Record<string, string | undefined>>;

/** Those that change a catalog or propose to. */
const CHANGING: readonly string[] = ['catalog:write', 'catalog:propose'];
const NO_CHANGES = 'neither writing nor proposing';
const MALFORMED = ['', 'Bearer', 'Bearer a b', 'Digest username="x"'];
const MORE_MALFORMED = [
  `Bearer ${'x'.repeat(5_000)}`,
  'Bearer \u00ff\u00fe',
  'Basic !!!',
  'bearer',
  "Bearer ' OR 1=1--",
  'Bearer null',
];

/** What a body or a query names may be answered as a mistake of the request. */
const NOT_FOUND: readonly number[] = [400, 404, 422];

/** Ids that belong to nobody, or are none. */
const NO_IDS = [
  '0123456789abcdef01234567',
  'x',
  '0',
  '-1',
  "'%20OR%201=1--",
  '%25',
  'A'.repeat(300),
  '..%2f..',
  '%E2%82%AC',
];

/** @param thorough every scope by itself, every malformed token and id on every route, and on each engine of the queues */
export function runTenantMatrix(thorough: boolean): void {
  (thorough ? forEachBackend : onOneBackend)((backend) => {
    let world: World;
    let owner: Shop;
    let other: Shop;
    let theirs: Belongings;
    let operator: string;
    let receiver: OpenedLink;
    let endedReceiver: OpenedLink;
    const tokens = new Map<string, string>();
    /** Sessions of these tokens, and of the shops' own. */
    const sessions = new Map<string, BrowserSession>();
    let settled: Record<string, string | number>;

    before(async function () {
      this.timeout(60_000);
      world = await startWorld({ redisUrl: backend.redisUrl });
      const workers = await world.startWorkers();
      owner = await world.newShop();
      other = await world.newShop();
      theirs = await furnish(world, owner);
      await other.define(CATALOG);
      // The other stages exist: naming a new one would make it, for a token that may write.
      for (const shop of [owner, other]) {
        await shop.ask('POST', '/api-category/v1/category', { body: { name: 'Disk' }, context: { stage: STAGE } });
      }
      await workers.stop();
      const { db } = world;
      operator = world.api.operatorToken;
      const make = async (name: string, scopes: readonly string[], expiresAt?: Date) => {
        const made = await createToken(db, { accountId: owner.account, name, scopes, expiresAt });
        tokens.set(name, made.token);
        sessions.set(name, await openSession(world.api, { token: made.token }));
        return made.id;
      };
      const expired = await make('expired', ACCOUNT_SCOPES);
      await db('access_token')
        .where({ id: expired })
        .update({ expires_at: new Date(0) });
      await revokeToken(db, await make('revoked', ACCOUNT_SCOPES));
      for (const [name, { token }] of Object.entries({ owner, other, idle: owner, old: owner, ended: owner })) {
        sessions.set(name, await openSession(world.api, { token }));
      }
      const over = {
        idle: { last_used_at: new Date(0) },
        old: { expires_at: new Date(0) },
        ended: { ended_at: new Date(0) },
      };
      for (const [name, change] of Object.entries(over)) {
        await db('session')
          .where({ id: sessions.get(name)?.id })
          .update(change);
      }
      // Those above were valid when this process has seen them last.
      await until(
        'tokens are looked up again',
        async () => {
          const { status } = await callApi(world.api, 'GET', '/api/v2/session', {
            headers: own(owner, tokens.get('revoked')),
          });
          return status === 401;
        },
        20_000,
      );
      for (const scope of ACCOUNT_SCOPES) {
        const others = ACCOUNT_SCOPES.filter((one) => one !== scope);
        await make(`all but ${scope}`, others);
        for (const single of thorough ? others : []) await make(`only ${single}`, [single]);
      }
      await make(
        NO_CHANGES,
        ACCOUNT_SCOPES.filter((one) => !CHANGING.includes(one)),
      );
      receiver = await openedLink(world.api, owner, theirs.webhookId);
      endedReceiver = await openedLink(world.api, owner, theirs.webhookId);
      await owner.call('DELETE', `/api/v2/webhook/${theirs.webhookId}/receiver-links/${endedReceiver.id}`);
      // Refusals are written once a minute, which is no change by the request that is then looked at.
      await world.api.services.recorder.close();
      settled = await stateOf(world);
    });
    after(() => world.stop());

    async function assertUnchanged(): Promise<void> {
      const [before, now] = [settled, await stateOf(world)];
      settled = now;
      assert.deepEqual(now, before);
    }

    /** Asks, and checks the status and that the answer says nothing of what the owner has. */
    async function refused(route: Route, path: string, headers: Credentials, ...statuses: number[]): Promise<Answer> {
      const answer = await callApi(world.api, route.method, path, { ...bodyOf(route), headers });
      const what = `${route.method} ${path}: ${answer.status} ${answer.text}`;
      assert.ok(statuses.includes(answer.status), `${what}, not ${statuses.join(' or ')}`);
      assert.ok(!answer.text.includes(SECRET), what);
      if ('scope' in route.auth) assert.equal(answer.headers.get('cache-control'), 'no-store', what);
      return answer;
    }

    const own = (shop: Shop, token = shop.token, stage?: string): Credentials => ({
      authorization: `Bearer ${token}`,
      'tenant-key': shop.account,
      'x-site-context': JSON.stringify({ account: shop.account, ...(stage === undefined ? {} : { stage }) }),
    });

    /** The same with the cookie of a session instead of the token. */
    function byCookie(headers: Credentials, session: string): Credentials {
      const { authorization: _, ...others } = headers;
      return { ...others, ...cookieOf(session) };
    }

    function cookieOf(session: string): Credentials {
      const found = sessions.get(session);
      assert.ok(found !== undefined, session);
      return found.headers;
    }

    for (const route of routes) {
      const { auth, method } = route;
      const name = `${method} ${route.path}`;
      if (!('scope' in auth)) continue;
      const ofOperators = auth.scope === 'operator';
      const ofReceivers = auth.scope === 'receiver';

      it(`${name} refuses every token but its own`, async () => {
        const path = pathOf(route, theirs);
        const { authorization: _, ...withoutToken } = own(owner);
        await refused(route, path, withoutToken, 401);
        for (const authorization of thorough ? [...MALFORMED, ...MORE_MALFORMED] : MALFORMED) {
          await refused(route, path, { ...withoutToken, authorization }, 401);
        }
        await refused(route, path, own(owner, 'lst_unknown'), 401);
        await refused(route, path, own(owner, tokens.get('expired')), 401);
        await refused(route, path, own(owner, tokens.get('revoked')), 401);
        await refused(route, path, own(owner, ofOperators ? owner.token : operator), 403);
        if (ofReceivers) await refused(route, path, own(owner), 403);
        const without = auth.orProposing ? NO_CHANGES : `all but ${auth.scope}`;
        const ofAnybody = auth.scope === 'any' || ofReceivers;
        if (!ofOperators && !ofAnybody) await refused(route, path, own(owner, tokens.get(without)), 403);
        for (const single of thorough && !ofOperators && !ofAnybody ? ACCOUNT_SCOPES : []) {
          const isAllowed = single === auth.scope || (auth.orProposing === true && single === 'catalog:propose');
          if (!isAllowed) await refused(route, path, own(owner, tokens.get(`only ${single}`)), 403);
        }
        if (route.siteContext !== false) await refused(route, path, own(owner, other.token), 403);
        if (route.siteContext === 'tenant-key') {
          await refused(route, path, { ...own(other), 'tenant-key': owner.account }, 403);
          await refused(route, path, { ...own(other), 'x-site-context': own(owner)['x-site-context'] }, 403);
        }
        await assertUnchanged();
      });

      it(`${name} refuses every session but its own, and its own from other pages`, async () => {
        const path = pathOf(route, theirs);
        if (ofOperators || ofReceivers) {
          await refused(route, path, byCookie(own(owner), 'owner'), 401);
          return assertUnchanged();
        }
        for (const session of ['expired', 'revoked', 'idle', 'old', 'ended'])
          await refused(route, path, byCookie(own(owner), session), 401);
        const without = auth.orProposing ? NO_CHANGES : `all but ${auth.scope}`;
        if (auth.scope !== 'any') await refused(route, path, byCookie(own(owner), without), 403);
        if (route.siteContext !== false) await refused(route, path, byCookie(own(owner), 'other'), 403);
        for (const page of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'same-site' }, { origin: 'null' }])
          await refused(route, path, { ...byCookie(own(owner), 'owner'), ...page }, 403);
        if (method !== 'GET') await refused(route, path, { ...byCookie(own(owner), 'owner'), origin: undefined }, 403);
        await assertUnchanged();
      });

      it(`${name} refuses the cookie of a receiver${ofReceivers ? ' from other pages, and after its end' : ''}`, async () => {
        const path = pathOf(route, theirs);
        const { authorization: _, ...context } = own(owner);
        const { headers, cookie } = receiver;
        if (!ofReceivers) {
          await refused(route, path, { ...context, ...headers }, 401);
          const renamed = cookie.replace('longshore_receiver', 'longshore_session');
          await refused(route, path, { ...context, ...headers, cookie: renamed }, 401);
          await refused(route, path, { ...context, authorization: `Bearer ${cookie.replace(/^.*=/, '')}` }, 401);
          return assertUnchanged();
        }
        for (const page of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'same-site' }, { origin: 'null' }])
          await refused(route, path, { ...headers, ...page }, 403);
        if (method !== 'GET') await refused(route, path, { ...headers, origin: undefined }, 403);
        await refused(route, path, endedReceiver.headers, 401);
        const unknown = pathOf(route, theirs, NO_IDS[0]);
        if (path !== unknown) await refused(route, unknown, headers, method === 'GET' ? 404 : 403);
        await assertUnchanged();
      });

      if (ofOperators || ofReceivers || !route.path.includes(':')) continue;

      it(`${name} does not know the ids of another tenant, nor of another stage`, async () => {
        const path = pathOf(route, theirs);
        await refused(route, path, own(other), 404);
        await refused(route, path, byCookie(own(other), 'other'), 404);
        await refused(route, path, own(other, other.token, STAGE), 404);
        if (route.siteContext !== false) await refused(route, path, own(owner, owner.token, STAGE), 404);
        for (const id of thorough ? NO_IDS : NO_IDS.slice(0, 2)) {
          await refused(route, pathOf(route, theirs, id), own(owner), 404, 400);
        }
        await assertUnchanged();
      });
    }

    for (const route of routes.filter(({ auth }) => 'signedUrl' in auth)) {
      it(`${route.method} ${route.path} refuses what it has not signed`, async () => {
        const before = settled;
        const signed = await other.ask('GET', `/files/product/${await fileOf(other)}/actions/download`);
        settled = await stateOf(world);
        assert.notDeepEqual(settled, before, 'the state shows what changes');
        const { search } = new URL(signed.location);
        const path = pathOf(route, theirs);
        for (const query of ['', '?expires=9999999999&signature=x', search, `${search}x`]) {
          await refused(route, `${path}${query}`, {}, 403);
        }
        await assertUnchanged();
      });
    }

    it('ids in bodies and queries: those of another tenant and of another stage are not found', async () => {
      for (const [method, path, body, expected] of named(theirs)) {
        for (const headers of [own(other), own(owner, owner.token, STAGE)]) {
          const answer = await callApi(world.api, method, path, { body, headers });
          const what = `${method} ${path}: ${answer.status} ${answer.text}`;
          if (expected === 'nothing') assert.equal(answer.body.count, 0, what);
          else assert.ok(expected.includes(answer.status), what);
          assert.ok(!answer.text.includes(SECRET), what);
        }
      }
      await assertUnchanged();
    });

    it('a session lists what its token lists', async () => {
      const lists = routes.filter(
        ({ method, path, auth }) => method === 'GET' && !path.includes(':') && 'scope' in auth,
      );
      const ofAccounts = lists.filter(({ auth }) => 'scope' in auth && !['operator', 'receiver'].includes(auth.scope));
      for (const { path } of ofAccounts) {
        // Only a session has one.
        if (path === '/api/v2/session') continue;
        const [byToken, bySession] = [own(owner), byCookie(own(owner), 'owner')].map((headers) =>
          callApi(world.api, 'GET', path, { headers }),
        );
        const [expected, got] = [await byToken, await bySession];
        assert.equal(got?.status, expected?.status, path);
        assert.deepEqual(withoutMoments(got?.body), withoutMoments(expected?.body), path);
      }
      // The feed of changes is numbered when it is read.
      settled = await stateOf(world);
    });

    it('the owner finds all of them, so that what is refused above exists', async () => {
      for (const route of routes.filter(({ path, auth }) => path.includes(':') && isOfAccount(auth))) {
        if (route.method !== 'GET') continue;
        const ask = (headers: Credentials) => callApi(world.api, 'GET', pathOf(route, theirs), { headers });
        const [answer, inSession] = [await ask(own(owner)), await ask(byCookie(own(owner), 'owner'))];
        // The inspection of a file has begun.
        for (const { status, text } of [answer, inSession])
          assert.ok([200, 202].includes(status), `${route.path}: ${status} ${text}`);
        assert.deepEqual(Object.keys(inSession.body), Object.keys(answer.body), route.path);
      }
      const changing = routes.filter(
        ({ path, auth, method }) => path.includes(':') && isOfAccount(auth) && method !== 'GET',
      );
      // What deletes comes last, and the parts before the whole: the others need what it deletes.
      const depth = ({ method, path }: Route) => (method === 'DELETE' ? 1 / path.length : 0);
      for (const route of changing.sort((a, b) => depth(a) - depth(b))) {
        const path = pathOf(route, theirs);
        const { status, text } = await callApi(world.api, route.method, path, {
          ...bodyOf(route),
          headers: byCookie(own(owner), 'owner'),
        });
        assert.ok(![401, 403, 404].includes(status) && status < 500, `${route.method} ${path}: ${status} ${text}`);
      }
    });
  });
}

function isOfAccount(auth: Route['auth']): boolean {
  return 'scope' in auth && auth.scope !== 'receiver';
}

/** Gives a tenant one of everything that a path can name. */
async function furnish({ api, db }: World, shop: Shop): Promise<Belongings> {
  const session = await openSession(api, { token: shop.token });
  const person = await shop.ask('POST', '/api/v2/access/people', { body: { name: SECRET, role: 'editor' } });
  await shop.define(CATALOG);
  const written = await shop.bulk('upsert', [{ sku: SKU, nodeName: 'Disk', attributes: { Title: SECRET } }]);
  assert.equal(written.status, 200, written.text);
  const hook = await shop.ask('POST', '/api/v2/webhook', { body: webhookBody({ apiVersion: SECRET }) });
  const link = await makeLink(shop, hook.webhookId);
  const tenant = { headers: { 'tenant-key': shop.account } };
  const documentId = DOCUMENT;
  const document = { documentType: 'ORDER', id: documentId, payload: SECRET };
  const registered = await shop.ask('POST', '/api/v2/document', { body: document, ...tenant });
  const [attribute] = (await shop.ask('GET', '/api-product/v1/product/attribute')).data;
  const [category] = (await shop.ask('GET', '/api-category/v1/category?keyword=Disk')).data;
  const fileId = await fileOf(shop);
  const { jobId } = await shop.ask('GET', `/files/product/${fileId}`);
  assert.equal((await shop.outcome(jobId)).status, 'COMPLETED');
  const profile = { fileType: 'ITEM_IMPORT', columns: [{ to: 'SKU', from: SECRET }] };
  await shop.ask('POST', '/import-profiles', { body: { name: PROFILE, profile } });
  const view = { kind: 'ITEMS', name: SECRET, content: { q: SECRET } };
  const { id: viewId } = await shop.ask('POST', '/views', { body: view });
  const { id: publishedFileId, url } = await shop.ask('POST', '/published-files', { body: { name: SECRET } });
  const feed = { name: SECRET, connection: { kind: 'https', url: 'https://shop.example/items.csv' }, secret: null };
  const { id: feedId } = await shop.ask('POST', '/feeds', { body: { ...feed, fileType: 'ITEM_IMPORT' } });
  await shop.ask('POST', `/feeds/${feedId}/actions/renew-trigger`);
  // As if it had taken the file that the example names.
  await db('feed_file').insert({
    ...{ feed_id: feedId, name: 'items-2026-11-26.csv', checksum: '0'.repeat(64), version: '1', bytes: 1 },
    ...{ job_id: jobId, run_id: jobId, taken_at: db.fn.now() },
  });
  return {
    sessionId: session.id,
    personId: person.id,
    webhookId: hook.webhookId,
    linkId: link.id,
    eventRequestId: registered.eventRequestId,
    jobId,
    fileId,
    categoryId: category.id,
    attributeId: attribute.id,
    sku: SKU,
    documentId,
    profile: PROFILE,
    viewId,
    publishedFileId,
    feedId,
    key: url.split('/').at(-1) ?? '',
  };
}

/** Uploads a file. @returns its id */
async function fileOf(shop: Shop): Promise<string> {
  const jobId = await shop.upload(`${SECRET}.csv`, `SKU,Category Node,Title\nb,Disk,${SECRET}\n`);
  const files = (await shop.ask('GET', '/files/product?limit=100')).data as { id: string; jobId: string }[];
  return files.find((file) => file.jobId === jobId)?.id ?? '';
}

/** @param id for every parameter that is an id, instead of the ones that exist */
function pathOf(route: Route, mine: Belongings, id?: string): string {
  const values: Readonly<Record<string, string>> = {
    sessionId: mine.sessionId,
    personId: mine.personId,
    webhookId: mine.webhookId,
    linkId: mine.linkId,
    eventRequestId: mine.eventRequestId,
    documentType: 'ORDER',
    sku: mine.sku,
    fileId: mine.fileId,
    name: mine.profile,
    viewId: mine.viewId,
    publishedFileId: mine.publishedFileId,
    feedId: mine.feedId,
    key: mine.key,
    id: idOf(route.path, mine),
  };
  return route.path.replace(/:(\w+)/g, (_, name: string) => {
    const value = values[name];
    assert.ok(value !== undefined, `the matrix has no value for the parameter ${name} of ${route.path}: add one`);
    return id === undefined || name === 'documentType' ? value : id;
  });
}

function idOf(path: string, { jobId, fileId, documentId }: Belongings): string {
  if (path.startsWith('/jobs/')) return jobId;
  return path.startsWith('/files/') ? fileId : documentId;
}

/** A body that its schema accepts where the path names what is asked for. */
function bodyOf(route: Route): { body?: unknown } {
  if (route.body === undefined || route.method === 'GET') return {};
  if ('raw' in route.body && route.body.raw === 'bulk') return { body: [{}] };
  // A profile that gets another name is not found by those that follow.
  if (route.method === 'PATCH' && route.path === '/import-profiles/:name') return { body: { name: PROFILE } };
  const needsMembers = 'schema' in route.body && !route.body.schema.safeParse({}).success;
  return { body: needsMembers && route.path.includes(':') ? route.body.example : {} };
}

/** Requests that name what somebody has in the body or the query, and how they are answered to others. */
function named(mine: Belongings): readonly (readonly [string, string, unknown, readonly number[] | 'nothing'])[] {
  const { categoryId: id, webhookId, eventRequestId, fileId, jobId, attributeId, sku, documentId } = mine;
  const CATEGORY = '/api-category/v1/category';
  const since = new Date(0).toISOString();
  const notification = { id: documentId, documentType: 'ORDER', notificationType: 'ORDER_SHIPPED' };
  return [
    ['PUT', CATEGORY, { id, name: 'Mine' }, NOT_FOUND],
    ['DELETE', `${CATEGORY}?id=${id}`, undefined, NOT_FOUND],
    ['POST', CATEGORY, { name: 'Below', parentId: id }, NOT_FOUND],
    ['POST', `${CATEGORY}/item`, { id, items: [{ sku, action: 'SET' }] }, NOT_FOUND],
    ['POST', `${CATEGORY}/item-attribute`, { id, itemAttributes: [{ id: attributeId }] }, NOT_FOUND],
    ['GET', `${CATEGORY}/item-attribute?id=${id}`, undefined, NOT_FOUND],
    ['GET', `${CATEGORY}/tree?id=${id}`, undefined, NOT_FOUND],
    ['GET', `${CATEGORY}?ids=${id}`, undefined, 'nothing'],
    [
      'POST',
      '/api-product/v1/product/attribute/mapping',
      { mappings: [{ mapping: 'sku', id: attributeId }] },
      NOT_FOUND,
    ],
    ['GET', `/files/product?ids=${fileId}`, undefined, 'nothing'],
    ['GET', `/jobs/product?ids=${jobId}`, undefined, 'nothing'],
    ['POST', '/item-import-templates', { categoryId: id }, NOT_FOUND],
    ['POST', '/api/v2/webhook/retry', { eventRequestId }, NOT_FOUND],
    ['POST', '/api/v2/webhook/retry', { eventRequestId, webhookId }, NOT_FOUND],
    ['POST', '/api/v2/webhook/retry', { webhookId, since, status: 'FAILED' }, NOT_FOUND],
    ['POST', '/api/v2/webhook/retry', { webhookId, since, status: 'FAILED', dryRun: true }, NOT_FOUND],
    ['POST', '/api/v2/webhook/event/query', { filters: { eventRequestId } }, 'nothing'],
    ['POST', '/api/v2/webhook/event/query', { filters: { webhookId } }, 'nothing'],
    ['POST', '/api/v2/notification/send', notification, NOT_FOUND],
  ];
}

/** What two answers have in common that are asked one after the other: whose session it was, and what is signed, differ. */
function withoutMoments(body: unknown): unknown {
  if (typeof body === 'string') return body.length;
  return JSON.parse(JSON.stringify(body), (key, value) =>
    ['current', 'location', 'cursor', 'at'].includes(key) ? null : value,
  );
}

/** Everything that is stored, and how many jobs the queues have. When tokens and sessions were used is no change of anybody's data, and neither are metrics. */
async function stateOf({ db, services }: World): Promise<Record<string, string | number>> {
  const tables: { name: string }[] = await db('pg_tables')
    .where({ schemaname: 'public' })
    .select({ name: 'tablename' });
  const digests = tables
    .filter(({ name }) => !name.startsWith('schema_migration') && name !== 'process_snapshot')
    .map(({ name }) => {
      const row = ['access_token', 'session'].includes(name) ? "(to_jsonb(t) - 'last_used_at')::text" : 't::text';
      return `SELECT '${name}' AS name, md5(coalesce(string_agg(${row}, E'\\n' ORDER BY ${row}), '')) AS digest FROM "${name}" t`;
    });
  const { rows } = await db.raw<{ rows: { name: string; digest: string }[] }>(digests.join(' UNION ALL '));
  let queued = 0;
  for (const queue of services.producer.queues()) {
    queued += Object.values(await queue.getJobCounts()).reduce((sum, count) => sum + count, 0);
  }
  return { queued, ...Object.fromEntries(rows.map(({ name, digest }) => [name, digest])) };
}
