/** Definitions with an attribute of every type, values on the edges of what they accept, and both readers over them. */
import assert from 'node:assert/strict';
import { ATTRIBUTE_TYPES } from '../../../../../src/domain/catalog/attribute-types.js';
import {
  ATTRIBUTE_TYPE_NAMES,
  type AttributeDefinition,
  type AttributeTypeName,
} from '../../../../../src/domain/catalog/model/attribute-definition.js';
import type { SiteDefinitions } from '../../../../../src/domain/catalog/site-definitions.js';
import type { AttributeType } from '../../../../../src/domain/catalog/types/attribute-type.js';
import type { ReadRow } from '../../../../../src/domain/imports/items/item-batch.js';
import { ItemRules } from '../../../../../src/domain/imports/items/item-rules.js';
import { DraftBuilder } from '../../../../../src/domain/imports/items/read/draft-builder.js';
import type { ItemColumns } from '../../../../../src/domain/imports/items/read/item-columns.js';
import { openRowReader } from '../../../../../src/domain/imports/items/row-readers.js';
import type { RowReaderName, SourceRows } from '../../../../../src/domain/imports/rows/row-applier.js';
import { OUTCOME } from '../../../../../src/domain/outcomes/model/chunk-result.js';
import { exampleDefinition } from '../../../../support/models/attribute-values.js';

const id = (number: number) => number.toString(16).padStart(24, '0');

const attribute = (
  name: string,
  type: AttributeTypeName,
  more: Partial<AttributeDefinition> = {},
): Omit<AttributeDefinition, 'id' | 'position'> => ({ name, type, validation: {}, ...more });

const LISTED = [
  attribute('Title', 'TEXT'),
  attribute('Short', 'TEXT', { validation: { maxLength: 5 } }),
  attribute('Coded', 'TEXT', { validation: { pattern: '^[A-Z]+$' } }),
  attribute('Stock', 'INTEGER', { validation: { range: { min: -5, max: 1000 } } }),
  attribute('Price', 'DECIMAL', { validation: { range: { min: 0.01, max: 99.5 } } }),
  attribute('Weight', 'DECIMAL'),
  attribute('Exact', 'DECIMAL', { validation: { range: { min: '0.1', max: '5' } } }),
  attribute('Fragile', 'BOOLEAN'),
  attribute('Colour', 'OPTIONS', { options: ['Red', 'Grün', 'a,b', 'say "x"', 'NULL', '\x7f', '–'] }),
  attribute('Released', 'DATETIME', { validation: { range: { min: '1990-01-01', max: '2030-06-15' } } }),
  attribute('Made', 'DATETIME', { format: 'dd.MM.yyyy' }),
  attribute('Number', 'SERIAL'),
  attribute('Active', 'BOOLEAN'),
];

/** The types that are not in the list come from the registry. */
const OTHERS = ATTRIBUTE_TYPE_NAMES.filter((name) => LISTED.every(({ type }) => type !== name)).map((name) => {
  const { examples }: AttributeType = ATTRIBUTE_TYPES[name];
  const [example] = examples;
  assert.ok(example);
  const { id: _id, position: _position, ...definition } = exampleDefinition(name, example.definition);
  const cells = [...Object.keys(example.cells), ...Object.keys(example.refusedCells)];
  return { definition: { ...definition, name: `Any ${name}` }, cells };
});

export const ATTRIBUTES = [...LISTED, ...OTHERS.map(({ definition }) => definition)].map((definition, index) => ({
  ...definition,
  id: id(index + 1),
  position: index + 1,
}));

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
/** Cells that lie on the edges of what an encoder takes. */
export const TRICKY = [
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
    '2024-01-31',
    '2024-01-32',
    '2024-04-30',
    '2024-04-31',
    '2024-02-30',
    '2024-12-31',
    '2024-12-00',
    '24.12.2024',
    '2024-01-01T10:00:00Z',
    '0000-01-01',
    'x'.repeat(5),
    'x'.repeat(6),
    'ABC',
    'AbC',
  ],
  ...OTHERS.flatMap(({ cells }) => cells),
  ...[
    '2.500',
    '-2.500',
    '0.500',
    '2.50',
    '12,50',
    '1.234.567',
    '2500.125',
    'GrÃ¼n',
    'a\ufffd',
    '50 Â°',
    '\u0085',
    ' S1',
  ],
  ...['03.04.2026', '04.04.2026', '13.04.2026', '04.13.2026', '2026-04-03', ' 03.04.2026'],
  ...['Shirts', 'PRIMARY->Shirts', 'Hüte', 'Nowhere', 'PRIMARY', ' Shirts ', '2'],
];

export const SEED = 1;
export const rules = new ItemRules(DEFINITIONS, { decimalSeparator: '.' });
/** Everything that a reader makes of the rows, a few at a time. @param columns null: the rows are JSON */
export function readAll(name: RowReaderName, source: SourceRows, columns: ItemColumns | null): ReadRow[] {
  const reader = openRowReader(name, source, { builder: new DraftBuilder(rules), columns, seed: SEED });
  const read: ReadRow[] = [];
  while (reader.readSome(read, 3));
  return read;
}

/** What a reader makes of the rows, and what it notes about them: of those with a draft as if they were applied. */
export function everything(name: RowReaderName, source: SourceRows, columns: ItemColumns | null) {
  const builder = new DraftBuilder(rules);
  const reader = openRowReader(name, source, { builder, columns, seed: SEED });
  const read: ReadRow[] = [];
  while (reader.readSome(read, 3));
  const outcomes = read.map(({ outcome }) => (outcome.draft === null ? OUTCOME.failed : OUTCOME.created));
  return { rows: told(read), notes: builder.notes.of(() => read.map(({ row }) => row), outcomes) };
}

/** Everything that a row came to, in a form that can be compared. */
export function told(rows: readonly ReadRow[]): unknown[] {
  return rows.map(({ row, outcome }) => {
    const { problems, key } = outcome;
    const draft = outcome.draft ?? outcome.rest;
    if (draft === null) return { row, key, problems };
    const { document, hash: _hash, ...rest } = draft;
    return { ...rest, row, key, problems, document: document.toJson() };
  });
}
