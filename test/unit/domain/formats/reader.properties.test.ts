/** What holds of the reader for every table, every way of writing it down and every way it comes in. */
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import Papa from 'papaparse';
import { parseCsvChunk } from '../../../../src/domain/formats/csv/parse-csv-chunk.js';
import { RejectedInput } from '../../../../src/domain/formats/model/rejected-input.js';
import { runsOf } from '../../../support/models/property-runs.js';
import { csvRows, duplicates, type FixtureOptions, type Planned, plan } from './source-fixture.js';

const RUNS = { numRuns: runsOf(150) };

interface WrittenTable {
  readonly delimiter: string;
  readonly cells: string[][];
  /** The row's number for each of `cells`. */
  readonly rows: number[];
  readonly text: string;
}

/** Blocks from a byte to 64 KiB, the small ones often. */
const blockBytes = fc.oneof(fc.integer({ min: 1, max: 16 }), fc.integer({ min: 17, max: 65_536 }));
const chunkRows = fc.integer({ min: 1, max: 5 });

function tables(alphabet: string[]): fc.Arbitrary<WrittenTable> {
  const cell = fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 8 });
  return fc
    .record({
      delimiter: fc.constantFrom(',', ';', '\t', '|'),
      columns: fc.integer({ min: 1, max: 5 }),
      rows: fc.integer({ min: 1, max: 12 }),
    })
    .chain(({ delimiter, columns, rows }) => {
      const line = fc
        .record({
          cells: fc.array(fc.tuple(cell, fc.boolean()), { minLength: columns, maxLength: columns }),
          end: fc.constantFrom('\n', '\r\n', '\r'),
          blankAfter: fc.boolean(),
        })
        // A row of empty cells is skipped.
        .filter(({ cells }) => cells.some(([value]) => value !== ''));
      return fc.tuple(fc.array(line, { minLength: rows, maxLength: rows }), fc.boolean()).map(([lines, lastEnd]) => {
        const header = Array.from({ length: columns }, (_, index) => `Column ${index}`);
        const numbers: number[] = [];
        let text = `${header.join(delimiter)}\n`;
        let row = 2;
        for (const [index, { cells, end, blankAfter }] of lines.entries()) {
          const last = index === lines.length - 1;
          const ends = blankAfter ? 2 : 1;
          text += cells.map(([value, quoted]) => write(value, quoted || columns === 1, delimiter)).join(delimiter);
          text += last && !lastEnd ? '' : end.repeat(ends);
          numbers.push(row);
          row += ends;
        }
        return { delimiter, text, rows: numbers, cells: lines.map(({ cells }) => cells.map(([value]) => value)) };
      });
    });
}

function write(value: string, quoted: boolean, delimiter: string): string {
  const must = quoted || value.includes(delimiter) || /["\r\n]/.test(value);
  return must ? `"${value.replaceAll('"', '""')}"` : value;
}

const ASCII = ['a', 'b', ' ', ',', ';', '\t', '|', '"', '\n', '\r', '0'];
const LATIN = [...ASCII, 'ä', 'é', '\u20ac', '\u201e'];
const UNICODE = [...LATIN, '漢', '\u{1F34E}', '\0', '\uFEFF'];

async function assertReadsBack(table: WrittenTable, upload: Buffer, options: FixtureOptions): Promise<void> {
  const planned = await plan(upload, { ...options, options: { delimiter: table.delimiter, ...options.options } });
  const expected = table.cells.map((cells, index) => ({ row: table.rows[index], cells, problem: null }));
  assert.deepEqual(csvRows(planned), expected);
  assert.equal(planned.plan.totalRows, expected.length);
  assertContinuous(planned, expected.length);
}

/** Chunks follow on each other, and their counts add up. */
function assertContinuous({ plan: { chunks } }: Planned, rows: number): void {
  for (const [index, chunk] of chunks.entries()) {
    const before = chunks[index - 1];
    assert.ok(chunk.rowCount > 0 && chunk.rowCount <= chunk.lineCount);
    if (before === undefined) continue;
    assert.ok(chunk.byteStart >= before.byteEnd);
    assert.ok(chunk.firstRow >= before.firstRow + before.lineCount);
  }
  assert.equal(
    chunks.reduce((sum, chunk) => sum + chunk.rowCount, 0),
    rows,
  );
}

describe('any table', () => {
  it('is read back as it was written, cell by cell', async () => {
    const property = fc.asyncProperty(
      tables(UNICODE),
      fc.boolean(),
      blockBytes,
      chunkRows,
      async (table, mark, block, rows) => {
        const upload = Buffer.from((mark ? '\uFEFF' : '') + table.text);
        await assertReadsBack(table, upload, { blockBytes: block, limits: { chunkRows: rows } });
      },
    );
    await fc.assert(property, { numRuns: runsOf(400) });
  });

  it('is read back through gzip', async () => {
    const property = fc.asyncProperty(tables(UNICODE), blockBytes, chunkRows, async (table, block, rows) => {
      await assertReadsBack(table, gzipSync(table.text), {
        gzip: true,
        blockBytes: block,
        limits: { chunkRows: rows },
      });
    });
    await fc.assert(property, RUNS);
  });

  it('is read back from UTF-16 of either byte order', async () => {
    const property = fc.asyncProperty(tables(UNICODE), fc.boolean(), blockBytes, async (table, big, block) => {
      const bytes = Buffer.from(`\uFEFF${table.text}`, 'utf16le');
      await assertReadsBack(table, big ? bytes.swap16() : bytes, { blockBytes: block });
    });
    await fc.assert(property, RUNS);
  });

  it('is read back from windows-1252', async () => {
    const property = fc.asyncProperty(tables(LATIN), blockBytes, async (table, block) => {
      const bytes = Buffer.from(table.text.replaceAll('\u20ac', '\x80').replaceAll('\u201e', '\x84'), 'latin1');
      await assertReadsBack(table, bytes, { blockBytes: block, options: { encoding: 'windows-1252' } });
    });
    await fc.assert(property, RUNS);
  });

  it('is read as PapaParse reads it', () => {
    const property = fc.property(tables(UNICODE), fc.constantFrom('\n', '\r\n', '\r'), (table, newline) => {
      const width = table.cells[0]?.length ?? 1;
      const text = Papa.unparse(table.cells, { delimiter: table.delimiter, newline, quotes: width === 1 });
      const papa = Papa.parse<string[]>(text, { delimiter: table.delimiter, newline });
      assert.deepEqual(papa.errors, []);
      const ours = parseCsvChunk(Buffer.from(text), { delimiter: table.delimiter, columns: width, firstRow: 1 });
      assert.deepEqual(
        ours.map(({ cells }) => cells),
        papa.data,
      );
    });
    fc.assert(property, { numRuns: runsOf(300) });
  });
});

describe('any mangled text', () => {
  const mangled = fc.string({ unit: fc.constantFrom('"', '"', ',', '\n', '\r', 'a', 'b', ' ', 'ä'), maxLength: 60 });

  /** Rows as a plain reading of the whole body gives them; null when it is refused. */
  function readWhole(text: string): { row: number; cells: string[]; code: string | null }[] | null {
    try {
      const rows = parseCsvChunk(Buffer.from(text), { delimiter: ',', columns: 2, firstRow: 2 });
      return rows.map(({ row, cells, problem }) => ({ row, cells, code: problem?.code ?? null }));
    } catch (error) {
      assert.ok(error instanceof RejectedInput);
      return null;
    }
  }

  async function readPlanned(text: string, options: FixtureOptions): Promise<ReturnType<typeof readWhole>> {
    try {
      const planned = await plan(`a,b\n${text}`, options);
      const rows = csvRows(planned);
      assertContinuous(planned, rows.length);
      for (const { cells, problem } of rows) assert.ok(problem !== null || cells.length === 2);
      return rows.map(({ row, cells, problem }) => ({ row, cells, code: problem?.code ?? null }));
    } catch (error) {
      if (!(error instanceof RejectedInput)) throw error;
      if (error.reason === 'NO_ROWS') return [];
      assert.equal(error.reason, 'UNCLOSED_QUOTE');
      return null;
    }
  }

  it('is read the same whatever the blocks and the chunks', async () => {
    const property = fc.asyncProperty(mangled, blockBytes, chunkRows, async (text, block, rows) => {
      const limits = { chunkRows: rows };
      assert.deepEqual(await readPlanned(text, { blockBytes: block, limits }), readWhole(text));
    });
    await fc.assert(property, { numRuns: runsOf(1500) });
  });

  it('is cut by bytes without changing what is read', async () => {
    const property = fc.asyncProperty(mangled, fc.integer({ min: 1, max: 20 }), async (text, chunkBytes) => {
      assert.deepEqual(await readPlanned(text, { limits: { chunkBytes } }), readWhole(text));
    });
    await fc.assert(property, { numRuns: runsOf(500) });
  });

  it('never loses a character outside of quotes and line ends', () => {
    const property = fc.property(mangled, (text) => {
      const rows = readWhole(text);
      if (rows === null) return;
      const letters = (from: string): string => from.replace(/[^abä ]/g, '');
      assert.equal(letters(rows.map(({ cells }) => cells.join('')).join('')), letters(text));
    });
    fc.assert(property, { numRuns: runsOf(1000) });
  });
});

describe('any keys', () => {
  const key = fc.string({ unit: fc.constantFrom('a', 'b', 'u\u0308', '\u00fc', ' ', '"', '\u00a0'), maxLength: 3 });
  const keys = fc.array(fc.tuple(key, fc.boolean()), { minLength: 1, maxLength: 40 });

  function naive(values: readonly string[], winner: 'first' | 'last', firstRow: number): [number, number][] {
    const rowsOf = new Map<string, number[]>();
    for (const [index, value] of values.entries()) {
      const normalised = value.trim().normalize('NFC');
      if (normalised !== '') rowsOf.set(normalised, [...(rowsOf.get(normalised) ?? []), index + firstRow]);
    }
    const lost: [number, number][] = [];
    for (const rows of rowsOf.values()) {
      const stands = (winner === 'first' ? rows[0] : rows.at(-1)) ?? 0;
      lost.push(...rows.filter((row) => row !== stands).map((row): [number, number] => [row, stands]));
    }
    return lost.sort(([one], [other]) => one - other);
  }

  it('have the duplicates that a map finds, in CSV', async () => {
    const property = fc.asyncProperty(
      keys,
      fc.constantFrom('first' as const, 'last' as const),
      blockBytes,
      chunkRows,
      async (written, winner, block, rows) => {
        const lines = written.map(([value, quoted]) => `x,${write(value, quoted, ',')}`);
        const upload = `x,sku\n${lines.join('\n')}\n`;
        const options = { winner, resolveHeader: () => 1, blockBytes: block, limits: { chunkRows: rows } };
        const values = written.map(([value]) => value);
        assert.deepEqual(duplicates(await plan(upload, options)), naive(values, winner, 2));
      },
    );
    await fc.assert(property, { numRuns: runsOf(400) });
  });

  it('have the duplicates that a map finds, in JSON arrays', async () => {
    const property = fc.asyncProperty(keys, fc.constantFrom('first' as const, 'last' as const), async (all, winner) => {
      const values = all.map(([value]) => value);
      const upload = JSON.stringify(values.map((sku) => ({ sku })));
      assert.deepEqual(duplicates(await plan(upload, { format: 'JSON', winner })), naive(values, winner, 1));
    });
    await fc.assert(property, RUNS);
  });
});
