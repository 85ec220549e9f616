/** Import profiles over HTTP: named, versioned, of one stage, and in the audit log. */
import assert from 'node:assert/strict';
import type { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const PROFILE = {
  fileType: 'ITEM_IMPORT',
  format: { delimiter: ';' },
  columns: [
    { to: 'SKU', from: 'Artikel', steps: [] },
    { to: 'Title', from: 'Name', steps: [{ step: 'replace', table: { b: '2', a: '1' }, otherwise: 'keep' }] },
  ],
  unknownColumns: 'warn',
  skipRowsWhen: [],
};
const OTHER = { ...PROFILE, unknownColumns: 'fail' };

describe('import profiles', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await world.newShop();
  });

  const save = (name = 'ERP', profile: unknown = PROFILE) => shop.post('/import-profiles', { name, profile });

  it('are saved and read as they were sent, in any case of the name', async () => {
    const { status, body } = await save();
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual([body.name, body.version, body.profile], ['ERP', 1, PROFILE]);
    assert.deepEqual(await shop.ask('GET', '/import-profiles/erp'), body);
    assert.deepEqual(Object.keys(body.profile.columns[1].steps[0].table), ['b', 'a']);
  });

  it('have a version for each change, and keep the earlier ones', async () => {
    await save();
    assert.equal((await shop.ask('PUT', '/import-profiles/ERP', { body: { profile: OTHER } })).version, 2);
    // As it was: no version.
    assert.equal((await shop.ask('PUT', '/import-profiles/ERP', { body: { profile: OTHER } })).version, 2);
    assert.deepEqual((await shop.ask('GET', '/import-profiles/ERP')).profile, OTHER);
    assert.deepEqual((await shop.ask('GET', '/import-profiles/ERP?version=1')).profile, PROFILE);
    const versions = await shop.ask('GET', '/import-profiles/ERP/versions');
    assert.deepEqual(
      versions.data.map(({ version }: { version: number }) => version),
      [2, 1],
    );
    const { status, body } = await shop.get('/import-profiles/ERP?version=3');
    assert.deepEqual([status, body.code], [404, 'PROFILE_VERSION_NOT_FOUND']);
  });

  it('get another name, keep their versions, and stay the default of their files', async () => {
    await save();
    await save('Other');
    await shop.ask('PUT', '/import-profiles/ERP', { body: { profile: OTHER } });
    await shop.ask('PATCH', '/site-settings', { body: { defaultProfiles: { ITEM_IMPORT: 'ERP' } } });
    const rename = (name: string, version?: number) =>
      shop.call('PATCH', '/import-profiles/ERP', { body: { name, version } });
    assert.deepEqual((await rename('other')).body.code, 'PROFILE_EXISTS');
    assert.deepEqual((await rename('New', 1)).body.code, 'PROFILE_CHANGED');
    const { status, body } = await rename('ERP of 2027', 2);
    assert.deepEqual([status, body.name, body.version], [200, 'ERP of 2027', 2]);
    assert.equal((await shop.get('/import-profiles/ERP')).status, 404);
    assert.equal((await shop.ask('GET', '/import-profiles/ERP%20of%202027/versions')).count, 2);
    const { defaultProfiles } = await shop.ask('GET', '/site-settings');
    assert.deepEqual(defaultProfiles, { ITEM_IMPORT: 'ERP of 2027' });
    const shipped = await shop.call('PATCH', '/import-profiles/magento', { body: { name: 'mine' } });
    assert.deepEqual([shipped.status, shipped.body.code], [409, 'PROFILE_SHIPPED']);
  });

  it('get the same name only once, also when two ask at the same time', async () => {
    await save('A');
    await save('B');
    const answers = await Promise.all(
      ['A', 'B'].map((name) => shop.call('PATCH', `/import-profiles/${name}`, { body: { name: 'C' } })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
  });

  it('are not changed by who has read an older version', async () => {
    const read = (await save()).body;
    await shop.ask('PUT', '/import-profiles/ERP', { body: { ...read, profile: OTHER } });
    const { status, body } = await shop.call('PUT', '/import-profiles/ERP', { body: { ...read, profile: PROFILE } });
    assert.deepEqual([status, body.code], [409, 'PROFILE_CHANGED']);
    assert.match(body.message, /you sent version 1, and its newest is 2/);
    assert.deepEqual((await shop.ask('GET', '/import-profiles/ERP')).profile, OTHER);
  });

  it('that were read can be sent to another stage as they are', async () => {
    const read = (await save()).body;
    const context = { stage: 'staging' };
    const { body } = await shop.call('POST', '/import-profiles', { body: read, context });
    assert.deepEqual([body.version, body.profile], [1, PROFILE]);
    assert.equal((await shop.ask('GET', '/import-profiles?shipped=false', { context })).count, 1);
  });

  it('are listed by name, and by the type of the files', async () => {
    await save('b');
    await save('A');
    const categories = { fileType: 'CATEGORY_IMPORT', columns: [{ to: 'Category Path', from: 'Gruppe' }] };
    await save('c', categories);
    const all = await shop.ask('GET', '/import-profiles?shipped=false');
    assert.deepEqual(
      all.data.map(({ name, fileType, version }: Record<string, unknown>) => [name, fileType, version]),
      [
        ['A', 'ITEM_IMPORT', 1],
        ['b', 'ITEM_IMPORT', 1],
        ['c', 'CATEGORY_IMPORT', 1],
      ],
    );
    assert.equal((await shop.ask('GET', '/import-profiles?fileType=CATEGORY_IMPORT')).count, 1);
  });

  it('of one name are refused the second time, and unknown names are answered with the nearest', async () => {
    await save('Lieferant Nord');
    const again = await save('lieferant nord');
    assert.deepEqual([again.status, again.body.code], [409, 'PROFILE_EXISTS']);
    for (const [method, body] of [
      ['GET', undefined],
      ['PUT', { profile: PROFILE }],
      ['DELETE', undefined],
    ] as const) {
      const answer = await shop.call(method, '/import-profiles/Lieferant%20Nrod', { body });
      assert.deepEqual([answer.status, answer.body.code], [404, 'PROFILE_NOT_FOUND'], method);
      assert.match(answer.body.message, /did you mean "Lieferant Nord"\?/);
    }
  });

  it('are deleted with their versions, and the name is free again', async () => {
    await save();
    await shop.ask('PUT', '/import-profiles/ERP', { body: { profile: OTHER } });
    assert.equal((await shop.ask('DELETE', '/import-profiles/ERP')).version, 2);
    assert.equal((await shop.get('/import-profiles/ERP')).status, 404);
    assert.equal((await save()).body.version, 1);
  });

  it('of another account are not found', async () => {
    await save();
    const other = await world.newShop();
    assert.equal((await other.get('/import-profiles/ERP')).status, 404);
    assert.equal((await other.ask('GET', '/import-profiles?shipped=false')).count, 0);
  });

  it('and each of their changes are in the audit log', async () => {
    await save();
    await shop.ask('PUT', '/import-profiles/ERP', { body: { profile: OTHER } });
    await shop.ask('DELETE', '/import-profiles/ERP');
    const entries: { action: string; target: string }[] = await world
      .db('audit_entry')
      .where({ account_id: shop.account })
      .whereLike('action', 'IMPORT_PROFILE%')
      .orderBy('id');
    assert.deepEqual(
      entries.map(({ action, target }) => `${action} ${target.replace(/[0-9a-f]{24}/, 'ID')}`),
      [
        'IMPORT_PROFILE_CREATED import-profile/ID/1',
        'IMPORT_PROFILE_UPDATED import-profile/ID/2',
        'IMPORT_PROFILE_DELETED import-profile/ID/2',
      ],
    );
  });

  it('say which of their steps an export cannot undo', async () => {
    const columns = [
      { to: 'SKU', from: 'Artikel', steps: [{ step: 'trim' }] },
      { to: 'Title', from: ['Name', 'Kurz'], combine: 'join', steps: [{ step: 'stripHtml' }] },
      { to: 'Brand', constant: 'Acme' },
      { to: 'Code', from: 'Nummer', split: { separator: '-', part: 1 }, steps: [{ step: 'case', to: 'upper' }] },
      { to: 'Stock', from: 'Lager', steps: [{ step: 'default', value: '0' }] },
      { to: 'Price', from: 'VK', steps: [{ step: 'number', decimal: ',', thousands: '.', currency: ['€'] }] },
    ];
    const { body } = await save('ERP', { fileType: 'ITEM_IMPORT', columns });
    const shown = body.notInvertible.map(({ column, step }: Record<string, string>) => `${column} ${step}`);
    const expected = ['Title combine', 'Title stripHtml', 'Brand constant', 'Code split', 'Code case', 'Stock default'];
    assert.deepEqual(shown, expected);
    assert.match(body.notInvertible[0].reason, /several columns have become one value: it is written to "Name"/);
    assert.deepEqual((await shop.ask('GET', '/import-profiles/ERP')).notInvertible, body.notInvertible);
    const again = await shop.ask('PUT', '/import-profiles/ERP', { body });
    assert.deepEqual(again, body, 'what was read can be sent');
  });

  describe('that come with Longshore', () => {
    it('are listed after those of the stage, page by page', async () => {
      await save('z');
      await save('A');
      const { data, count } = await shop.ask('GET', '/import-profiles?limit=100');
      const shipped = data.filter((one: { shipped: boolean }) => one.shipped);
      assert.deepEqual(
        data.slice(0, 3).map(({ name }: { name: string }) => name),
        ['A', 'z', shipped[0].name],
      );
      assert.equal(count, 2 + shipped.length);
      const paged = [];
      for (let offset = 0; offset < count; offset += 3) {
        const page = await shop.ask('GET', `/import-profiles?offset=${offset}&limit=3`);
        assert.equal(page.count, count);
        paged.push(...page.data);
      }
      assert.deepEqual(paged, data);
      assert.deepEqual((await shop.ask('GET', '/import-profiles?shipped=true&limit=100')).data, shipped);
      assert.equal((await shop.ask('GET', '/import-profiles?shipped=true&fileType=CATEGORY_IMPORT')).count, 0);
    });

    it('are read by name, and can be sent to be saved under another one', async () => {
      const read = await shop.ask('GET', '/import-profiles/Shopify-Products');
      assert.deepEqual([read.name, read.version, read.shipped], ['shopify-products', 1, true]);
      assert.equal((await shop.ask('GET', '/import-profiles/shopify-products/versions')).count, 1);
      const missing = await shop.get('/import-profiles/shopify-products?version=2');
      assert.deepEqual([missing.status, missing.body.code], [404, 'PROFILE_VERSION_NOT_FOUND']);
      const { status, body } = await shop.post('/import-profiles', { ...read, name: 'My Shopify' });
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual([body.shipped, body.profile], [false, read.profile]);
    });

    it('can neither be changed nor deleted, and one of the stage takes precedence', async () => {
      for (const [method, body] of [
        ['PUT', { profile: PROFILE }],
        ['DELETE', undefined],
      ] as const) {
        const answer = await shop.call(method, '/import-profiles/akeneo', { body });
        assert.deepEqual([answer.status, answer.body.code], [409, 'PROFILE_SHIPPED'], method);
      }
      await save('Akeneo');
      const { profile, shipped } = await shop.ask('GET', '/import-profiles/akeneo');
      assert.deepEqual([profile, shipped], [PROFILE, false]);
      const names = (await shop.ask('GET', '/import-profiles')).data.map(({ name }: { name: string }) => name);
      assert.equal(names.filter((name: string) => name.toLowerCase() === 'akeneo').length, 1);
      await shop.ask('DELETE', '/import-profiles/akeneo');
      assert.equal((await shop.ask('GET', '/import-profiles/akeneo')).shipped, true);
    });
  });

  it('with a name that no address can have are refused', async () => {
    for (const name of ['a/b', 'a\\b', ' a', 'a\nb', '', 'x'.repeat(101)]) {
      const { status, body } = await save(name);
      assert.equal(status, 400, `${JSON.stringify(name)}: ${JSON.stringify(body)}`);
    }
  });
});
