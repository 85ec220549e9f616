/** What a revert of an imported archive takes back around the catalog, and what it keeps: profiles, settings and webhook definitions. */
import assert from 'node:assert/strict';
import { resealColumns } from '../../../src/domain/access/reseal-secrets.js';
import { unsealSecret } from '../../../src/domain/access/sealed-secret.js';
import { createToken } from '../../../src/domain/access/tokens.js';
import { oldestKept } from '../../../src/domain/changes/partitions.js';
import { pruneSurroundingChanges, SECRETS_OF_THE_DELETED } from '../../../src/domain/changes/surrounding-changes.js';
import type { Answer } from '../../support/http/call-api.js';
import { Shop } from '../../support/http/shop.js';
import {
  archiveWith,
  contentOf,
  exportStage,
  importStage,
  type StageArchive,
  settled,
} from '../../support/http/stages.js';
import { fillStage } from '../../support/models/full-stage.js';
import { cellsOf } from '../../support/models/written-workbook.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const WAIT = { headers: { prefer: 'wait=25' } };
const PROFILE = `/import-profiles/${encodeURIComponent('Händler')}`;
const CHANGED = { fileType: 'ITEM_IMPORT', columns: [{ to: 'SKU', from: 'Nummer' }] };

describe('the revert of an imported archive', function () {
  this.timeout(120_000);
  let world: World;
  let archive: StageArchive;
  before(async () => {
    world = await startWorld({ workers: true });
    const shop = await world.newShop();
    await fillStage(shop);
    archive = await exportStage(shop);
  });
  after(() => world.stop());

  /** An empty stage into which the archive was imported. */
  async function importedStage(): Promise<{ readonly shop: Shop; readonly jobId: string }> {
    const shop = await world.newShop();
    const job = await importStage(shop, archive.bytes);
    assert.equal(job.status, 'COMPLETED', JSON.stringify(job));
    return { shop, jobId: job.id };
  }

  async function revert(shop: Shop, jobId: string, options: object = {}): Promise<Answer['body']> {
    const { status, body, text } = await shop.post(`/jobs/${jobId}/actions/revert`, options, WAIT);
    assert.ok(status < 300, text);
    return body.status === 'AWAITING_APPROVAL' ? body : settled(shop, body.id ?? body.jobId);
  }

  const aroundOf = async (shop: Shop) => {
    const { files } = await exportStage(shop);
    return ['import-profiles.jsonl', 'settings.jsonl', 'webhooks.jsonl'].map((name) => files.get(name));
  };
  const webhooksOf = (shop: Shop) =>
    world.db('webhook_definition').where({ site_id: shop.siteId }).orderBy('target') as Promise<Answer['body'][]>;

  it('keeps and names what was changed again afterwards, as its dry run and its preview have said', async () => {
    const { shop, jobId } = await importedStage();
    await shop.ask('PUT', PROFILE, { body: { profile: CHANGED } });
    await shop.ask('PATCH', '/site-settings', { body: { aliases: { Title: ['Name'] } } });
    const [one] = await webhooksOf(shop);
    await shop.ask('POST', `/api/v2/webhook/${one.id}/actions/rotate-secret`);
    const around = await aroundOf(shop);
    const said = async (job: Answer['body']) =>
      (await shop.errors(job.id))
        .filter(({ code }) => code !== 'ATTRIBUTE_IN_USE')
        .map(({ key, code, message }) => [key, code, message]);
    const dry = await revert(shop, jobId, { validateOnly: true });
    const expected = [
      [
        'import profile Händler',
        'CHANGED_SINCE',
        'the import profile was changed again afterwards, so that it is kept as it is',
      ],
      ['settings', 'CHANGED_SINCE', 'the settings were changed again afterwards, so that they are kept as they are'],
      [
        `webhook definition ${one.id}`,
        'CHANGED_SINCE',
        'the webhook definition was changed again afterwards, so that it is kept as it is',
      ],
    ];
    assert.deepEqual((await said(dry)).sort(), expected);
    assert.deepEqual(await aroundOf(shop), around, 'a dry run changes nothing');
    const preview = await settled(
      shop,
      (await shop.post(`/jobs/${jobId}/actions/revert`, { requireApproval: true })).body.jobId,
    );
    assert.equal(preview.status, 'AWAITING_APPROVAL');
    assert.deepEqual((await said(preview)).sort(), expected);
    const done = await revert(shop, jobId);
    assert.deepEqual((await said(done)).sort(), expected);
    const counted = ({ progressTracker: { updatedAt: _, ...counts } }: Answer['body']) => counts;
    assert.deepEqual(counted(done), counted(dry));
    const [profiles, settings] = await aroundOf(shop);
    assert.deepEqual([profiles, settings], around.slice(0, 2));
    assert.deepEqual(
      (await webhooksOf(shop)).map(({ id }) => id),
      [one.id],
    );
  });

  it('shows what the import has changed around the catalog, and what the revert takes back, without secrets', async () => {
    const { shop, jobId } = await importedStage();
    const changesOf = async (id: string, query = '', reader = shop): Promise<Answer['body'][]> =>
      (await reader.ask('GET', `/jobs/${id}/changes?limit=1000${query}`)).data;
    const AROUND = ['profile', 'settings', 'webhook'];
    const all = await changesOf(jobId);
    const around = all.filter(({ kind }) => AROUND.includes(kind));
    assert.deepEqual(all.slice(0, around.length), around, 'they come first');
    const hooks = await webhooksOf(shop);
    assert.deepEqual(around.map(({ kind, operation, definition: { name } }) => [kind, operation, name]).sort(), [
      ['profile', 'CREATED', 'Händler'],
      ['settings', 'UPDATED', 'settings'],
      ['webhook', 'CREATED', 'https://example.com/one'],
      ['webhook', 'CREATED', 'https://example.com/two'],
    ]);
    const [profile, settings, hook] = AROUND.map((wanted) => around.find(({ kind }) => kind === wanted));
    assert.deepEqual([profile.sku, profile.jobId, profile.definition.before], [null, jobId, null]);
    assert.equal(profile.definition.after.fileType, 'ITEM_IMPORT');
    assert.deepEqual(
      [settings.definition.before.aliases, settings.definition.after.aliases],
      [{}, { Colour: ['Farbe'] }],
    );
    assert.deepEqual(hook.definition.after, {
      ...{ target: hook.definition.name, protocol: 'HTTPS', source: 'CATALOG', events: ['ITEM_UPDATED'] },
      ...{
        requestType: 'POST',
        apiVersion: '',
        format: 'application/json',
        callbackUrl: null,
        rateLimit: 5,
        ordering: 'key',
      },
      ...{
        filter: hooks[0].filter,
        collectHours: 72,
        channel: null,
        status: 'DISABLED',
        targetApiKey: null,
        headers: {},
      },
    });

    const paged: Answer['body'][] = [];
    for (let after = ''; ; ) {
      const page = await shop.ask('GET', `/jobs/${jobId}/changes?limit=3${after}`);
      paged.push(...page.data);
      if (page.next === undefined) break;
      after = `&after=${page.next}`;
    }
    assert.deepEqual(paged, all);
    const chosen = async (query: string) => (await changesOf(jobId, query)).map(({ kind }) => kind);
    assert.deepEqual(await chosen('&types=webhook,settings&operations=CREATED'), ['webhook', 'webhook']);
    assert.deepEqual(await chosen('&sku=parent&types=profile'), []);
    assert.ok((await chosen('&types=item')).every((kind) => kind === 'item'));

    const summary = async (id: string, reader = shop) =>
      (await reader.ask('GET', `/jobs/${id}/changes/summary`)).definitions.filter(({ kind }: Answer['body']) =>
        AROUND.includes(kind),
      );
    assert.deepEqual(await summary(jobId), [
      { kind: 'profile', created: 1, updated: 0, deleted: 0 },
      { kind: 'settings', created: 0, updated: 1, deleted: 0 },
      { kind: 'webhook', created: 2, updated: 0, deleted: 0 },
    ]);
    const download = async (query: string) =>
      (await shop.get(`/jobs/${jobId}/changes/download?${query}`, { headers: { accept: '*/*' } })).text;
    const csv = await download('format=CSV');
    assert.match(csv, /^\uFEFFKind,Definition,.*\n(profile|settings|webhook),/);
    assert.match(csv, /^settings,settings,,UPDATED,,aliases\.Colour,,"\[""Farbe""\]"$/m);
    assert.match(csv, /^webhook,https:\/\/example\.com\/one,,CREATED,,rateLimit,,5$/m);
    const lines = (await download('format=JSONL&types=profile'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.ok(
      lines.some(
        ({ kind, definition, property, after }) =>
          kind === 'profile' && definition === 'Händler' && property === 'fileType' && after === 'ITEM_IMPORT',
      ),
    );
    const { status, bytes } = await shop.get(`/jobs/${jobId}/changes/download?format=XLSX`, {
      headers: { accept: '*/*' },
    });
    assert.equal(status, 200);
    const sheet = await cellsOf(bytes);
    assert.ok(
      sheet.some(
        ([kind, name, , , , what, , value]) =>
          `${kind} ${name} ${what} ${value}` === 'webhook https://example.com/one rateLimit 5',
      ),
    );

    const reader = async (...scopes: readonly string[]) =>
      new Shop(
        world.api,
        shop.account,
        (await createToken(world.db, { accountId: shop.account, name: 'reader', scopes: scopes as [] })).token,
        shop.siteId,
      );
    const [limited, ofWebhooks] = [await reader('catalog:read'), await reader('catalog:read', 'webhooks:read')];
    const kindsFor = async (one: Shop) =>
      [...new Set((await changesOf(jobId, '', one)).map(({ kind }) => kind))]
        .filter((kind) => AROUND.includes(kind))
        .sort();
    assert.deepEqual(await kindsFor(limited), ['profile']);
    assert.deepEqual(
      (await summary(jobId, limited)).map(({ kind }: Answer['body']) => kind),
      ['profile'],
    );
    assert.deepEqual(await kindsFor(ofWebhooks), ['profile', 'webhook']);
    for (const path of ['changes?', 'changes/download?']) {
      const refused = await limited.get(`/jobs/${jobId}/${path}types=settings`);
      assert.deepEqual(
        [refused.status, refused.body.message],
        [403, 'this token does not have the scope catalog:admin'],
      );
    }

    await shop.ask('PATCH', `/api/v2/webhook/${hooks[0].id}`, {
      body: { targetApiKey: 'a-secret-of-the-partner', headers: { 'x-team': 'another-secret' } },
    });
    const undone = await revert(shop, jobId);
    assert.deepEqual(
      (await summary(undone.id)).map(({ kind, deleted, updated }: Answer['body']) => [kind, deleted, updated]),
      [
        ['profile', 1, 0],
        ['settings', 0, 1],
        ['webhook', 1, 0],
      ],
    );
    const gone = await changesOf(undone.id, '&types=webhook');
    assert.deepEqual(
      gone.map(({ operation, definition: { before, after } }) => [operation, before.target, after]),
      [['DELETED', hooks[1].target, null]],
    );
    assert.doesNotMatch(
      JSON.stringify([await changesOf(jobId), await changesOf(undone.id), csv]),
      /v1\.|"secret|target_digest|hint/,
    );
    const { cursor } = await shop.ask('GET', '/changes/cursor');
    const feed = await shop.get(`/changes?since=${cursor}&types=webhook`);
    assert.equal(feed.status, 400, 'the feed has nothing of it');
  });

  it('keeps a profile that something uses by then, and names what', async () => {
    const { shop, jobId } = await importedStage();
    const ask = async () => {
      const { id } = await revert(shop, jobId, { validateOnly: true });
      return (await shop.errors(id)).flatMap(({ code, message }) => (code === 'PROFILE_IN_USE' ? [message] : []));
    };
    assert.deepEqual(await ask(), []);
    const used = await shop.importFile('items.csv', 'Artikel,Farbe\nnew,rot\n', { profile: 'Händler' });
    assert.match((await ask()).join(), new RegExp(`^job ${used.id} was accepted with it, so that it is kept$`));
    await shop.ask('PATCH', '/site-settings', { body: { aliases: { Title: ['Name'] } } });
    assert.match((await ask()).join(), /^it is the default of files of ITEM_IMPORT, so that it is kept$/);
  });

  it('gives a deleted webhook definition its id and its secrets again, whatever key they were sealed with', async () => {
    const { shop, jobId } = await importedStage();
    const imported = await webhooksOf(shop);
    const content = contentOf(await exportStage(shop));
    const undone = await revert(shop, jobId);
    assert.deepEqual(await webhooksOf(shop), []);
    const kept = () => world.db('surrounding_change').where({ job_id: undone.id, kind: 'webhook' }).orderBy('id');
    assert.ok(
      (await kept()).every(
        ({ secret, before, after }) => /^v1\./.test(secret) && !('secret' in before) && after === null,
      ),
    );
    const { secretsKeys } = world.services.config;
    const newest = ['a newer key, which is long enough', ...secretsKeys];
    assert.ok((await resealColumns(world.db, newest, SECRETS_OF_THE_DELETED)).resealed >= imported.length);
    assert.equal((await resealColumns(world.db, newest, SECRETS_OF_THE_DELETED)).resealed, 0);
    const redone = await revert(shop, undone.id);
    assert.equal(redone.status, 'COMPLETED', JSON.stringify(redone));
    assert.deepEqual(contentOf(await exportStage(shop)), content);
    const again = await webhooksOf(shop);
    const plain = (rows: typeof again) => rows.map(({ secret: _, ...others }) => others);
    assert.deepEqual(plain(again), plain(imported));
    const opened = (rows: typeof again, keys: readonly string[]) =>
      rows.map(({ id, secret }) => unsealSecret(keys, `webhook_definition ${id} secret`, secret));
    assert.deepEqual(opened(again, newest.slice(0, 1)), opened(imported, secretsKeys));
    const { health } = await shop.ask('GET', `/api/v2/webhook/${again[0].id}`);
    assert.deepEqual([health.breaker, health.failuresInARow], ['CLOSED', 0]);
  });

  it('needs the scopes that changing settings and webhook definitions needs, and records what it does', async () => {
    const { shop, jobId } = await importedStage();
    const as = async (scopes: readonly string[]) => {
      const { token } = await createToken(world.db, { accountId: shop.account, name: 'limited', scopes: scopes as [] });
      return new Shop(world.api, shop.account, token, shop.siteId);
    };
    const writes = ['catalog:read', 'catalog:write'];
    for (const [scopes, missing] of [
      [writes, 'catalog:admin'],
      [[...writes, 'catalog:admin'], 'webhooks:write'],
    ] as const) {
      const refused = await (await as(scopes)).post(`/jobs/${jobId}/actions/revert`, { validateOnly: true });
      assert.deepEqual([refused.status, refused.body.message], [403, `this token does not have the scope ${missing}`]);
    }
    const [one] = await webhooksOf(shop);
    await shop.ask('PATCH', `/api/v2/webhook/${one.id}`, { body: { rateLimit: 1 } });
    const own = await as([...writes, 'catalog:admin', 'webhooks:write']);
    const { id } = await revert(own, jobId);
    const retry = await (await as(writes)).post(`/jobs/${id}/actions/retry`, {});
    assert.deepEqual([retry.status, retry.body.message], [403, 'this token does not have the scope catalog:admin']);
    const entries = await world
      .db('audit_entry')
      .where({ account_id: shop.account, actor_kind: 'token' })
      .whereIn('action', ['IMPORT_PROFILE_DELETED', 'SITE_SETTINGS_CHANGED', 'WEBHOOK_DELETED'])
      .orderBy(['action', 'id']);
    assert.deepEqual(
      entries.map(({ action, result }) => [action, result]),
      [
        ['IMPORT_PROFILE_DELETED', 'DONE'],
        ['SITE_SETTINGS_CHANGED', 'DONE'],
        ['WEBHOOK_DELETED', 'DONE'],
      ],
    );
  });

  it('takes and gives back a rule for large jobs without a limit, which earlier releases let a stage have', async () => {
    const settings = JSON.parse(archive.files.get('settings.jsonl') ?? '');
    const approval = { ...settings.approval, when: 'LARGE', items: null, percent: null };
    const shop = await world.newShop();
    const rule = async () => {
      const { when, items, percent } = (await shop.ask('GET', '/site-settings')).approval;
      return [when, items, percent];
    };
    const old = { 'settings.jsonl': `${JSON.stringify({ ...settings, approval })}\n` };
    const job = await importStage(shop, await archiveWith(archive, old));
    assert.equal(job.status, 'COMPLETED', JSON.stringify(job));
    assert.deepEqual(await rule(), ['LARGE', null, null]);
    const undone = await revert(shop, job.id);
    assert.deepEqual([undone.status, await rule()], ['COMPLETED', ['REQUESTED', null, null]], JSON.stringify(undone));
    const redone = await revert(shop, undone.id);
    assert.deepEqual([redone.status, await rule()], ['COMPLETED', ['LARGE', null, null]], JSON.stringify(redone));
  });

  it('of a release that kept nothing of it says what it leaves', async () => {
    const { shop, jobId } = await importedStage();
    await world.db('surrounding_change').where({ job_id: jobId }).delete();
    const around = await aroundOf(shop);
    for (const options of [{ validateOnly: true }, {}]) {
      const { status, warnings } = await revert(shop, jobId, options);
      assert.equal(status, 'COMPLETED');
      assert.deepEqual(
        warnings.map(({ code, path, count }: Answer['body']) => [code, path, count]),
        [
          ['STAYS_AFTER_REVERT', 'profiles', 1],
          ['STAYS_AFTER_REVERT', 'webhooks', 2],
          ['STAYS_AFTER_REVERT', 'settings', 1],
        ],
      );
    }
    assert.deepEqual(await aroundOf(shop), around);
  });

  it('is possible as long as the changes of the job are kept, and what was kept goes with them', async () => {
    const { shop, jobId } = await importedStage();
    const kept = () => world.db('surrounding_change').where({ job_id: jobId });
    await pruneSurroundingChanges(world.db, await oldestKept(world.db));
    assert.equal((await kept()).length, 4);
    const before = new Date((await oldestKept(world.db)).getTime() - 1);
    await kept().update({ at: before });
    await world.db('job').where({ id: jobId }).update({ started_at: before });
    await pruneSurroundingChanges(world.db, await oldestKept(world.db));
    assert.equal((await kept()).length, 0);
    const { status, text } = await shop.post(`/jobs/${jobId}/actions/revert`, {});
    assert.equal(status, 410, text);
  });
});
