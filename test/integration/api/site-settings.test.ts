/** The settings of a data set: changed member by member, kept in versions, recorded in the audit log. */
import assert from 'node:assert/strict';
import { createToken } from '../../../src/domain/access/tokens.js';
import { createApprovalRules } from '../../../src/domain/settings/approval-rules.js';
import { openSession } from '../../support/http/browser-session.js';
import { callApi } from '../../support/http/call-api.js';
import type { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

describe('the settings of a data set', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await world.newShop();
  });

  const patch = (body: object) => shop.call('PATCH', '/site-settings', { body });

  it('are empty at first, and are changed member by member', async () => {
    const { updatedAt, approval, ...none } = await shop.ask('GET', '/site-settings');
    const noRule = { when: 'REQUESTED', items: null, percent: null, fileTypes: null, allowOwn: false };
    assert.deepEqual(approval, noRule);
    assert.deepEqual([none, updatedAt], [{ aliases: {}, defaultProfiles: {}, live: true, version: 0 }, null]);
    const first = await patch({ aliases: { SKU: ['Artikelnummer', 'Art.-Nr.'], Farbe: ['colour'] } });
    assert.deepEqual([first.status, first.body.version], [200, 1]);
    const second = await patch({ aliases: { Farbe: null, Marke: ['Hersteller'] } });
    assert.deepEqual(second.body.aliases, { SKU: ['Artikelnummer', 'Art.-Nr.'], Marke: ['Hersteller'] });
    assert.equal(second.body.version, 2);
    assert.equal((await patch({ aliases: { Marke: ['Hersteller'] } })).body.version, 2, 'nothing has changed');
    const { aliases } = await shop.ask('GET', '/site-settings?version=1');
    assert.deepEqual(aliases.Farbe, ['colour']);
    assert.equal((await shop.get('/site-settings?version=9')).status, 404);
    for (const version of ['2147483648', '9999999999', '-1', '1e0', ' ', '']) {
      assert.equal((await shop.get(`/site-settings?version=${version}`)).status, 400, version);
    }
  });

  it('refuse a rule for approvals by which no job would ever wait', async () => {
    for (const [approval, said] of [
      [{ when: 'LARGE' }, /approval.when: "LARGE" needs a limit: give items, percent or both/],
      [{ when: 'LARGE', items: null }, /approval.when/],
      [{ when: 'ALWAYS', fileTypes: [] }, /approval.fileTypes: names no type/],
    ] as const) {
      const { status, body } = await patch({ approval });
      assert.equal(status, 400, JSON.stringify(approval));
      assert.match(body.message, said);
    }
    await patch({ approval: { when: 'LARGE', percent: 5 } });
    assert.equal((await patch({ approval: { percent: null } })).status, 400, 'also one that loses its last limit');
    assert.equal((await patch({ approval: { when: 'REQUESTED', percent: null } })).status, 200);
  });

  it('have rules for approvals that are read together where many sites are asked for', async () => {
    const others = [await world.newShop(), await world.newShop()];
    await patch({ approval: { when: 'ALWAYS' } });
    await patch({ approval: { when: 'LARGE', items: 7 } });
    await others[0]?.call('PATCH', '/site-settings', { body: { approval: { when: 'ALWAYS' } } });
    const sites = [shop, ...others].map(({ siteId }) => siteId);
    const statements: string[] = [];
    const note = ({ sql }: { sql: string }) => {
      if (sql.includes('site_settings')) statements.push(sql);
    };
    world.db.on('query', note);
    try {
      const rules = createApprovalRules(world.db);
      const read = await Promise.all([...sites, ...sites].map((siteId) => rules.of(siteId)));
      const large = ['LARGE', 7];
      const wanted = [large, ['ALWAYS', null], ['REQUESTED', null]];
      assert.deepEqual(
        read.map(({ when, items }) => [when, items]),
        [...wanted, ...wanted],
      );
      assert.equal(statements.length, 1, statements.join('\n'));
    } finally {
      world.db.off('query', note);
    }
  });

  it('say whether the stage is live: production is until they say otherwise, and a session shows it', async () => {
    const stage = async (name: string, body?: object) => {
      const context = { stage: name };
      const answer = await shop.call(body === undefined ? 'GET' : 'PATCH', '/site-settings', {
        context,
        ...(body === undefined ? {} : { body }),
      });
      return answer.body.live;
    };
    assert.deepEqual([await stage('production'), await stage('nowhere')], [true, false]);
    assert.equal(await stage('webshop', { live: true }), true);
    assert.equal(await stage('webshop', { aliases: { SKU: ['x'] } }), true, 'another change leaves it');
    assert.equal(await stage('production', { live: false }), false);
    assert.equal(await stage('sandbox', { aliases: { SKU: ['x'] } }), false);
    assert.equal((await shop.call('PATCH', '/site-settings', { body: { live: 'yes' } })).status, 400);
    const { headers } = await openSession(world.api, { token: shop.token });
    const { body } = await callApi(world.api, 'GET', '/api/v2/session', { headers });
    assert.deepEqual(
      body.stages.map(({ name, live }: { name: string; live: boolean }) => [name, live]),
      [
        ['webshop', true],
        ['production', false],
        ['sandbox', false],
      ],
    );
  });

  it('are refused when they were changed meanwhile, and of two changes none is lost', async () => {
    await patch({ aliases: { SKU: ['a'] } });
    const late = await patch({ aliases: { SKU: ['b'] }, version: 0 });
    assert.deepEqual([late.status, /newest is 1/.test(late.body.message)], [409, true]);
    await Promise.all(['one', 'two', 'three', 'four'].map((name) => patch({ aliases: { [name]: [`${name}!`] } })));
    const { aliases, version } = await shop.ask('GET', '/site-settings');
    assert.deepEqual([Object.keys(aliases).length, version], [5, 5]);
  });

  it('let a name stand for one thing only', async () => {
    await patch({ aliases: { SKU: ['Nummer'] } });
    const twice = await patch({ aliases: { Bestellnummer: ['nummer '] } });
    assert.equal(twice.status, 400);
    assert.match(twice.body.message, /aliases\.Bestellnummer\.0: "nummer" stands for "SKU" already/);
  });

  it('name profiles that there are, and that are for the files', async () => {
    const missing = await patch({ defaultProfiles: { ITEM_IMPORT: 'ERP' } });
    assert.equal(missing.status, 404, missing.text);
    const profile = { fileType: 'ITEM_IMPORT', columns: [{ to: 'SKU', from: 'Nr' }] };
    const created = await shop.post('/import-profiles', { name: 'ERP', profile });
    assert.ok(created.status < 300, created.text);
    const set = await patch({ defaultProfiles: { ITEM_IMPORT: 'ERP' } });
    assert.deepEqual(set.body.defaultProfiles, { ITEM_IMPORT: 'ERP' });
    const wrong = await patch({ defaultProfiles: { CATEGORY_IMPORT: 'ERP' } });
    assert.equal(wrong.status, 400);
    assert.match(wrong.body.message, /is for files of ITEM_IMPORT/);
    assert.deepEqual((await patch({ defaultProfiles: { ITEM_IMPORT: null } })).body.defaultProfiles, {});
  });

  it('belong to one stage, need catalog:admin, and are in the audit log', async () => {
    await patch({ aliases: { SKU: ['x'] } });
    const elsewhere = await shop.ask('GET', '/site-settings', { context: { stage: 'test' } });
    assert.equal(elsewhere.version, 0);
    const { token } = await createToken(world.db, {
      accountId: shop.account,
      name: 'catalog',
      scopes: ['catalog:read', 'catalog:write'],
    });
    const headers = { authorization: `Bearer ${token}` };
    assert.equal((await shop.call('GET', '/site-settings', { headers })).status, 403);
    assert.equal((await shop.call('PATCH', '/site-settings', { headers, body: {} })).status, 403);
    const { data } = await shop.ask('GET', '/api/v2/audit?action=SITE_SETTINGS_CHANGED');
    assert.deepEqual(data.map(({ target, result }: { target: string; result: string }) => [target, result]).at(-1), [
      'site-settings/1',
      'DONE',
    ]);
  });
});
