/** Exports that are refused: what is wrong is named, and what was probably meant. */
import assert from 'node:assert/strict';
import { newId } from '../../../src/domain/kernel/identifier.js';
import { acceptExport, askForExport, type ExportRequest } from '../../support/http/exporting.js';
import type { Shop } from '../../support/http/shop.js';
import { untilEnded } from '../../support/http/until-ended.js';
import { startWorld, type World } from '../../support/worlds/world.js';

describe('an export that cannot be carried out', function () {
  this.timeout(30_000);
  let world: World;
  let shop: Shop;

  before(async () => {
    world = await startWorld();
    shop = await world.newShop();
    await world.startWorkers();
    await shop.define({
      attributes: [
        'Title',
        { name: 'Price', type: 'DECIMAL' },
        { name: 'Colour', type: 'OPTIONS', options: ['Red', 'Blue'] },
      ],
      categories: { Disk: ['Title', 'Price', 'Colour'] },
    });
  });
  after(() => world.stop());

  const property = (fields: object) => ({ body: { match: { properties: [fields] } } });

  const cases: [string, ExportRequest, RegExp][] = [
    ['a field that is none', { body: { colums: ['SKU'] } }, /"colums": did you mean "columns"\?/],
    ['a condition that is none', { body: { match: { skus: ['a'] } } }, /"skus": did you mean "sku"\?/],
    [
      'a condition of a property that is none',
      property({ name: 'Title', op: 'EQUALS', valu: 1 }),
      /"valu": did you mean "value"\?/,
    ],
    [
      'an operator that is none',
      property({ name: 'Title', op: 'EQUAL', value: 'x' }),
      /"EQUAL": did you mean "EQUALS"\?/,
    ],
    [
      'an operator that does not apply to the type',
      property({ name: 'Title', op: 'GTE', value: 'x' }),
      /GTE does not apply to "Title", which is TEXT: use EQUALS/,
    ],
    ['an attribute that is none', property({ name: 'Titl', op: 'EXISTS' }), /"Titl": did you mean "Title"\?/],
    ['an attribute named twice', property({ name: 'Title', attributeId: 'x', op: 'EXISTS' }), /not by both/],
    [
      'a value of another type',
      property({ name: 'Price', op: 'GTE', value: 'cheap' }),
      /properties\.0\.value: "cheap" is not a decimal/,
    ],
    ['an option that is none', property({ name: 'Colour', op: 'IN', value: ['Red', 'Blu'] }), /did you mean "Blue"\?/],
    ['a list where one value is due', property({ name: 'Title', op: 'EQUALS', value: ['x'] }), /is not a text/],
    ['one value where a list is due', property({ name: 'Title', op: 'IN', value: 'x' }), /expected a list/],
    ['a value that is missing', property({ name: 'Title', op: 'EQUALS' }), /EXISTS with "value": false/],
    [
      'a range whose ends are exchanged',
      property({ name: 'Price', op: 'RANGE', fromValue: 10, toValue: 9.5 }),
      /properties\.0\.fromValue: is 10, which is after toValue, 9\.5: nothing lies between them/,
    ],
    [
      'two bounds of one attribute that cross',
      {
        body: {
          match: {
            properties: [
              { name: 'Price', op: 'LTE', value: 3 },
              { name: 'Price', op: 'GTE', value: 5 },
            ],
          },
        },
      },
      /properties\.1\.value: is 5, which is after match\.properties\.0\.value, 3/,
    ],
    [
      'times that are exchanged',
      { body: { match: { updatedAt: { fromValue: '2026-02-01', toValue: '2026-01-31' } } } },
      /updatedAt\.fromValue: is 2026-02-01, which is after toValue, 2026-01-31/,
    ],
    ['a range without an end', property({ name: 'Price', op: 'RANGE' }), /"fromValue", "toValue" or both/],
    [
      'a field that the operator has no use for',
      property({ name: 'Price', op: 'GTE', value: 1, toValue: 2 }),
      /GTE accepts "value" only/,
    ],
    [
      'a time that is none',
      { body: { match: { createdAt: { op: 'GTE', value: 'yesterday' } } } },
      /createdAt\.value: expected ISO 8601/,
    ],
    ['a category that is none', { body: { match: { categoryId: [4711] } } }, /no category with node id 4711/],
    ['a status that is none', { body: { match: { status: 'LIFE' } } }, /"LIFE": did you mean "LIVE"\?/],
    ['a type that is none', { body: { match: { type: ['ITEMS'] } } }, /"ITEMS": did you mean "ITEM"\?/],
    ['a column that is none', { body: { columns: ['SKU', 'Prize'] } }, /"Prize": did you mean "Price"\?/],
    ['a column twice', { body: { columns: ['Price', 'price'] } }, /named twice/],
    ['a format that is none', { body: { format: 'CSVS' } }, /"CSVS": did you mean "CSV"\?/],
    ['an option of CSV beside JSONL', { body: { format: 'JSONL', delimiter: ';' } }, /delimiter: applies to CSV only/],
    ['a delimiter that imports do not know', { body: { delimiter: 'x' } }, /expected a comma/],
    ['a call to a file', { body: { callbackUrl: 'file:///etc/passwd' } }, /callbackUrl: /],
    ['both lists of names', { body: { ids: ['x'], skus: ['y'] } }, /one of the two lists/],
    ['no name at all', { body: { skus: [] } }, /is empty/],
    ['an attribute by a wrong name', { entity: 'attribute', body: { names: ['Titl'] } }, /did you mean "Title"\?/],
    ['columns of attributes', { entity: 'attribute', body: { columns: ['x'] } }, /there is no field "columns"/],
    ['a category by a wrong id', { entity: 'category', body: { ids: ['f'.repeat(24)] } }, /no category with id ffff/],
  ];
  for (const [what, request, message] of cases) {
    it(`is refused for ${what}`, async () => {
      const { status, body } = await askForExport(shop, request);
      assert.equal(status, 400, JSON.stringify(body));
      assert.match(body.message, message);
      assert.equal(body.type, 'CLIENT_ERROR');
    });
  }

  it('is refused to a foreign account, which sees neither the job nor the file', async () => {
    const jobId = await acceptExport(shop);
    const job = await untilEnded(shop, jobId);
    const stranger = await world.newShop();
    assert.equal((await stranger.call('GET', `/jobs/${jobId}`)).status, 404);
    assert.equal((await stranger.call('POST', `/jobs/${jobId}/actions/cancel`)).status, 404);
    assert.equal((await stranger.call('GET', `/files/product/${job.outputFiles[0]}/actions/download`)).status, 404);
    const { data } = await shop.ask('GET', '/api-product/v1/product/attribute?names=Title');
    const match = { properties: [{ attributeId: data[0].id, op: 'EXISTS' }] };
    assert.equal((await askForExport(stranger, { body: { match } })).status, 400);
    const context = { 'x-site-context': JSON.stringify({ account: shop.account }) };
    assert.equal((await askForExport(stranger, {}, context)).status, 403);
  });

  it('ends as REJECTED when what it names was changed before it began', async () => {
    const held = await world.newShop();
    await held.define({ attributes: ['Gone', { name: 'Size', type: 'INTEGER' }] });
    for (const [body, change] of [
      [{ columns: ['SKU', 'Gone'] }, { action: 'DELETE', name: 'Gone' }],
      [
        { match: { properties: [{ name: 'Size', op: 'GTE', value: 1 }] } },
        { action: 'UPDATE', name: 'Size', type: 'TEXT' },
      ],
    ] as const) {
      // Two exports that never end leave no room for the third to begin.
      const blockers = await Promise.all([blocker(held), blocker(held)]);
      const jobId = await acceptExport(held, { body });
      await world.db('job').where({ id: jobId }).first('id');
      const changed = await held.bulkAttributes([change]);
      assert.deepEqual(changed.body.attributes.failed, []);
      for (const id of blockers) await held.ask('POST', `/jobs/${id}/actions/cancel`);
      const job = await untilEnded(held, jobId);
      assert.deepEqual([job.status, job.reason], ['REJECTED', 'DEFINITIONS_CHANGED']);
      assert.deepEqual(job.outputFiles, []);
    }
  });

  /** An export that nobody carries out. */
  async function blocker({ siteId, account }: Shop): Promise<string> {
    const [row] = await world
      .db('job')
      .insert({
        ...{ id: newId(), site_id: siteId, account_id: account },
        ...{ type: 'ITEM_EXPORT', kind: 'export', status: 'IN_PROGRESS', options: '{}', shared: true },
        ...{ step: 'export', dispatch: 1, dispatched_at: new Date(Date.now() + 3_600_000), started_at: new Date() },
      })
      .returning('id');
    return row.id;
  }
});
