/** A number in JSON is judged by its digits, exactly as the same text in a cell of a CSV file. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { compileAttribute } from '../../../../../src/domain/catalog/compile-attribute.js';
import { csvRows } from '../../../../../src/domain/formats/csv/parse-csv-chunk.js';
import { parseExactJson } from '../../../../../src/domain/formats/json/exact-json.js';
import { jsonRows } from '../../../../../src/domain/formats/json/json-rows.js';
import { resolveItemColumns } from '../../../../../src/domain/imports/items/read/item-columns.js';
import { EXAMPLES, exampleDefinition } from '../../../../support/models/attribute-values.js';
import { ATTRIBUTES, readAll, rules, told } from './row-reader-fixture.js';

const digits = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength }).map((all) => all);
const whole = fc.oneof(
  fc.constantFrom('0', '1', '5', '20', '1000', '1001', '9007199254740991', '9007199254740992', '9007199254740993'),
  digits(30).map((all) => all.replace(/^0+(?=.)/, '')),
);
const fraction = fc.oneof(
  fc.constantFrom('', '', '.0', '.5', '.50', '.9', '.99999999999999999'),
  digits(25).map((all) => `.${all}`),
);
const exponent = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fc.constantFrom('e0', 'E3', 'e-2', 'e+20', 'e400', 'e-400', 'e1001', 'e99999999999') },
);
/** Any number that JSON can write. */
const literal = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.tuple(fc.constantFrom('', '', '-'), whole, fraction, exponent).map((parts) => parts.join('')),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('-0', '-0.0', '1e400', '19.999999999999999999', '9007199254740990.9', '1.0', '1e3'),
  },
);

const NUMERIC = EXAMPLES.filter(
  ({ type, example }) => type.jsonTokens.includes('number') || (example.definition.optionsType ?? 'TEXT') !== 'TEXT',
);

describe('a number in JSON', () => {
  it('is stored, or refused, as the same text in a CSV cell, for every numeric type with each of its rules', () => {
    assert.deepEqual([...new Set(NUMERIC.map(({ name }) => name))].sort(), ['DECIMAL', 'INTEGER', 'OPTIONS', 'SERIAL']);
    for (const { name, example } of NUMERIC) {
      const { fromJson, fromText } = compileAttribute(exampleDefinition(name, example.definition), {
        decimalSeparator: '.',
      });
      fc.assert(
        fc.property(literal, (text) => {
          const json = fromJson(parseExactJson(text).value);
          const cell = fromText(text);
          const why = `${name} ${text}`;
          if (typeof json === 'string' || typeof cell === 'string') assert.equal(json, cell, why);
          else assert.deepEqual([json.code, json.message, json.value], [cell.code, cell.message, cell.value], why);
        }),
        { numRuns: 300 },
      );
    }
  });

  const numbers = ATTRIBUTES.filter(({ type }) => ['INTEGER', 'DECIMAL', 'SERIAL'].includes(type)).map(
    (one) => one.name,
  );
  for (const reader of ['plain', 'fast'] as const) {
    it(`becomes the same draft as a CSV cell with the ${reader} reader`, () => {
      fc.assert(
        fc.property(fc.constantFrom(...numbers), literal, (name, text) => {
          const line = Buffer.from(`{"sku":"S","nodeName":"Shirts","attributes":{"${name}":${text}}}`);
          const source = { bytes: line, firstRow: 2 };
          const json = readAll(reader, { format: 'JSON', rows: jsonRows(line, source), source }, null);
          const headerCells = ['SKU', 'Category Node', name];
          const bytes = Buffer.from(`S,Shirts,${text}\n`);
          const csv = { bytes, delimiter: ',', firstRow: 2, headerCells };
          const rows = csvRows(bytes, { delimiter: ',', columns: 3, firstRow: 2, headerCells });
          const columns = resolveItemColumns(headerCells, rules, 'upsert');
          assert.deepEqual(told(json), told(readAll(reader, { format: 'CSV', rows, source: csv }, columns)), text);
        }),
        { numRuns: 1_000 },
      );
    });
  }

  it('beyond 2^53 is VALUE_RANGE for an INTEGER, and is kept by a DECIMAL', () => {
    const read = (type: 'INTEGER' | 'DECIMAL', text: string) => {
      const codec = compileAttribute(exampleDefinition(type, {}), { decimalSeparator: '.' });
      const value = codec.fromJson(parseExactJson(text).value);
      return typeof value === 'string' ? value : value.code;
    };
    assert.equal(read('INTEGER', '9007199254740991'), '9007199254740991');
    assert.equal(read('INTEGER', '9007199254740992'), 'VALUE_RANGE');
    assert.equal(read('INTEGER', '-12345678901234567890'), 'VALUE_RANGE');
    assert.equal(read('INTEGER', '9007199254740990.9'), 'VALUE_TYPE');
    assert.equal(read('INTEGER', '0.99999999999999999'), 'VALUE_TYPE');
    assert.equal(read('DECIMAL', '19.999999999999999999'), '"19.999999999999999999"');
    assert.equal(read('DECIMAL', '12345678901234567890'), '"12345678901234567890"');
    assert.equal(read('DECIMAL', '1e1001'), 'VALUE_RANGE');
  });

  it('is quoted in messages as it was written', () => {
    const codec = compileAttribute(exampleDefinition('INTEGER', {}), { decimalSeparator: '.' });
    for (const value of [parseExactJson('1e400').value, Number.POSITIVE_INFINITY]) {
      const problem = codec.fromJson(value);
      assert.ok(typeof problem !== 'string');
      assert.match(problem.message, /^"(1e400|Infinity)" is /);
      assert.doesNotMatch(problem.value, /null/);
    }
  });
});
