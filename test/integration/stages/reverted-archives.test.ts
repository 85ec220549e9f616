/** What a revert of an imported archive takes back around the catalog, and what it keeps: profiles, settings and webhook definitions. */
import assert from 'node:assert/strict';
import { unsealSecret } from '../../../src/domain/access/sealed-secret.js';
import { createToken } from '../../../src/domain/access/tokens.js';
import { oldestKept } from '../../../src/domain/changes/partitions.js';
import { pruneSurroundingChanges, resealDeletedSecrets } from '../../../src/domain/changes/surrounding-changes.js';
import type { Answer } from '../../support/http/call-api.js';
import { Shop } from '../../support/http/shop.js';
import { contentOf, exportStage, importStage, type StageArchive, settled } from '../../support/http/stages.js';
import { fillStage } from '../../support/models/full-stage.js';
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
    assert.ok((await resealDeletedSecrets(world.db, newest)) >= imported.length);
    assert.equal(await resealDeletedSecrets(world.db, newest), 0);
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
