/** Snapshots that name what the stage does not have, or that their file cannot be. */
import assert from 'node:assert/strict';
import type { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

/** The key of the items. */
const CODE = { name: 'Code', type: 'TEXT', validation: { required: true, unique: true } };
const DELETE = { scope: 'stage', missing: 'delete' };

describe('a snapshot that cannot be', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true });
    shop = await (await world.newShop()).define({
      attributes: ['Title', { name: 'Stock', type: 'INTEGER' }, { name: 'Number', type: 'SERIAL' }, CODE],
      categories: { A: ['Title', 'Stock'] },
      mapping: { sku: 'Code' },
    });
  });
  after(() => world.stop());

  const refusal = async (options: object, over: object = {}) => {
    const body = { fileName: 'x.csv', fileType: 'ITEM_IMPORT', options, ...over };
    const answer = await shop.post('/files/product', body);
    assert.equal(answer.status, 400, answer.text);
    const [problem] = answer.body.errors;
    return `${problem.path}: ${problem.message}`;
  };
  const refused = (snapshot: object) => refusal({ snapshot: { ...DELETE, ...snapshot } });

  it('is refused with the place, and what is there', async () => {
    const set = (attribute: string, value: unknown) => ({ missing: { set: { attribute, value } } });
    const cases: [object, RegExp][] = [
      [
        { scope: { attribute: 'Titel', value: 'x' } },
        /scope\.attribute: there is no attribute "Titel": did you mean "Title"/,
      ],
      [{ scope: { attribute: 'Code', value: 'x' } }, /scope\.attribute: "Code" is the SKU, the key of items/],
      [{ scope: { attribute: 'Stock', value: 'many' } }, /scope\.value: /],
      [{ scope: { category: 'B' } }, /scope\.category: .*"B"/],
      [{ scope: 'site' }, /scope: expected "stage", \{"category"/],
      [{ scope: { category: 'A', value: 'x' } }, /scope\.value: there is no field "value"/],
      [set('Nothing', 1), /missing\.set\.attribute: there is no attribute "Nothing"/],
      [set('Code', 'x'), /missing\.set\.attribute: "Code" is the SKU/],
      [set('Number', 7), /missing\.set\.attribute: "Number" numbers the items/],
      [set('Stock', 'none'), /missing\.set\.value: /],
      [set('Title', ''), /missing\.set\.value: is empty: use "clear"/],
      [{ missing: { clear: ['Title', 'Code'] } }, /missing\.clear\.1: "Code" is the SKU/],
      [{ missing: { clear: [] } }, /missing\.clear: names no attribute/],
      [{ missing: 'archive' }, /missing: expected "delete"/],
      [{ maxMissingPercent: 101 }, /maxMissingPercent: /],
      [{ maxMissingPercent: -1 }, /maxMissingPercent: /],
      [{ maxMissing: 1.5 }, /maxMissing: /],
      [{ minRows: 0 }, /minRows: /],
      [{ most: 1 }, /most/],
    ];
    for (const [given, message] of cases) assert.match(await refused(given), message);
    assert.match(await refusal({ snapshot: { scope: 'stage' } }), /options\.snapshot\.missing/);
  });

  it('is refused for other files, and with the mode update', async () => {
    assert.match(
      await refusal({ snapshot: DELETE, mode: 'update' }),
      /options\.snapshot: needs the mode upsert or insert/,
    );
    for (const fileType of ['ATTRIBUTE_IMPORT', 'CATEGORY_IMPORT']) {
      assert.match(
        await refusal({ snapshot: DELETE }, { fileType }),
        /options\.snapshot: is for files of items and bundles/,
      );
    }
    const archive = { fileType: 'SITE_IMPORT', fileName: 'x.zip' };
    assert.match(await refusal({ snapshot: DELETE }, archive), /options\.snapshot: does not apply to an archive/);
  });

  it('is refused for another stage, whose categories are not those of this one', async () => {
    const body = {
      fileName: 'x.csv',
      fileType: 'ITEM_IMPORT',
      options: { snapshot: { ...DELETE, scope: { category: 'A' } } },
    };
    const { status, body: answer } = await shop.post('/files/product', body, { context: { stage: 'other' } });
    assert.deepEqual([status, answer.errors?.[0]?.path], [400, 'options.snapshot.scope.category']);
  });

  it('is refused when a held file is imported', async () => {
    const file = await shop.hold('SKU,Category Node\na,A\n');
    const wrong = { options: { snapshot: { ...DELETE, scope: { category: 'B' } } } };
    const { status, body } = await shop.importHeld(file, wrong);
    assert.deepEqual([status, body.errors[0].path], [400, 'options.snapshot.scope.category']);
    const update = await shop.importHeld(file, { options: { mode: 'update', snapshot: DELETE } });
    assert.deepEqual([update.status, update.body.errors[0].path], [400, 'options.snapshot']);
    const { status: ended } = await shop.imported(file, { options: { snapshot: DELETE } });
    assert.equal(ended, 'COMPLETED');
  });

  it('rejects its job when its category is gone before the job begins', async () => {
    await shop.category('Gone');
    const options = { snapshot: { ...DELETE, scope: { category: 'Gone' } } };
    const announced = await shop.ask('POST', '/files/product', {
      body: { fileName: 'x.csv', fileType: 'ITEM_IMPORT', options },
    });
    const nodeId = await shop.category('Gone');
    const gone = await shop.call('DELETE', `/api-category/v1/category?nodeId=${nodeId}`);
    assert.ok(gone.status < 300, gone.text);
    await shop.put(announced, 'SKU,Category Node\na,A\n');
    const job = await shop.outcome(announced.jobId);
    assert.deepEqual([job.status, job.reason], ['REJECTED', 'SNAPSHOT_REFUSED']);
    assert.match(job.message, /snapshot\.scope\.category: .*"Gone"/);
  });
});
