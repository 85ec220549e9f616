/** Files of what jobs have changed of definitions, or would change: definitions first, one row for each property. */
import assert from 'node:assert/strict';
import { requireSheetHolds } from '../../../src/domain/catalog/items/change-rows.js';
import type { Answer } from '../../support/http/call-api.js';
import type { Shop } from '../../support/http/shop.js';
import { cellsOf } from '../../support/models/written-workbook.js';
import { startWorld, type World } from '../../support/worlds/world.js';

type Body = Answer['body'];
const WAIT = { headers: { prefer: 'wait=25' } };
const ATTRIBUTES = '/api-product/v1/product/attribute/bulk';
const CATEGORIES = '/api-category/v1/category/bulk/upsert';

describe('a file of what a job has changed of definitions', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await (await world.newShop()).define({
      attributes: ['Title', { name: 'Colour', type: 'OPTIONS', options: ['red', 'blue'] }],
      categories: { 'Paper->A4': ['Title'] },
    });
  });

  const jobOf = async (path: string, body: unknown): Promise<string> => {
    const { jobId } = (await shop.post(path, body, { headers: { prefer: 'wait=0' } })).body;
    const { failed } = await shop.outcome(jobId);
    assert.equal(failed, 0);
    return jobId;
  };
  const file = async (jobId: string, query = ''): Promise<string> => {
    const { status, text } = await shop.get(`/jobs/${jobId}/changes/download?${query}`);
    assert.equal(status, 200, text);
    return text.replace('\uFEFF', '');
  };
  const lines = (text: string): Body[] =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

  it('has a row for each property that differs, of a dry run as of a job', async () => {
    const rows = [{ action: 'UPDATE', name: 'Colour', options: ['red', 'blue', 'green'], description: '=1+1' }];
    const expected = [
      'Kind,Definition,SKU,Operation,Row,Attribute,Before,After',
      "attribute,Colour,,UPDATED,,description,,'=1+1",
      'attribute,Colour,,UPDATED,,options,"[""red"",""blue""]","[""red"",""blue"",""green""]"',
    ];
    const dry = await jobOf(`${ATTRIBUTES}?validateOnly=true`, rows);
    assert.equal(await file(dry), `${expected.join('\n')}\n`);
    assert.equal(await file(await jobOf(ATTRIBUTES, rows)), `${expected.join('\n')}\n`);
  });

  it('calls categories and assignments by paths and names, also those that are gone, and is JSON Lines as well', async () => {
    const jobId = await jobOf(CATEGORIES, [
      { path: 'Paper->A5', order: 3, itemAttributes: [{ name: 'Colour', mandatory: true }] },
    ]);
    const made = lines(await file(jobId, 'format=JSONL'));
    const named = made.map(({ kind, definition, operation }) => [kind, definition, operation]);
    assert.deepEqual(
      [...new Set(named.map((one) => one.join(' ')))],
      ['category Paper->A5 CREATED', 'assignment Colour to Paper->A5 CREATED'],
    );
    const mandatory = { kind: 'assignment', definition: 'Colour to Paper->A5', operation: 'CREATED' };
    assert.deepEqual(
      made.find(({ property }) => property === 'mandatory'),
      { ...mandatory, property: 'mandatory', after: true },
    );
    assert.deepEqual(
      lines(await file(jobId, 'format=JSONL&types=assignment')),
      made.filter(({ kind }) => kind === 'assignment'),
    );
    const undone = await shop.post(`/jobs/${jobId}/actions/revert`, {}, WAIT);
    assert.equal(undone.body.status, 'COMPLETED', undone.text);
    const gone = lines(await file(undone.body.id, 'format=JSONL'));
    assert.deepEqual(
      [...new Set(gone.map(({ kind, definition, operation }) => `${kind} ${definition} ${operation}`))].sort(),
      ['assignment Colour to Paper->A5 DELETED', 'category Paper->A5 DELETED'],
    );
    const { data } = await shop.ask('GET', `/jobs/${jobId}/changes`);
    assert.deepEqual(
      data.map(({ definition }: Body) => definition.name),
      ['Paper->A5', 'Colour to Paper->A5'],
    );
  });

  it('has definitions before items, whose columns stay, of a comparison of stages', async () => {
    await shop.bulk('insert', [{ sku: 'a', nodeName: 'Paper->A4', attributes: { Title: 'One' } }]);
    await shop.ask('POST', ATTRIBUTES, {
      body: [{ name: 'Weight', type: 'INTEGER' }],
      ...WAIT,
      context: { stage: 'new' },
    });
    const compared = await shop.post(
      '/jobs/site/actions/compare',
      { with: 'production' },
      { ...WAIT, context: { stage: 'new' } },
    );
    const { id } = compared.body;
    const { text } = await shop.get(`/jobs/${id}/changes/download`, { context: { stage: 'new' } });
    const [header, ...rows] = text.replace('\uFEFF', '').trim().split('\n');
    assert.equal(header, 'Kind,Definition,SKU,Operation,Row,Attribute,Before,After');
    const kinds = rows.map((row) => row.split(',')[0]);
    assert.deepEqual([...new Set(kinds)], ['attribute', 'category', 'assignment', 'item']);
    assert.ok(
      rows.some((row) => row.startsWith('category,Paper->A4,,CREATED,,name,,A4')),
      text,
    );
    assert.ok(
      rows.some((row) => row.startsWith('assignment,Title to Paper->A4,,CREATED')),
      text,
    );
    assert.match(rows.at(-1) ?? '', /^item,,a,CREATED,\d+,,,$/);
  });

  it('is a workbook too, whose rows are counted before, and whose cells hold what a cell can hold', async () => {
    const options = Array.from({ length: 4_000 }, (_, n) => `option ${n}`);
    const jobId = await jobOf(ATTRIBUTES, [{ name: 'Many', type: 'OPTIONS', options }]);
    const count = lines(await file(jobId, 'format=JSONL')).length;
    await requireSheetHolds(world.db, shop.siteId, jobId, {}, count);
    await assert.rejects(requireSheetHolds(world.db, shop.siteId, jobId, {}, count - 1), { code: 'TOO_MANY_ROWS' });
    const headers = { accept: '*/*' };
    const { status, bytes } = await shop.get(`/jobs/${jobId}/changes/download?format=XLSX`, { headers });
    assert.equal(status, 200);
    const sheet = await cellsOf(bytes);
    assert.equal(sheet.length, count + 1);
    const cell = sheet.find((row) => row[5] === 'options')?.[7] ?? '';
    assert.equal(cell.length, 32_767);
    assert.match(cell, /^\["option 0".* … \(cut: CSV and JSONL have all of it\)$/);
    assert.deepEqual(
      lines(await file(jobId, 'format=JSONL')).find(({ property }) => property === 'options').after,
      options,
    );
  });

  it('has none of them where attributes of items or an item are asked for, and no columns for them', async () => {
    await shop.ask('POST', ATTRIBUTES, { body: [{ name: 'Colour', action: 'UPDATE', description: 'x' }], ...WAIT });
    const jobId = await jobOf(ATTRIBUTES, [{ name: 'Colour', action: 'UPDATE', description: 'y' }]);
    const header = 'SKU,Operation,Row,Attribute,Before,After\n';
    assert.equal(await file(jobId, 'types=item'), header);
    assert.equal(await file(jobId, 'attributes=Title'), header);
    assert.equal(await file(jobId, 'sku=a'), header);
    assert.match(await file(jobId, 'types=attribute'), /description,x,y\n$/);
    assert.equal(await file(jobId, 'operations=DELETED'), header);
  });
});
