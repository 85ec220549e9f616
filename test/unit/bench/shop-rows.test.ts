import assert from 'node:assert/strict';
import Papa from 'papaparse';
import { ATTRIBUTES } from '../../../bench/data/shop-attributes.js';
import { CSV_HEADER, csvLineOf, elementOf, shopRow } from '../../../bench/data/shop-rows.js';

const ROWS = 2_000;

describe('rows of the benchmarks', () => {
  it('are the same whenever they are made', () => {
    assert.deepEqual(shopRow(4711), shopRow(4711));
    assert.notDeepEqual(shopRow(1).values, shopRow(2).values);
  });

  it('mean the same as CSV and as JSON', () => {
    const rows = Array.from({ length: ROWS }, (_, index) => shopRow(index + 1));
    const text = [CSV_HEADER, ...rows.map(csvLineOf)].join('\n');
    const { data, errors } = Papa.parse<Record<string, string>>(text, { header: true });
    assert.deepEqual(errors, []);
    rows.forEach((row, index) => {
      const { 'Category Node': nodeName, SKU: sku, ...cells } = data[index] ?? {};
      const { attributes, ...rest } = elementOf(row) as { attributes: Record<string, unknown> };
      const asText = Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, String(value)]));
      assert.deepEqual({ ...rest, attributes: asText }, { sku, nodeName, attributes: cells });
    });
  });

  it('need quotes for commas, quotes and line ends here and there, as real ones do', () => {
    const lines = Array.from({ length: ROWS }, (_, index) => csvLineOf(shopRow(index + 1)));
    assert.ok(lines.some((line) => line.includes('""')));
    assert.ok(lines.some((line) => line.includes('\n')));
    const quoted = lines.filter((line) => line.includes('"')).length;
    assert.ok(quoted > ROWS / 5 && quoted < ROWS / 3, `${quoted} of ${ROWS} rows hold quotes`);
  });

  it('have a value for each of the twelve attributes', () => {
    assert.equal(ATTRIBUTES.length, 12);
    assert.equal(shopRow(1).values.length, 12);
  });
});
