/** Jobs that have changed definitions between others that have changed items are taken back at once. */
import assert from 'node:assert/strict';
import { onOneBackend } from '../../support/for-each-backend.js';
import type { Shop } from '../../support/http/shop.js';
import { catalogFiles, untilQuiet } from '../../support/models/catalog-files.js';
import { assertChangesAddUp } from '../../support/models/change-sum.js';
import { assertDefinitionsAddUp } from '../../support/models/definition-sum.js';
import { assertConsistent } from '../../support/models/site-consistency.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const ATTRIBUTES = '/api-product/v1/product/attribute/bulk';
const CATEGORIES = '/api-category/v1/category/bulk/upsert';
const ITEMS = '/api-product/v1/product/bulk/upsert';
const DELETE = '/api-product/v1/product/bulk/delete';
const NO_WAIT = { headers: { prefer: 'wait=0' } };

type Sent = readonly [path: string, body: unknown];
const attributes = (...elements: object[]): Sent => [ATTRIBUTES, elements];
const categories = (...elements: object[]): Sent => [CATEGORIES, elements];
const items = (...elements: object[]): Sent => [ITEMS, elements];
const deleted = (...skus: string[]): Sent => [DELETE, { skus }];
const retyped = (name: string, type: string, more: object = {}): Sent =>
  attributes({ action: 'UPDATE', name, type, ...more });
const value = (sku: string, name: string, given: unknown): Sent => items({ sku, attributes: { [name]: given } });

const STORIES: Readonly<Record<string, readonly Sent[]>> = {
  'the type of an attribute': [value('a', 'Title', null), retyped('Title', 'INTEGER'), value('a', 'Title', 5)],
  'the type twice': [
    value('a', 'Title', null),
    retyped('Title', 'INTEGER'),
    value('a', 'Title', 5),
    value('a', 'Title', null),
    retyped('Title', 'DECIMAL'),
    value('a', 'Title', '1.5'),
  ],
  'options to numbers': [
    items({ sku: 'a', attributes: { Colour: null } }, { sku: 'v', attributes: { Colour: null } }),
    retyped('Colour', 'INTEGER'),
    value('a', 'Colour', 7),
  ],
  'options to text and back, with others': [
    items({ sku: 'a', attributes: { Colour: null } }, { sku: 'v', attributes: { Colour: null } }),
    retyped('Colour', 'TEXT'),
    value('a', 'Colour', 'teal'),
    value('a', 'Colour', null),
    retyped('Colour', 'OPTIONS', { options: ['teal', 'grey'] }),
    value('a', 'Colour', 'grey'),
  ],
  'an option that is removed, and added again elsewhere': [
    items({ sku: 'a', attributes: { Colour: 'blue' } }, { sku: 'v', attributes: { Colour: 'blue' } }),
    attributes({ action: 'UPDATE', name: 'Colour', options: ['blue'] }),
    attributes({ action: 'UPDATE', name: 'Colour', options: ['blue', 'green', 'red'] }),
    value('a', 'Colour', 'green'),
  ],
  'a type, beside variants and bundles that come and go': [
    value('a', 'Title', null),
    deleted('kit', 'v'),
    retyped('Title', 'INTEGER'),
    items(
      { sku: 'p', nodeName: 'Disk', attributes: { Title: 1 } },
      { sku: 'q', nodeName: 'Disk', parentSku: 'p', attributes: { Title: 2 } },
      { sku: 'a', nodeName: 'Disk', parentSku: 'p', attributes: { Title: 3 } },
      {
        sku: 'set',
        nodeName: 'Disk',
        type: 'BUNDLE',
        bundleItems: [{ sku: 'a', quantity: 1 }],
        attributes: { Title: 4 },
      },
      {
        sku: 'kit',
        nodeName: 'Disk',
        type: 'BUNDLE',
        bundleItems: [{ sku: 'set', quantity: 1 }],
        attributes: { Title: 5 },
      },
    ),
  ],
  'types of two attributes that a bundle and a variant exchange': [
    items({ sku: 'a', attributes: { Title: null, Gtin: null } }, { sku: 'b', attributes: { Gtin: null } }),
    deleted('kit', 'v'),
    retyped('Title', 'INTEGER'),
    retyped('Gtin', 'INTEGER'),
    items(
      {
        sku: 'v',
        nodeName: 'Disk',
        type: 'BUNDLE',
        bundleItems: [{ sku: 'b', quantity: 1 }],
        attributes: { Title: 4 },
      },
      { sku: 'kit', nodeName: 'Disk', parentSku: 'a', attributes: { Title: 5, Gtin: 6 } },
    ),
  ],
  'an attribute that is deleted, and created again with another type': [
    value('a', 'Title', null),
    attributes({ action: 'DELETE', name: 'Title' }),
    attributes({ name: 'Title', type: 'INTEGER' }),
    categories({ path: 'Disk', itemAttributes: ['Title', 'Colour', 'Gtin'].map((name) => ({ name })) }),
    value('a', 'Title', 5),
  ],
  'what is unique, after values were told apart': [
    attributes({ action: 'UPDATE', name: 'Gtin', validation: { unique: false } }),
    value('b', 'Gtin', 'g1'),
    value('a', 'Gtin', 'g3'),
    attributes({ action: 'UPDATE', name: 'Gtin', validation: { unique: true } }),
    value('b', 'Gtin', 'g4'),
  ],
  'what is mandatory': [
    value('a', 'Title', null),
    categories({ path: 'Disk', itemAttributes: [{ name: 'Title', mandatory: true }, { name: 'Colour' }] }),
    value('a', 'Title', 'New'),
    categories({ path: 'Disk', itemAttributes: [{ name: 'Title' }, { name: 'Gtin', mandatory: true }] }),
    value('a', 'Gtin', 'g9'),
  ],
  'the role of an attribute, while there was no item': [
    deleted('kit', 'v', 'a', 'b', 'c'),
    attributes({ action: 'UPDATE', name: 'Gtin', mapping: 'title' }),
    // They go in three passes: each holds the one before it.
    items(
      { sku: 'x', nodeName: 'Disk' },
      { sku: 'y', nodeName: 'Disk', type: 'BUNDLE', bundleItems: [{ sku: 'x', quantity: 1 }] },
      { sku: 'z', nodeName: 'Disk', type: 'BUNDLE', bundleItems: [{ sku: 'y', quantity: 1 }] },
    ),
  ],
};

onOneBackend((backend) => {
  describe('a revert of several jobs', function () {
    this.timeout(60_000);
    let world: World;
    let shop: Shop;
    before(async () => {
      world = await startWorld({ workers: true, redisUrl: backend.redisUrl, chunkRows: 5 });
    });
    after(() => world.stop());
    beforeEach(async () => {
      const names = ['Title', 'Colour', 'Gtin'];
      shop = await (await world.newShop()).define({
        attributes: [
          'Title',
          { name: 'Colour', type: 'OPTIONS', options: ['red', 'blue'] },
          { name: 'Gtin', type: 'TEXT', validation: { unique: true } },
        ],
        categories: { Disk: names, Tape: names },
      });
      await done(
        items(
          { sku: 'a', nodeName: 'Disk', attributes: { Title: 'One', Colour: 'red', Gtin: 'g1' } },
          { sku: 'b', nodeName: 'Disk', attributes: { Gtin: 'g2' } },
          { sku: 'c', nodeName: 'Tape' },
          { sku: 'v', nodeName: 'Disk', parentSku: 'a', attributes: { Colour: 'red' } },
          { sku: 'kit', nodeName: 'Disk', type: 'BUNDLE', bundleItems: [{ sku: 'a', quantity: 2 }] },
        ),
      );
    });

    for (const [what, jobs] of Object.entries(STORIES)) {
      it(`gives back ${what}, and its own revert what was there after them`, async () => {
        const before = await stage();
        const ids: string[] = [];
        for (const job of jobs) ids.push(await done(job));
        const after = await stage();
        const dry = await reverted(ids, { validateOnly: true });
        assert.deepEqual(await stage(), after);
        const undo = await reverted(ids);
        assert.deepEqual(await stage(), before);
        assert.deepEqual(await shown(undo), await shown(dry), 'the preview is what happens');
        const redo = await reverted([undo]);
        assert.deepEqual(await stage(), after);
        await reverted([redo]);
        assert.deepEqual(await stage(), before);
      });
    }

    it('takes nothing from items that wait for a definition which one item holds back, and names all three', async () => {
      const before = await stage();
      const ids: string[] = [];
      for (const job of [
        items({ sku: 'a', attributes: { Title: null } }),
        retyped('Title', 'INTEGER'),
        items({ sku: 'a', attributes: { Title: 5 } }, { sku: 'b', attributes: { Title: 6 } }),
      ]) {
        ids.push(await done(job));
      }
      const later = await done(value('b', 'Title', 7));
      const after = await stage();
      const { status, errors } = await sent(ids);
      assert.equal(status, 'COMPLETED_PARTIALLY');
      assert.deepEqual(
        errors.map(({ key, code, value: named }) => [key, code, named]),
        [
          ['a', 'VALUE_TYPE', 'One'],
          ['b', 'CHANGED_SINCE', later],
          ['attribute Title', 'TYPE_IN_USE', 'TEXT'],
        ],
      );
      assert.deepEqual(await stage(), after);
      await reverted([later, ...ids]);
      assert.deepEqual(await stage(), before);
    });

    // The last pass takes only so many rows at a time: those before it put any number in order.
    for (const [what, stays] of [
      ['a role that is given back', false],
      ['a role that an item holds back', true],
    ] as const) {
      it(`brings variants after their parents before the last pass, behind ${what}`, async () => {
        const parents = Array.from('nopqrstuwxyz', (sku) => ({ sku, nodeName: 'Disk' }));
        await done(items(...parents));
        await done(items(...parents.map(({ sku }) => ({ sku: `a${sku}`, nodeName: 'Disk', parentSku: sku }))));
        const before = await stage();
        const ids: string[] = [];
        for (const job of [
          deleted(...parents.map(({ sku }) => `a${sku}`)),
          deleted(...parents.map(({ sku }) => sku), 'kit', 'v', 'a', 'b', 'c'),
          attributes({ action: 'UPDATE', name: 'Gtin', mapping: 'title' }),
        ]) {
          ids.push(await done(job));
        }
        if (stays) await done(items({ sku: 'other', nodeName: 'Disk' }));
        const { id, errors } = await sent(ids);
        assert.deepEqual(
          errors.map(({ key, code }) => [key, code]),
          stays ? [['mapping title', 'FIELD_INVALID']] : [],
        );
        const chunks = await world.db('job_chunk').where({ job_id: id }).orderBy('idx').select('wave', 'outcomes');
        const created = chunks.filter(({ outcomes }) => outcomes.includes('c'));
        assert.ok(created.length > 4, JSON.stringify(chunks));
        assert.deepEqual(
          created.filter(({ wave }) => wave > 2),
          [],
        );
        const now = await stage();
        if (!stays) assert.deepEqual(now, before);
      });
    }

    it('says what bars the way of an item that would give way to a definition', async () => {
      const ids: string[] = [];
      for (const job of [
        items({ sku: 'a', attributes: { Title: null, Gtin: null } }),
        retyped('Title', 'INTEGER'),
        value('a', 'Title', 5),
      ]) {
        ids.push(await done(job));
      }
      await done(value('b', 'Gtin', 'g1'));
      const after = await stage();
      for (const more of [{ validateOnly: true }, {}]) {
        const { errors } = await sent(ids, more);
        assert.deepEqual(
          errors.map(({ key, code, column, value: named }) => [key, code, column, named]),
          [
            ['a', 'VALUE_NOT_UNIQUE', 'Gtin', 'g1'],
            ['attribute Title', 'TYPE_IN_USE', 'type', 'TEXT'],
          ],
        );
        assert.match(String(errors[0]?.message), /"b"/);
      }
      assert.deepEqual(await stage(), after);
    });

    it('says of each row why it is not taken back, and what to do; one by one the jobs are', async () => {
      const before = await stage();
      const ids: string[] = [];
      for (const job of [
        items({ sku: 'c', nodeName: 'Disk' }),
        categories({ path: 'Tape->Wide', itemAttributes: [{ name: 'Title' }] }),
        items({ sku: 'c', nodeName: 'Tape->Wide' }),
      ]) {
        ids.push(await done(job));
      }
      const dry = await sent(ids, { validateOnly: true });
      const codes = ({ errors }: Awaited<ReturnType<typeof sent>>) => errors.map(({ code, key }) => [key, code]);
      assert.deepEqual(codes(dry), [
        ['c', 'NODE_NOT_LEAF'],
        ['category Tape->Wide', 'CATEGORY_IN_USE'],
      ]);
      assert.match(String(dry.errors[0]?.message), /take back first what made them, jobs one by one, the newest first/);
      for (const id of ids.reverse()) await reverted([id]);
      assert.deepEqual(await stage(), before);
    });

    async function stage() {
      await untilQuiet(shop);
      await assertConsistent(world.db, shop.siteId);
      await assertDefinitionsAddUp(world.db, shop.siteId);
      await assertChangesAddUp(world.db, shop.siteId);
      return catalogFiles(shop);
    }

    async function done([path, body]: Sent): Promise<string> {
      const { status, body: answer } = await shop.post(path, body, NO_WAIT);
      assert.equal(status, 202, JSON.stringify(answer));
      assert.deepEqual((await shop.outcome(answer.jobId)).errors, []);
      return answer.jobId;
    }

    async function reverted(jobIds: readonly string[], more: object = {}): Promise<string> {
      const { errors, status, id } = await sent(jobIds, more);
      assert.deepEqual([status, errors], ['COMPLETED', []]);
      return id;
    }

    async function sent(jobIds: readonly string[], more: object = {}) {
      const { status, body } = await shop.post('/jobs/actions/revert', { jobIds, ...more }, NO_WAIT);
      assert.equal(status, 202, JSON.stringify(body));
      return shop.outcome(body.jobId);
    }

    async function shown(jobId: string): Promise<string[]> {
      const { data } = await shop.ask('GET', `/jobs/${jobId}/changes?limit=1000&operations=CREATED,UPDATED,DELETED`);
      return data
        .map(({ kind, operation, sku, definition }: Record<string, { id: string }>) =>
          JSON.stringify([kind, operation, sku, definition?.id]),
        )
        .sort();
    }
  });
});
