/** The two readers of the rows of JSON: whatever stands in a line, both give the same drafts, keys and problems. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { jsonRows } from '../../../../../src/domain/formats/json/json-rows.js';
import { FastJsonReader } from '../../../../../src/domain/imports/items/fast/json-reader.js';
import type { ReadRow } from '../../../../../src/domain/imports/items/item-batch.js';
import { DraftBuilder } from '../../../../../src/domain/imports/items/read/draft-builder.js';
import { itemLineReader } from '../../../../../src/domain/imports/items/read/read-item-line.js';
import type { RowReaderName } from '../../../../../src/domain/imports/rows/row-applier.js';
import { runsOf } from '../../../../support/models/property-runs.js';
import { ATTRIBUTES, everything, readAll, rules, SEED, TRICKY, told } from './row-reader-fixture.js';

function read(name: RowReaderName, bytes: Buffer): ReadRow[] {
  const source = { bytes, firstRow: 1 };
  return readAll(name, { format: 'JSON', rows: jsonRows(bytes, source), source }, null);
}

/** What the fast reader makes of the lines, and how many of them it left to the reader of elements. */
function readFast(bytes: Buffer): { rows: ReadRow[]; odd: number } {
  let odd = 0;
  const builder = new DraftBuilder(rules);
  const readLine = itemLineReader(builder, SEED);
  const reader = new FastJsonReader({ bytes, firstRow: 1 }, builder, SEED, (row) => {
    odd++;
    return readLine(row);
  });
  const rows: ReadRow[] = [];
  while (reader.readSome(rows, 3));
  return { rows, odd };
}

const assertAlike = (text: string) => {
  const bytes = Buffer.from(text.toWellFormed());
  const source = { bytes, firstRow: 1 };
  const all = (name: RowReaderName) =>
    everything(name, { format: 'JSON', rows: jsonRows(bytes, source), source }, null);
  assert.deepEqual(all('fast'), all('plain'), text);
};

const text = fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...TRICKY) }, { weight: 1, arbitrary: fc.string() });
const space = fc.constantFrom('', '', '', ' ', '\t', '  ', '\r');
/** JSON texts of values, and what is nearly one. */
const value = fc.oneof(
  { weight: 6, arbitrary: text.map((given) => JSON.stringify(given)) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(...TRICKY.filter((given) => /^[-\d.tfn]/.test(given)), 'null', '1.50', '-0.0'),
  },
  { weight: 1, arbitrary: fc.double().map((given) => JSON.stringify(given)) },
  { weight: 1, arbitrary: fc.constantFrom('{}', '[1]', '"\\u00fc"', '"\\ud800"', '"a\\"b"', 'nul', '"open', '1e2') },
);
const name = fc.constantFrom(
  ...ATTRIBUTES.map((attribute) => attribute.name),
  'title',
  ' Title',
  'Nothing',
  '__proto__',
);
const members = fc
  .array(fc.tuple(name, value, space, space), { maxLength: 6 })
  .map((all) => `{${all.map(([key, one, a, b]) => `${a}${JSON.stringify(key)}${b}:${a}${one}${b}`).join(',')}}`);
const field = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constant('attributes'), members) },
  {
    weight: 3,
    arbitrary: fc.tuple(
      fc.constant('nodeName'),
      text.map((given) => JSON.stringify(given)),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom('nodeId', 'parentSku', '_note', 'detach', 'type', 'sku', 'Sku'), value),
  },
);
const line = fc
  .tuple(fc.array(field, { maxLength: 3 }), text, fc.boolean(), space, fc.constantFrom('', '', '', ',', '}', 'x'))
  .map(([fields, sku, last, gap, tail]) => {
    const own = ['sku', JSON.stringify(sku === '' ? 'S' : sku)] as const;
    const all = last ? [...fields, own] : [own, ...fields];
    return `${gap}{${all.map(([key, given]) => `${gap}"${key}":${given}`).join(`${gap},`)}}${gap}${tail}`;
  });
const file = fc
  .array(
    fc.oneof({ weight: 8, arbitrary: line }, { weight: 1, arbitrary: fc.constantFrom('', '  ', '[]', 'x', '{}') }),
    {
      minLength: 1,
      maxLength: 8,
    },
  )
  .chain((lines) => fc.constantFrom('\n', '\r\n').map((end) => lines.join(end)));

describe('the readers of JSON rows', () => {
  it('agree on any file', () => {
    fc.assert(fc.property(file, assertAlike), { numRuns: runsOf(3_000) });
  });

  it('agree on every tricky value of every attribute', () => {
    for (const { name: attribute } of ATTRIBUTES) {
      for (const given of TRICKY) {
        const start = `{"sku":"S1","nodeName":"Shirts","attributes":{${JSON.stringify(attribute)}:`;
        assertAlike(`${start}${JSON.stringify(given)}}}\n${start}${given}}}`);
      }
    }
  });

  it('agree on attributes in whatever order the rows name them, and however they space them', () => {
    const bytes = Buffer.from(
      ['"Title":"a","Stock":1', '"Stock" : 2,"Title":"b"', '"Title" :"c" , "Stock":3,"Fragile":false', '"Stock":4']
        .map((given, index) => `{"sku":"S${index}","attributes":{${given}}}`)
        .join('\n'),
    );
    const { rows, odd } = readFast(bytes);
    assert.equal(odd, 0);
    assert.deepEqual(told(rows), told(read('plain', bytes)));
    for (const given of ['"Title":"a","Title":"b"', '"Title" "b"', '"Title', '"Title"', '"Titles":"c"']) {
      assertAlike(`{"sku":"S1","attributes":{"Title":"a"}}\n{"sku":"S2","attributes":{${given}}}`);
    }
  });

  it('give a plain line one hash', () => {
    const bytes = Buffer.from('{"sku":"S1","nodeName":"Shirts","attributes":{"Title":"plain","Stock":7}}');
    const { rows, odd } = readFast(bytes);
    assert.equal(odd, 0);
    assert.deepEqual(
      rows.map(({ outcome }) => outcome.draft?.hash),
      read('plain', bytes).map(({ outcome }) => outcome.draft?.hash),
    );
  });

  it('the fast one reads lines without values by itself', () => {
    const bytes = Buffer.from('{"sku":"S1","nodeName":"Shirts","attributes":{}}\n{"sku":"S2","attributes": { }}');
    const { rows, odd } = readFast(bytes);
    assert.equal(odd, 0);
    assert.deepEqual(told(rows), told(read('plain', bytes)));
  });

  it('the fast one reads plain lines, escapes and null included, by itself', () => {
    const bytes = Buffer.from(
      `{"sku":"S1","nodeName":"Shirts","attributes":{"Title":"say \\"x\\"","Price":1.50,"Fragile":true,"Colour":"Red"}}
{ "attributes": {"Weight": -12, "Released": "2024-02-28", "Title": null}, "sku": "S2" }\r
{"sku":"\u00fc","nodeName":"H\u00fcte","attributes":{"Title":"\u00fc","Colour":"Gr\u00fcn"}}`,
    );
    const { rows, odd } = readFast(bytes);
    assert.deepEqual([odd, rows.length], [0, 3]);
    assert.deepEqual(told(rows), told(read('plain', bytes)));
  });
});
