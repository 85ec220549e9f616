/** Parquet files, read back by another implementation. */
import assert from 'node:assert/strict';
import { PassThrough, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { isRounded, type ParquetColumn } from '../../../../../src/domain/formats/parquet/parquet-column.js';
import { ParquetFile } from '../../../../../src/domain/formats/parquet/parquet-file.js';
import { parquetContent } from '../../../../support/read-parquet.js';

type Row = readonly (string | null)[];

const COLUMNS: readonly ParquetColumn[] = [
  { title: 'SKU', type: 'text' },
  { title: 'Höhe, "cm"', type: 'number' },
  { title: 'Stock', type: 'integer' },
  { title: 'Active', type: 'boolean' },
  { title: 'From', type: 'instant' },
];

async function written(columns: readonly ParquetColumn[], batches: readonly (readonly Row[])[]) {
  const sink = new PassThrough();
  const bytes = buffer(sink);
  const file = new ParquetFile(sink, columns);
  for (const rows of batches) await file.write(rows);
  await file.end();
  return { ...parquetContent(await bytes), rounded: file.rounded() };
}

describe('a Parquet file', () => {
  it('has columns of types, and nulls where there is no value', async () => {
    const { columns, rows } = await written(COLUMNS, [
      [
        ['a', '1950.27', '-9007199254740991', 'true', '2026-01-31'],
        ['', null, null, 'false', '0001-01-01T00:00:00.000Z'],
      ],
      [['שלום\n"', '-0.001', '0', null, '9999-12-31T23:59:59.999Z']],
    ]);
    assert.deepEqual(columns, [
      'SKU: Utf8',
      'Höhe, "cm": Float64',
      'Stock: Int64',
      'Active: Bool',
      'From: Timestamp<MILLISECOND, UTC>',
    ]);
    const at = (text: string) => Date.parse(text);
    assert.deepEqual(
      rows.map((row) => Object.values(row)),
      [
        ['a', 1950.27, -9007199254740991n, true, at('2026-01-31')],
        ['', null, null, false, at('0001-01-01T00:00:00Z')],
        ['שלום\n"', -0.001, 0n, null, at('9999-12-31T23:59:59.999Z')],
      ],
    );
  });

  it('without rows has its columns', async () => {
    assert.deepEqual((await written(COLUMNS, [])).rows, []);
    assert.equal((await written(COLUMNS, [[]])).columns.length, COLUMNS.length);
  });

  it('holds the rows of many groups in their order', async () => {
    const batches = Array.from({ length: 40 }, (_, batch) =>
      Array.from({ length: 500 }, (_one, row): Row => [`${batch}-${row}`, 'x'.repeat(200), null]),
    );
    const columns: ParquetColumn[] = ['SKU', 'Text', 'None'].map((title) => ({ title, type: 'text' }));
    const { rows } = await written(columns, batches);
    assert.deepEqual(
      rows.map(({ SKU }) => SKU),
      batches.flat().map(([sku]) => sku),
    );
  });

  it('holds any texts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(fc.string({ unit: 'grapheme' }))), async (texts) => {
        const { rows } = await written([{ title: 'Text', type: 'text' }], [texts.map((text) => [text])]);
        assert.deepEqual(
          rows.map(({ Text }) => Text),
          texts,
        );
      }),
      { numRuns: 50 },
    );
  });

  it('counts the numbers that a double does not hold', async () => {
    const numbers = [
      '0.1',
      '0.1000000000000000001',
      '12345678901234567890',
      '100000000000000000000',
      `1${'0'.repeat(400)}`,
    ];
    const { rounded } = await written([{ title: 'Price', type: 'number' }], [numbers.map((text) => [text])]);
    assert.deepEqual(rounded, [{ title: 'Price', count: 3, first: '0.1000000000000000001' }]);
  });

  it('takes a number of up to fifteen digits for exact, which comes back from a double as it was', () => {
    const decimal = fc.tuple(fc.bigInt({ min: 1n, max: 10n ** 18n }), fc.integer({ min: 0, max: 6 }));
    fc.assert(
      fc.property(decimal, ([digits, point]) => {
        const whole = String(digits).padStart(point + 1, '0');
        const fraction = whole.slice(whole.length - point).replace(/0+$/, '');
        const text = whole.slice(0, whole.length - point) + (point > 0 && fraction !== '' ? `.${fraction}` : '');
        if (!isRounded(text)) assert.equal(String(Number(text)), text);
      }),
    );
  });

  it('fails with what its sink fails with', async () => {
    const full = new Writable({ write: (_chunk, _encoding, done) => done(new Error('no space left')) });
    full.on('error', () => undefined);
    const file = new ParquetFile(full, COLUMNS);
    const writing = async () => {
      for (let batch = 0; batch < 100; batch++) {
        await file.write(Array.from({ length: 100 }, () => ['x'.repeat(1000), null, null, null, null]));
      }
      await file.end();
    };
    await assert.rejects(writing, /no space left/);
  });
});
