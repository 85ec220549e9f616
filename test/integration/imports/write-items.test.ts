/** Items through COPY and UPDATE into a real Postgres: every character comes back, and a collision undoes itself. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Knex } from 'knex';
import { connectDb, type Db } from '../../../db/connection.js';
import { applyBisecting } from '../../../src/domain/imports/items/apply-bisecting.js';
import type { ReadRow } from '../../../src/domain/imports/items/item-batch.js';
import { DocumentBuffer, ItemDocument } from '../../../src/domain/imports/items/item-document.js';
import { DraftBuilder } from '../../../src/domain/imports/items/read/draft-builder.js';
import { fixedNames } from '../../../src/domain/imports/items/read/item-columns.js';
import { itemElementReader } from '../../../src/domain/imports/items/read/read-item-element.js';
import type { ItemState } from '../../../src/domain/imports/items/resolve/item-state.js';
import { lockItems } from '../../../src/domain/imports/items/resolve/stored-item.js';
import { BEFORE_ROWS, copyNewItems, updateItems } from '../../../src/domain/imports/items/write/write-items.js';
import { FIRST_PASS } from '../../../src/domain/outcomes/model/passes.js';
import { createTestDatabase, type TestDatabase } from '../../support/worlds/test-database.js';
import { idOf, rulesOf } from '../../unit/domain/imports/items/rules-fixture.js';

const SITE = 7;

function item(sku: string, attributes: object = {}, fields: Partial<ItemState> = {}): ItemState {
  const document = ItemDocument.ofObject(attributes);
  const plain = {
    type: 'I',
    nodeId: 3,
    status: 'L',
    parentSku: null,
    channels: null,
    place: null,
    components: null,
  } as const;
  return { sku, ...plain, document, extra: '', hash: 1, ...fields };
}

describe('items written to Postgres', () => {
  let database: TestDatabase;
  let db: Db;
  before(async () => {
    database = await createTestDatabase();
    db = connectDb({ url: database.url, poolMax: 3, name: 'test' });
  });
  after(async () => {
    await db.destroy();
    await database.drop();
  });
  afterEach(() => db('item').delete());

  const stored = (): Promise<Record<string, unknown>[]> =>
    db('item')
      .where({ site_id: SITE })
      .orderBy('sku')
      .select('sku', 'node_id', 'status', 'parent_sku', 'channels', 'attributes', 'source_hash');
  const copy = (items: ItemState[]) => db.transaction((trx) => copyNewItems(trx, [{ siteId: SITE, items: items }]));
  const update = (changed: ItemState) =>
    db.transaction(async (trx) => {
      const [stored] = await lockItems(trx, [{ siteId: SITE, skus: [changed.sku] }]);
      const place = stored?.get(changed.sku)?.place ?? null;
      await updateItems(trx, [{ ...changed, place }]);
    });

  it('COPY: keeps every field', async () => {
    await copy([
      item(
        'b',
        { x: 'text', n: 1.5, f: false },
        { nodeId: 9, status: 'D', parentSku: 'a', channels: [1, 20], hash: 2 ** 53 - 1 },
      ),
      item('a'),
    ]);
    assert.deepEqual(await stored(), [
      { sku: 'a', node_id: 3, status: 'L', parent_sku: null, channels: null, attributes: {}, source_hash: 1 },
      {
        sku: 'b',
        node_id: 9,
        status: 'D',
        parent_sku: 'a',
        channels: [1, 20],
        attributes: { x: 'text', n: 1.5, f: false },
        source_hash: 2 ** 53 - 1,
      },
    ]);
  });

  it('COPY: further members join the document, be it empty or not', async () => {
    await copy([item('a', {}, { extra: '"n":5' }), item('b', { x: 'y' }, { extra: '"n":6,"m":7' })]);
    assert.deepEqual(
      (await stored()).map(({ attributes }) => attributes),
      [{ n: 5 }, { x: 'y', n: 6, m: 7 }],
    );
  });

  it('COPY: memory that is used again never changes rows that are still on their way', async () => {
    const lengths = [62_000, 3, 200_000, 5_000, 63_000, 70_000, 6_000];
    const textOf = (sku: string) => sku.repeat(Math.ceil((lengths[Number(sku.slice(1)) % 7] ?? 0) / sku.length));
    const skusOf = (letter: string) => Array.from({ length: 250 }, (_, index) => `${letter}${1_000 + index}`);
    await Promise.all(['a', 'b'].map((letter) => copy(skusOf(letter).map((sku) => item(sku, { text: textOf(sku) })))));
    const rows = await stored();
    assert.equal(rows.length, 500);
    for (const { sku, attributes } of rows) assert.ok((attributes as { text: string }).text === textOf(String(sku)));
  });

  it('COPY: every character of a key and of a text comes back', async () => {
    const unit = fc.oneof(
      fc.constantFrom(
        '\\',
        '\\N',
        '\\.',
        '\n',
        '\r',
        '\t',
        '"',
        "'",
        '\b',
        '\v',
        '\f',
        '\u0001',
        '\u001f',
        '\u007f',
        '{',
        '}',
        ',',
        'N',
        '\u2028',
      ),
      fc
        .string({ unit: 'grapheme', minLength: 1, maxLength: 2 })
        .filter((text) => text.isWellFormed() && !text.includes('\u0000')),
    );
    const text = fc.array(unit, { maxLength: 8 }).map((parts) => parts.join(''));
    const row = fc.record({ sku: text, parent: text, value: text });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(row, { selector: ({ sku }) => sku, minLength: 1, maxLength: 20 }),
        async (rows) => {
          await db('item').delete();
          await copy(rows.map(({ sku, parent, value }) => item(sku, { [value]: value }, { parentSku: parent })));
          const found = new Map((await stored()).map((one) => [one.sku, one]));
          assert.equal(found.size, rows.length);
          for (const { sku, parent, value } of rows) {
            assert.deepEqual(found.get(sku)?.attributes, { [value]: value });
            assert.equal(found.get(sku)?.parent_sku, parent);
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  it('COPY: rows longer than a piece, and many of them', async () => {
    const long = 'ä\\"\n'.repeat(20_000);
    const items = Array.from({ length: 2_000 }, (_, index) =>
      item(`s${index}`, { t: index % 500 === 0 ? long : `t${index}` }),
    );
    assert.equal(await copy(items), true);
    const rows = await stored();
    assert.equal(rows.length, 2_000);
    assert.deepEqual(rows.find(({ sku }) => sku === 's500')?.attributes, { t: long });
    assert.deepEqual(rows.find(({ sku }) => sku === 's501')?.attributes, { t: 't501' });
  });

  it('COPY: a key that exists undoes all since the savepoint, and leaves the transaction whole', async () => {
    await copy([item('b', { old: true })]);
    await db.transaction(async (trx) => {
      await trx.raw(`SAVEPOINT ${BEFORE_ROWS}`);
      await copyNewItems(trx, [{ siteId: SITE, items: [item('d')] }]);
      assert.equal(await copyNewItems(trx, [{ siteId: SITE, items: [item('a'), item('b'), item('c')] }]), false);
      assert.equal(await copyNewItems(trx, [{ siteId: SITE, items: [item('c')] }]), true);
    });
    assert.deepEqual(
      (await stored()).map(({ sku, attributes }) => [sku, attributes]),
      [
        ['b', { old: true }],
        ['c', {}],
      ],
    );
  });

  it('UPDATE: rewrites what is named, of this site alone', async () => {
    await copy([item('a', { t: '1' }), item('b', { t: '2' })]);
    await db.transaction((trx) => copyNewItems(trx, [{ siteId: SITE + 1, items: [item('a', { t: 'other' })] }]));
    const changed = item(
      'a',
      { t: 'x\\y"\n\u2028' },
      { nodeId: 5, status: 'D', parentSku: 'p\\', channels: [2], hash: 9 },
    );
    await update(changed);
    assert.deepEqual(await stored(), [
      {
        sku: 'a',
        node_id: 5,
        status: 'D',
        parent_sku: 'p\\',
        channels: [2],
        attributes: { t: 'x\\y"\n\u2028' },
        source_hash: 9,
      },
      { sku: 'b', node_id: 3, status: 'L', parent_sku: null, channels: null, attributes: { t: '2' }, source_hash: 1 },
    ]);
    const other = await db('item')
      .where({ site_id: SITE + 1 })
      .first();
    assert.deepEqual([other.attributes, other.node_id], [{ t: 'other' }, 3]);
    await update(item('a', {}, { channels: null }));
    assert.equal((await stored())[0]?.channels, null);
  });

  it('UPDATE: says so when an item is not where it was locked', async () => {
    await copy([item('a')]);
    const elsewhere = { ...item('a', { t: 'lost' }), place: '(9,9)' };
    await assert.rejects(
      db.transaction((trx) => updateItems(trx, [elsewhere])),
      /0 of 1 locked items/,
    );
  });

  describe('when Postgres refuses a value that every check let through', () => {
    const rules = rulesOf({ attributes: [{ name: 'Title' }], categories: { Disk: ['Title'] } });
    const read = itemElementReader(new DraftBuilder(rules), 0);
    const rowOf = (row: number, title: string): ReadRow => {
      const element = { sku: `s${row}`, nodeName: 'Disk', attributes: { Title: title } };
      const outcome = read({ row, text: '', element, problem: null });
      if (outcome.draft === null || title !== 'bad') return { row, outcome };
      // What no reader writes: an escape that jsonb has no character for.
      const buffer = new DocumentBuffer();
      buffer.append(`"${idOf(0)}":"\\u0000"`);
      const document = new ItemDocument(buffer, 0, buffer.length);
      return { row, outcome: { ...outcome, draft: { ...outcome.draft, document } } };
    };
    const apply = (trx: Knex.Transaction, rows: ReadRow[]) =>
      applyBisecting(trx, rows, {
        siteId: SITE,
        rules,
        mode: 'upsert',
        channel: null,
        duplicates: new Map(),
        siteWasEmpty: false,
        guarded: true,
        reserved: {},
        pass: FIRST_PASS,
        jobId: 'job',
        names: fixedNames(null),
      });

    it('only the rows at fault fail, and the others are written', async () => {
      const bad = new Set([1, 6, 7, 13]);
      const rows = Array.from({ length: 13 }, (_, index) => rowOf(index + 1, bad.has(index + 1) ? 'bad' : 'good'));
      const result = await db.transaction((trx) => apply(trx, rows));
      assert.equal(result.outcomes.join(''), 'ecccceeccccce');
      assert.deepEqual(
        result.failures.map(({ row, key, problems }) => [row, key, problems[0]?.code]),
        [...bad].map((row) => [row, `s${row}`, 'INVALID_TEXT']),
      );
      assert.match(result.failures[0]?.problems[0]?.message ?? '', /the database refused the row/);
      assert.equal((await stored()).length, 9);
    });

    it('an error that is not of the data is not swallowed', async () => {
      await assert.rejects(
        db.transaction(async (trx) => {
          await trx.raw('SET LOCAL transaction_read_only = on');
          return apply(trx, [rowOf(1, 'good'), rowOf(2, 'good')]);
        }),
        /read-only/,
      );
    });
  });
});
