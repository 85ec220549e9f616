/** Every code that a row of attributes can fail with, in JSON and in CSV. */
import assert from 'node:assert/strict';
import type { RowCode } from '../../../src/domain/kernel/row-problem.js';
import { type Outcome, places, type Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

interface BadAttribute {
  readonly code: RowCode;
  readonly message: RegExp;
  readonly json?: { readonly element: unknown; readonly path: string | null };
  readonly csv?: {
    readonly mode?: string;
    readonly cells: Readonly<Record<string, string>>;
    readonly column: string | null;
  };
}

const TITLE = 'Attribute Title';
const TYPE = 'Type of Attribute';
const text = (name: string) => ({ name, type: 'TEXT' });

const BAD_ATTRIBUTES: Readonly<Record<string, BadAttribute>> = {
  'no name': {
    code: 'NAME_REQUIRED',
    message: /no name; every attribute needs one/,
    json: { element: { type: 'TEXT' }, path: 'name' },
    csv: { cells: { [TITLE]: '', [TYPE]: 'SHORT TEXT' }, column: TITLE },
  },
  'a name of blanks': {
    code: 'NAME_REQUIRED',
    message: /no name/,
    json: { element: text('  '), path: 'name' },
    csv: { cells: { [TITLE]: '  ', [TYPE]: 'SHORT TEXT' }, column: TITLE },
  },
  'a reserved name': {
    code: 'NAME_RESERVED',
    message: /"category node" is a fixed column of item files/,
    json: { element: text('category node'), path: 'name' },
    csv: { cells: { [TITLE]: 'category node', [TYPE]: 'SHORT TEXT' }, column: TITLE },
  },
  'a name that begins with _': {
    code: 'NAME_RESERVED',
    message: /begins with "_"/,
    json: { element: text('_x'), path: 'name' },
    csv: { cells: { [TITLE]: '_x', [TYPE]: 'SHORT TEXT' }, column: TITLE },
  },
  'a name of 256 characters': {
    code: 'FIELD_INVALID',
    message: /256 characters; at most 255/,
    json: { element: text('x'.repeat(256)), path: 'name' },
    csv: { cells: { [TITLE]: 'x'.repeat(256), [TYPE]: 'SHORT TEXT' }, column: TITLE },
  },
  'a name with a control character': {
    code: 'INVALID_TEXT',
    message: /control character/,
    json: { element: text('a\u0000b'), path: 'name' },
    csv: { cells: { [TITLE]: 'a\u0000b', [TYPE]: 'SHORT TEXT' }, column: TITLE },
  },
  'a name that exists, inserted': {
    code: 'NAME_EXISTS',
    message: /"Colour" exists already: use the mode upsert or update/,
    csv: { mode: 'insert', cells: { [TITLE]: 'COLOUR', [TYPE]: 'SHORT TEXT' }, column: TITLE },
  },
  'no type': {
    code: 'TYPE_REQUIRED',
    message: /needs (one|a type)/,
    json: { element: { name: 'new' }, path: 'type' },
    csv: { cells: { [TITLE]: 'new', [TYPE]: '' }, column: TYPE },
  },
  'an unknown type': {
    code: 'FIELD_INVALID',
    message: /did you mean (TEXT|BOOLEAN)/,
    json: { element: { name: 'new', type: 'TEX' }, path: 'type' },
    csv: { cells: { [TITLE]: 'new', [TYPE]: 'BOOLEA' }, column: TYPE },
  },
  'another type while items hold a value': {
    code: 'TYPE_IN_USE',
    message: /"Colour" is TEXT and cannot become INTEGER|BOOLEAN: 2 items hold a value/,
    json: { element: { name: 'Colour', type: 'INTEGER' }, path: 'type' },
    csv: { cells: { [TITLE]: 'Colour', [TYPE]: 'BOOLEAN' }, column: TYPE },
  },
  'a deletion while items hold a value': {
    code: 'ATTRIBUTE_IN_USE',
    message: /"Colour" is in use: 2 items hold a value/,
    json: { element: { action: 'DELETE', name: 'Colour' }, path: 'name' },
  },
  'a deletion of a mapped attribute': {
    code: 'ATTRIBUTE_IN_USE',
    message: /"Headline" is mapped to "title"/,
    json: { element: { action: 'DELETE', name: 'Headline' }, path: 'name' },
  },
  'an unknown attribute, updated': {
    code: 'ATTRIBUTE_NOT_FOUND',
    message: /no attribute called "Colou": did you mean "Colour"\?/,
    json: { element: { action: 'UPDATE', name: 'Colou', description: 'x' }, path: 'name' },
    csv: { mode: 'update', cells: { [TITLE]: 'Colou', Description: 'x' }, column: TITLE },
  },
  'an unknown id': {
    code: 'ATTRIBUTE_NOT_FOUND',
    message: /no attribute with the id 0{24}/,
    json: { element: { action: 'UPDATE', id: '0'.repeat(24), description: 'x' }, path: 'id' },
  },
  'a formula': {
    code: 'FORMULA_NOT_SUPPORTED',
    message: /not supported/,
    json: { element: { ...text('new'), formula: '=A+B' }, path: 'formula' },
    csv: { cells: { [TITLE]: 'new', [TYPE]: 'NUMBER', 'Calculation Formula': '=A+B' }, column: 'Calculation Formula' },
  },
  'a rule of another type': {
    code: 'FIELD_INVALID',
    message: /belongs to TEXT attributes; this one is (INTEGER|BOOLEAN)/,
    json: { element: { name: 'new', type: 'INTEGER', validation: { pattern: 'x' } }, path: 'validation.pattern' },
    csv: { cells: { [TITLE]: 'new', [TYPE]: 'BOOLEAN', Pattern: 'x' }, column: 'Pattern' },
  },
  'a range whose ends are swapped': {
    code: 'FIELD_INVALID',
    message: /5.*1|1.*5/,
    json: {
      element: { name: 'new', type: 'DECIMAL', validation: { range: { min: 5, max: 1 } } },
      path: 'validation.range',
    },
    csv: { cells: { [TITLE]: 'new', [TYPE]: 'NUMBER', Min: '5', Max: '1' }, column: 'Min' },
  },
  'an unknown field': {
    code: 'FIELD_INVALID',
    message: /is not a known field: did you mean "type"\?/,
    json: { element: { name: 'new', typ: 'TEXT' }, path: 'typ' },
  },
  'an element that is no object': {
    code: 'ROW_NOT_OBJECT',
    message: /the element is the number 5/,
    json: { element: 5, path: null },
  },
  'a row with too many cells': {
    code: 'ROW_FIELD_COUNT',
    message: /Row 3 has 3 cells, but the header has 2/,
    csv: { cells: { [TITLE]: 'new', [TYPE]: 'SHORT TEXT","surplus' }, column: null },
  },
};

describe('the codes of attribute rows', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true });
    shop = await (await world.newShop()).define({
      attributes: ['Colour', 'Headline', 'Spare'],
      categories: { Disk: ['Colour'] },
      mapping: { title: 'Headline' },
    });
    await shop.bulk(
      'insert',
      ['a', 'b'].map((sku) => ({ sku, nodeName: 'Disk', attributes: { Colour: 'red' } })),
    );
  });
  after(() => world.stop());

  const importRows = (content: string, options = {}): Promise<Outcome> =>
    shop.importFile('attributes.csv', content, options, { type: 'ATTRIBUTE_IMPORT' });
  const names = async () =>
    (await shop.ask('GET', '/api-product/v1/product/attribute?limit=100')).data.map(
      ({ name }: { name: string }) => name,
    );

  for (const [what, { json, code, message }] of Object.entries(BAD_ATTRIBUTES)) {
    if (json === undefined) continue;
    it(`JSON: ${what} is ${code}`, async () => {
      const { status, body } = await shop.bulkAttributes([text('Spare'), json.element]);
      assert.equal(status, 200);
      const [{ index, errors }] = body.attributes.failed;
      assert.deepEqual([index, errors[0].code, errors[0].path], [1, code, json.path], JSON.stringify(errors));
      assert.match(errors[0].message, message);
      assert.equal(body.attributes.success[0].message, 'unchanged');
      const [error] = await shop.errors(body.jobId);
      assert.deepEqual([error?.row, error?.column, error?.code], [2, json.path, code]);
    });
  }

  for (const [what, { csv, code, message }] of Object.entries(BAD_ATTRIBUTES)) {
    if (csv === undefined) continue;
    it(`CSV: ${what} is ${code}`, async () => {
      const headers = Object.keys(csv.cells);
      const quoted = (cells: string[]) => cells.map((cell) => `"${cell}"`).join(',');
      const other = headers.map((header) =>
        header === TITLE ? (csv.mode === 'insert' ? 'Fresh' : 'Spare') : header === TYPE ? 'SHORT TEXT' : '',
      );
      const content = [quoted(headers), quoted(other), quoted(Object.values(csv.cells))].join('\n');
      const outcome = await importRows(content, csv.mode === undefined ? {} : { mode: csv.mode });
      assert.deepEqual(places(outcome), [[3, csv.column, code]], JSON.stringify(outcome));
      assert.match(outcome.errors[0]?.message ?? '', message);
      assert.deepEqual([outcome.total, outcome.failed], [2, 1]);
    });
  }

  it('CSV: a name twice is NAME_DUPLICATE_IN_REQUEST, whatever its case; the last stands', async () => {
    const rows = `${TITLE},${TYPE},Description\nTwice,SHORT TEXT,first\nOther,NUMBER,x\n tWICE,LONG TEXT,last\n`;
    const outcome = await importRows(rows);
    assert.deepEqual(places(outcome), [[2, TITLE, 'NAME_DUPLICATE_IN_REQUEST']]);
    assert.match(outcome.errors[0]?.message ?? '', /row 4/);
    const { data } = await shop.ask('GET', '/api-product/v1/product/attribute?names=twice');
    assert.deepEqual([data[0].name, data[0].description], ['tWICE', 'last']);
  });

  it('JSON: a request is read in order, so that an attribute may be made, changed and deleted in one', async () => {
    const { body } = await shop.bulkAttributes([
      text('Made'),
      { action: 'UPDATE', name: 'made', description: 'changed' },
      { action: 'DELETE', name: 'MADE' },
    ]);
    assert.deepEqual(
      body.attributes.success.map(({ message }: { message: string }) => message),
      ['created', 'updated', 'deleted'],
    );
    assert.ok(!(await names()).includes('Made'));
  });

  it('JSON: a name twice with one action is NAME_DUPLICATE_IN_REQUEST, as in a file; the last stands', async () => {
    const { body } = await shop.bulkAttributes([
      { ...text('Repeated'), description: 'first' },
      { action: 'UPDATE', name: 'repeated', description: 'changed' },
      { ...text(' rePeated '), action: 'CREATE', description: 'last' },
      { action: 'UPDATE', name: 'Other', description: 'twice' },
      { action: 'UPDATE', name: 'other', description: 'thrice' },
    ]);
    const failed = body.attributes.failed.map(({ index, errors }: { index: number; errors: { code: string }[] }) => [
      ...[index, errors[0]?.code],
    ]);
    // The second element finds no attribute: that of the first was not created.
    assert.deepEqual(failed, [
      [0, 'NAME_DUPLICATE_IN_REQUEST'],
      [1, 'ATTRIBUTE_NOT_FOUND'],
      [3, 'NAME_DUPLICATE_IN_REQUEST'],
    ]);
    const { data } = await shop.ask('GET', '/api-product/v1/product/attribute?limit=100');
    const found = data.filter(({ name }: { name: string }) => name === 'rePeated');
    assert.deepEqual(found[0]?.description, 'last');
    const file = await shop.importFile(
      'a.json',
      JSON.stringify([text('Twice there'), text('TWICE there')]),
      {},
      { type: 'ATTRIBUTE_IMPORT' },
    );
    assert.deepEqual(
      places(file).map(([row, , code]) => [row, code]),
      [[1, 'NAME_DUPLICATE_IN_REQUEST']],
    );
  });

  it('JSON: an attribute that is named by its id is told by its id', async () => {
    const { body: made } = await shop.bulkAttributes([text('Known')]);
    const { id } = made.attributes.success[0];
    const { body } = await shop.bulkAttributes([
      { action: 'UPDATE', id, description: 'x' },
      { action: 'UPDATE', id, name: 'Renamed' },
      { action: 'DELETE', id },
    ]);
    assert.deepEqual(
      body.attributes.success.map(({ id: told, message }: { id: string; message: string }) => [told, message]),
      [
        [id, 'updated'],
        [id, 'updated'],
        [id, 'deleted'],
      ],
    );
  });

  it('the error file of attributes, mended, goes in with no errors left', async () => {
    const outcome = await importRows(`${TITLE},${TYPE}\nGood,NUMBER\nBad,NUMBR\n,BOOLEAN\n`);
    assert.equal(outcome.failed, 2);
    const { bytes } = await shop.download(outcome.errorFile ?? '');
    const corrected = bytes
      .toString()
      .replace('Bad,NUMBR', 'Bad,NUMBER')
      .replace(/^,BOOLEAN/m, 'Flag,BOOLEAN');
    const again = await importRows(corrected);
    assert.deepEqual([again.status, again.created], ['COMPLETED', 2]);
    const made = (await names()).filter((name: string) => ['Bad', 'Flag', 'Good'].includes(name));
    assert.deepEqual(made.sort(), ['Bad', 'Flag', 'Good']);
  });

  it('a header that is not one of attributes refuses the file', async () => {
    const unknown = await importRows(`${TITLE},Typ of Attribute\nx,y\n`);
    assert.deepEqual([unknown.status, unknown.reason], ['REJECTED', 'UNKNOWN_COLUMN']);
    assert.match(unknown.message, /did you mean "Type of Attribute"\?/);
    const nameless = await importRows(`${TYPE}\nNUMBER\n`);
    assert.equal(nameless.reason, 'MISSING_COLUMN');
    const repeated = await importRows(`${TITLE},value 1,VALUE 1\nx,1,2\n`);
    assert.equal(repeated.reason, 'DUPLICATE_COLUMN');
  });
});
