/** The reader of bytes against the readers of strings: whatever stands in a file, both say the same. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { AttributeDefinition, AttributeType } from '../../../../../src/domain/catalog/attribute-definition.js';
import type { SiteDefinitions } from '../../../../../src/domain/catalog/site-definitions.js';
import type { ReadRow } from '../../../../../src/domain/ingest/items/apply-item-rows.js';
import { DraftBuilder } from '../../../../../src/domain/ingest/items/draft-builder.js';
import { resolveItemColumns } from '../../../../../src/domain/ingest/items/item-columns.js';
import { ItemRules } from '../../../../../src/domain/ingest/items/item-rules.js';
import { ItemBytesReader } from '../../../../../src/domain/ingest/items/read-item-bytes.js';
import { itemCellReader } from '../../../../../src/domain/ingest/items/read-item-cells.js';
import { csvRows } from '../../../../../src/domain/ingest/source/parse-csv-chunk.js';

const id = (number: number) => number.toString(16).padStart(24, '0');

const attribute = (
  name: string,
  type: AttributeType,
  more: Partial<AttributeDefinition> = {},
): Omit<AttributeDefinition, 'id' | 'position'> => ({ name, type, validation: {}, ...more });

const ATTRIBUTES = [
  attribute('Title', 'TEXT'),
  attribute('Short', 'TEXT', { validation: { maxLength: 5 } }),
  attribute('Coded', 'TEXT', { validation: { pattern: '^[A-Z]+$' } }),
  attribute('Stock', 'INTEGER', { validation: { range: { min: -5, max: 1000 } } }),
  attribute('Price', 'DECIMAL', { validation: { range: { min: 0.01, max: 99.5 } } }),
  attribute('Weight', 'DECIMAL'),
  attribute('Exact', 'DECIMAL', { validation: { range: { min: '0.1', max: '5' } } }),
  attribute('Fragile', 'BOOLEAN'),
  attribute('Colour', 'OPTIONS', { options: ['Red', 'Grün', 'a,b', 'say "x"', 'NULL'] }),
  attribute('Released', 'DATETIME', { validation: { range: { min: '1990-01-01', max: '2030-06-15' } } }),
  attribute('Made', 'DATETIME', { format: 'dd.MM.yyyy' }),
  attribute('Number', 'SERIAL'),
  attribute('Active', 'BOOLEAN'),
].map((definition, index) => ({ ...definition, id: id(index + 1), position: index + 1 }));

const assigned = ATTRIBUTES.map((definition) => ({ attributeId: definition.id, mandatory: false, inherited: false }));
const category = (nodeId: number, name: string, leaf: boolean) => ({
  ...{ nodeId, id: id(100 + nodeId), parentNodeId: nodeId === 1 ? null : 1, name, active: true, leaf },
  attributes: assigned,
});
const DEFINITIONS: SiteDefinitions = {
  version: 7,
  attributes: ATTRIBUTES,
  mappings: { active: id(13) },
  categories: [category(1, 'PRIMARY', false), category(2, 'Shirts', true), category(3, 'Hüte', true)],
};
const HEADER = ['Category Node', 'SKU', 'Parent SKU', ...ATTRIBUTES.map(({ name }) => name), '_note'];

/** Cells that lie on the edges of what an encoder takes. */
const TRICKY = [
  ...[
    '',
    'NULL',
    '\\NULL',
    '\\\\x',
    '\\',
    'plain',
    'a,b',
    'say "x"',
    'two\nlines',
    'cr\rhere',
    'ü',
    '–',
    '\u0000',
    '\t',
    '\x7f',
  ],
  ...['0', '-0', '00', '007', '1', '-5', '-6', '1000', '1001', '+1', '1e3', '9007199254740993', '999999999999999'],
  ...[
    '0.01',
    '0.010',
    '.5',
    '5.',
    '1.800,50',
    '99.50',
    '99.51',
    '0.0000001',
    '0.000001',
    '12.3400',
    '0.0',
    '-0.0',
    '1.',
  ],
  ...[
    '123456789012345.6',
    '1234567890123.45',
    '0.1',
    '5',
    '5.0',
    '0.09',
    ' 1',
    '1 ',
    'true',
    'false',
    'TRUE',
    'yes',
    '1',
  ],
  ...[
    'Red',
    'Grün',
    'red',
    'Re',
    'Redd',
    '2024-02-28',
    '2024-02-29',
    '2023-02-29',
    '1989-12-31',
    '1990-01-01',
    '2030-06-16',
  ],
  ...[
    '2024-13-01',
    '2024-00-10',
    '24.12.2024',
    '2024-01-01T10:00:00Z',
    '0000-01-01',
    'x'.repeat(5),
    'x'.repeat(6),
    'ABC',
    'AbC',
  ],
  ...['Shirts', 'PRIMARY->Shirts', 'Hüte', 'Nowhere', 'PRIMARY', ' Shirts ', '2'],
];

const rules = new ItemRules(DEFINITIONS, { decimalSeparator: '.' });
const columns = resolveItemColumns(HEADER, rules, 'upsert');

/** Everything that a row came to, in a form that can be compared. */
function told(rows: readonly ReadRow[]): unknown[] {
  return rows.map(({ row, outcome }) => {
    const { draft, problems, key } = outcome;
    if (draft === null) return { row, key, problems };
    const { document, hash: _hash, ...rest } = draft;
    return { ...rest, row, key, document: document.toJson(), holdsBackslash: document.holdsBackslash };
  });
}

function readBytes(bytes: Buffer): ReadRow[] {
  const source = { bytes, delimiter: ',', firstRow: 2, headerCells: HEADER };
  const reader = new ItemBytesReader(source, new DraftBuilder(rules), columns, 1);
  const read: ReadRow[] = [];
  while (reader.readSome(read, 3));
  return read;
}

function readStrings(bytes: Buffer): ReadRow[] {
  const readRow = itemCellReader(new DraftBuilder(rules), columns, 1);
  const options = { delimiter: ',', columns: HEADER.length, firstRow: 2, headerCells: HEADER };
  return [...csvRows(bytes, options)].map((row) => ({ row: row.row, outcome: readRow(row) }));
}

const cell = fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...TRICKY) }, { weight: 1, arbitrary: fc.string() });
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
const written = fc
  .tuple(cell, fc.boolean())
  .map(([text, quote]) => (quote || /[",\r\n]/.test(text) ? quoted(text) : text));
const record = fc
  .array(written, { minLength: HEADER.length, maxLength: HEADER.length })
  .map((cells) => cells.join(','));
const raggedRecord = fc.array(written, { maxLength: HEADER.length + 2 }).map((cells) => cells.join(','));
const stray = record.map((line) => line.replace(',', ',"stray" quote,'));
const lineEnd = fc.constantFrom('\n', '\r\n', '\r', '\n\n');
const file = fc
  .array(
    fc.tuple(
      fc.oneof(
        { weight: 8, arbitrary: record },
        { weight: 1, arbitrary: raggedRecord },
        { weight: 1, arbitrary: stray },
      ),
      lineEnd,
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((lines) => lines.map(([line, end]) => line + end).join(''));

describe('the reader of item bytes', () => {
  it('says of any file what the readers of strings say', () => {
    fc.assert(
      fc.property(file, fc.boolean(), (text, withoutLastEnd) => {
        const bytes = Buffer.from((withoutLastEnd ? text.replace(/[\r\n]+$/, '') : text).toWellFormed());
        assert.deepEqual(told(readBytes(bytes)), told(readStrings(bytes)));
      }),
      { numRuns: 3_000 },
    );
  });

  it('says of every tricky cell in every column what the readers of strings say', () => {
    for (let column = 0; column < HEADER.length; column++) {
      for (const text of TRICKY) {
        const cells = HEADER.map((_, index) => (index === column ? text : (['Shirts', 'S1'][index] ?? '')));
        const bytes = Buffer.from(
          `${cells.map(quoted).join(',')}\n${cells.map((c) => (/[",\r\n]/.test(c) ? quoted(c) : c)).join(',')}\n`,
        );
        assert.deepEqual(
          told(readBytes(bytes)),
          told(readStrings(bytes)),
          `${HEADER[column]}: ${JSON.stringify(text)}`,
        );
      }
    }
  });

  it('gives a row of plain cells one hash, quoted or not, and other rows others', () => {
    const hashes = (text: string) => readBytes(Buffer.from(text)).map(({ outcome }) => outcome.draft?.hash);
    const rest = ','.repeat(HEADER.length - 4);
    const [plain, enclosed, other] = hashes(
      `Shirts,S1,,one${rest}\n"Shirts","S1",,"one"${rest}\nShirts,S1,,two${rest}\n`,
    );
    assert.equal(plain, enclosed);
    assert.notEqual(plain, other);
    assert.ok(Number.isSafeInteger(plain));
  });
});
