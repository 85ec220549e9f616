/** Imports that create what the catalog lacks: definitions and rows are one job. */
import assert from 'node:assert/strict';
import { holdStore } from '../../support/faults/held-store.js';
import type { Shop } from '../../support/http/shop.js';
import { BULK_ONLY, startWorld, type Workers, type World } from '../../support/worlds/world.js';

const CSV = `SKU;Category Node;Title;Price;Colour
a;Fahrräder->E-Bikes;Alpha;1950.27;rot
b;Fahrräder->E-Bikes;Beta;12.5;blau
c;Helme;Gamma;49;rot
`;
const BAD_ROW = 'd;Helme;Delta;cheap;rot\n';
const MISSING = {
  attributes: [
    { name: 'Title', type: 'TEXT' },
    { name: 'Price', type: 'DECIMAL' },
    { name: 'Colour', type: 'OPTIONS', options: ['rot', 'blau'] },
  ],
  options: [],
  categories: ['Fahrräder->E-Bikes', 'Helme'],
  assignments: [
    { category: 'Fahrräder->E-Bikes', attributes: ['Title', 'Price', 'Colour'] },
    { category: 'Helme', attributes: ['Title', 'Price', 'Colour'] },
  ],
};
const ALL = { attributes: true, options: true, categories: true, assignments: true };
const CREATED = { attributes: 3, options: 0, categories: 3, assignments: 6 };
const NONE = { attributes: 0, options: 0, categories: 0, assignments: 0 };

describe('imports that create what is missing', function () {
  this.timeout(60_000);
  let world: World;
  let workers: Workers;
  let shop: Shop;
  before(async () => {
    world = await startWorld();
    workers = await world.startWorkers({}, BULK_ONLY);
  });
  beforeEach(async () => {
    shop = await world.newShop();
  });
  after(() => world.stop());

  const held = (csv = CSV, over: object = {}) => shop.hold(csv, over);
  const start = (file: { readonly id: string }, body: object) => shop.importHeld(file, body);
  /** Imports a file, and returns how its job ended and what it says that it has created. */
  async function imported(csv: string, options: object, missing: object = MISSING, createMissing: object = ALL) {
    const file = await held(csv);
    const outcome = await shop.imported(file, { createMissing, missing, options });
    return { ...outcome, made: (await shop.ask('GET', `/jobs/${file.jobId}`)).created };
  }
  /** Everything that there is in the catalog, with the version of its definitions. */
  async function catalog() {
    const { siteId } = shop;
    const attributes = await world.db('attribute').where({ site_id: siteId }).orderBy('position').pluck('name');
    const categories = await world.db('category').where({ site_id: siteId }).orderBy('node_id').pluck('name');
    const assignments = await world
      .db('category_attribute')
      .whereIn('category_id', world.db('category').where({ site_id: siteId }).select('id'))
      .pluck('attribute_id');
    const items = await world.db('item').where({ site_id: siteId }).orderBy('sku').pluck('sku');
    const { definitions_version: version } = await world.db('site').where({ id: siteId }).first('definitions_version');
    return { attributes, categories, assignments: assignments.length, items, version };
  }
  const WHOLE = {
    attributes: ['Title', 'Price', 'Colour'],
    categories: ['PRIMARY', 'Fahrräder', 'Helme', 'E-Bikes'],
    assignments: 6,
  };

  for (const onError of ['skip', 'abort']) {
    it(`creates definitions and items from an empty catalog with onError ${onError}`, async () => {
      const done = await imported(CSV, { onError });
      assert.deepEqual([done.status, done.created, done.failed], ['COMPLETED', 3, 0], done.message);
      assert.deepEqual(done.made, CREATED);
      const { version: _, ...found } = await catalog();
      assert.deepEqual(found, { ...WHOLE, items: ['a', 'b', 'c'] });
      const row = await world.db('job').where({ id: done.id }).first('options', 'definitions_version', 'shared');
      assert.equal('missing' in row.options, false, 'what was created is not carried on');
      assert.equal(row.shared, false);
    });

    it(`leaves as it is what exists already with onError ${onError}`, async () => {
      await imported(CSV, { onError });
      const before = await catalog();
      const again = await imported(CSV, { onError });
      assert.deepEqual([again.status, again.unchanged, again.made], ['COMPLETED', 3, NONE]);
      assert.deepEqual(await catalog(), before, 'not even the version');
    });

    it(`refuses an attribute that exists with another type with onError ${onError}`, async () => {
      await shop.define({ attributes: ['price'] });
      const before = await catalog();
      const done = await imported(CSV, { onError });
      assert.deepEqual([done.status, done.reason], ['REJECTED', 'DEFINITIONS_NOT_CREATED']);
      assert.match(done.message, /"price" exists already as TEXT.*DECIMAL/);
      assert.equal(done.made, undefined);
      assert.deepEqual(await catalog(), before);
    });
  }

  it('runs alone, inserts too', async () => {
    const file = await held(CSV);
    await start(file, { createMissing: ALL, missing: MISSING, options: { mode: 'insert' } });
    assert.equal((await world.db('job').where({ id: file.jobId }).first('shared')).shared, false);
    assert.equal((await shop.outcome(file.jobId)).created, 3);
  });

  it('keeps the definitions when rows fail under skip', async () => {
    const done = await imported(CSV + BAD_ROW, { onError: 'skip' });
    assert.deepEqual([done.status, done.created, done.failed], ['COMPLETED_PARTIALLY', 3, 1]);
    assert.deepEqual(done.made, CREATED);
    assert.equal((await catalog()).assignments, 6);
  });

  it('leaves nothing of the definitions when a row fails under abort, and creates them in a retry', async () => {
    const before = await catalog();
    const done = await imported(CSV + BAD_ROW, { onError: 'abort' });
    assert.deepEqual([done.status, done.reason, done.failed], ['REJECTED', 'ROWS_FAILED', 1]);
    assert.equal(done.made, undefined);
    assert.deepEqual(await catalog(), before);
    assert.deepEqual(before.categories, []);
    const { status, body } = await shop.call('POST', `/jobs/${done.id}/actions/retry`, { body: {} });
    assert.equal(status, 202, JSON.stringify(body));
    assert.equal((await shop.outcome(body.jobId)).reason, 'ROWS_FAILED', 'its header was understood again');
  });

  const titles = {
    fileType: 'ITEM_IMPORT',
    columns: [
      { to: 'SKU', from: 'Nr' },
      { to: 'Title', from: 'Name' },
    ],
  };
  for (const [what, csv, options, reason] of [
    ['has only a header', 'SKU;Title\n', {}, 'NO_ROWS'],
    ['has a column that nothing is', 'SKU;Title;Size\na;Alpha;1\n', {}, 'UNKNOWN_COLUMN'],
    ['has too many columns', `SKU;Title${';Price'.repeat(9_998)}\na;Alpha\n`, {}, 'TOO_MANY_COLUMNS'],
    ['is cut in the middle of a cell', 'SKU;Title\na;"Alpha\n', {}, 'UNCLOSED_QUOTE'],
    ['lacks a column of its profile', 'Nr;Titel\na;Alpha\n', { profile: titles }, 'MISSING_COLUMN'],
  ] as const) {
    it(`creates nothing for a file that is rejected because it ${what}`, async () => {
      const before = await catalog();
      const file = await held(csv);
      const done = await shop.imported(file, { createMissing: ALL, missing: MISSING, ...options });
      const { created: made } = await shop.ask('GET', `/jobs/${file.jobId}`);
      assert.deepEqual([done.status, done.reason, made], ['REJECTED', reason, undefined], done.message);
      assert.deepEqual(await catalog(), before);
    });
  }

  it('goes by the definitions that it has created, also if others have made some while it read the file', async () => {
    const store = holdStore(world.services.fileStore, 'read', (key) => key.startsWith('uploads/'));
    await workers.stop();
    workers = await world.startWorkers({ fileStore: store.fileStore }, BULK_ONLY);
    const file = await held();
    await start(file, { createMissing: ALL, missing: MISSING });
    await store.reached;
    await shop.category('Fahrräder');
    store.release();
    const done = await shop.outcome(file.jobId);
    assert.deepEqual([done.status, done.created], ['COMPLETED', 3], done.message);
    const { created } = await shop.ask('GET', `/jobs/${file.jobId}`);
    assert.deepEqual(created, { ...CREATED, categories: 2 });
    const { definitions_version: version } = await world.db('job').where({ id: done.id }).first('definitions_version');
    assert.equal(version, (await catalog()).version);
  });

  it('reports in a dry run what it would create, and creates nothing', async () => {
    const before = await catalog();
    const done = await imported(CSV + BAD_ROW, { validateOnly: true });
    assert.deepEqual([done.status, done.created, done.failed], ['COMPLETED', 3, 1], done.message);
    assert.deepEqual(done.made, CREATED);
    assert.deepEqual(await catalog(), before);
    // Other definitions get the version that those of the dry run had: their rules are not taken for these.
    await shop.define({ attributes: ['Title'] });
    await shop.define({ attributes: ['Colour'] });
    assert.equal((await catalog()).version, before.version + 2);
    const other = await shop.importFile('y.csv', 'SKU,Category Node,Price\ny,Helme,1\n');
    assert.equal(other.reason, 'UNKNOWN_COLUMN');
  });

  it('creates only what it is asked for', async () => {
    const categoriesOnly = 'SKU;Category Node\na;Fahrräder->E-Bikes\nb;Helme\n';
    const done = await imported(categoriesOnly, {}, MISSING, { categories: true });
    assert.deepEqual([done.status, done.created, done.made], ['COMPLETED', 2, { ...NONE, categories: 3 }]);
    assert.deepEqual((await catalog()).attributes, []);
    const nothing = await imported(CSV, {}, MISSING, {});
    assert.deepEqual([nothing.reason, nothing.made], ['UNKNOWN_COLUMN', undefined]);
  });

  it('adds options and assignments to what exists', async () => {
    await shop.define({
      attributes: ['Title', { name: 'Price', type: 'DECIMAL' }, { name: 'Colour', type: 'OPTIONS', options: ['rot'] }],
      categories: { Helme: ['Title'] },
    });
    const missing = { ...MISSING, options: [{ attribute: 'colour', values: ['rot', 'blau', 'blau'] }] };
    const done = await imported(CSV, {}, missing);
    assert.deepEqual([done.status, done.created], ['COMPLETED', 3], done.message);
    assert.deepEqual(done.made, { attributes: 0, options: 1, categories: 2, assignments: 5 });
    const [colour] = (await shop.ask('GET', '/api-product/v1/product/attribute?names=Colour')).data;
    assert.deepEqual(colour.options, ['rot', 'blau']);
    // Nothing has become mandatory, so that no status changes.
    assert.equal((await world.db('job').where({ site_id: shop.siteId, kind: 'status' })).length, 0);
  });

  it('refuses what cannot be created, all problems at once', async () => {
    await shop.define({ attributes: ['Title'], categories: { Helme: ['Title'] } });
    await shop.importFile('y.csv', 'SKU,Category Node,Title\ny,Helme,Y\n');
    const unknown = {
      ...MISSING,
      options: [
        { attribute: 'Size', values: ['S'] },
        { attribute: 'Title', values: ['T'] },
      ],
      assignments: [
        { category: 'Schuhe', attributes: ['Title'] },
        { category: 'Helme', attributes: ['Weight'] },
      ],
    };
    for (const options of [{}, { onError: 'abort' }, { validateOnly: true }]) {
      const done = await imported(CSV, options, unknown);
      assert.equal(done.reason, 'DEFINITIONS_NOT_CREATED');
      assert.match(done.message, /"Size": there is no attribute/);
      assert.match(done.message, /"Title": it is TEXT/);
      assert.match(done.message, /no category "Schuhe"/);
      assert.match(done.message, /"Weight" cannot be assigned to "Helme"/);
      const below = await imported(CSV, options, { ...MISSING, categories: ['Helme->Kinder'], assignments: [] });
      assert.equal(below.reason, 'DEFINITIONS_NOT_CREATED', 'a category that holds items gets none below it');
      assert.match(below.message, /Helme/);
    }
    assert.deepEqual((await catalog()).attributes, ['Title']);
  });

  it('refuses definitions that no request could create, by their places', async () => {
    const file = await held();
    const refused = async (missing: object, createMissing: object = ALL): Promise<string> => {
      const { status, body } = await start(file, { createMissing, missing });
      assert.equal(status, 400);
      return JSON.stringify(body);
    };
    assert.match(await refused({ attributes: [{ name: 'SKU', type: 'TEXT' }] }), /missing.attributes.0.name/);
    assert.match(await refused({ attributes: [{ name: 'A', type: 'OPTIONS' }] }), /must name at least one value/);
    assert.match(await refused({ attributes: [{ name: 'A', type: 'TEXT', action: 'DELETE' }] }), /must be CREATE/);
    const twice = [
      { name: 'A', type: 'TEXT' },
      { name: 'a', type: 'URL' },
    ];
    assert.match(await refused({ attributes: twice }), /listed twice/);
    assert.match(await refused({ categories: ['Helme->'] }), /missing.categories.0.*between all arrows/);
    const many = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `A${index}`, type: 'TEXT' }));
    assert.match(await refused({ attributes: many(2_001) }), /2000|2,000/);
    const unsaid = await start(file, { createMissing: ALL });
    assert.equal(unsaid.status, 400);
    assert.match(unsaid.body.message, /createMissing.*`missing`/);

    const categories = await held('Category Path\nA\n', { fileType: 'CATEGORY_IMPORT' });
    const other = await start(categories, { createMissing: ALL, missing: MISSING });
    assert.equal(other.status, 400);
    assert.match(other.body.message, /files of items/);
  });

  it('creates 2,000 attributes for a file of as many columns', async () => {
    const names = Array.from({ length: 1_998 }, (_, index) => `A${index}`);
    const missing = {
      attributes: names.map((name) => ({ name, type: 'TEXT' })),
      categories: ['Wide'],
      assignments: [{ category: 'Wide', attributes: names }],
    };
    const csv = `SKU,Category Node,${names.join()}\na,Wide,${names.join()}\n`;
    for (const onError of ['abort', 'skip']) {
      shop = await world.newShop();
      const done = await imported(csv, { onError }, missing);
      assert.deepEqual([done.status, done.created], ['COMPLETED', 1], done.message);
      assert.deepEqual(done.made, { attributes: 1_998, options: 0, categories: 1, assignments: 1_998 });
    }
  });

  it('does the same in one call, by the options of the announcement', async () => {
    const options = { createMissing: ALL, missing: MISSING };
    const body = { fileName: 'x.csv', fileType: 'ITEM_IMPORT', options };
    const file = await shop.ask('POST', '/files/product', { body });
    assert.equal((await shop.put(file, CSV)).status, 200);
    assert.equal((await shop.outcome(file.jobId)).created, 3);
    const job = await shop.ask('GET', `/jobs/${file.jobId}`);
    assert.deepEqual([job.created, job.options.createMissing], [CREATED, ALL]);
    assert.equal('missing' in job.options, false);
  });
});
