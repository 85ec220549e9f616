import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  attributeColumnOf,
  attributeExportHeader,
  attributeTemplateHeader,
  resolveAttributeHeader,
} from '../../../../../src/domain/catalog/attributes/attribute-columns.js';
import { AttributeSet } from '../../../../../src/domain/catalog/attributes/attribute-set.js';
import { attributeToCells, valueColumnsOf } from '../../../../../src/domain/catalog/attributes/attribute-to-cells.js';
import { attributeFromCells } from '../../../../../src/domain/catalog/attributes/cells/attribute-from-cells.js';
import { decideAttributeChange } from '../../../../../src/domain/catalog/attributes/decide-attribute-change.js';
import { parseAttributeInput } from '../../../../../src/domain/catalog/attributes/parse-attribute-input.js';
import { parseAttributeRow } from '../../../../../src/domain/catalog/attributes/parse-attribute-row.js';
import type { AttributeDefinition } from '../../../../../src/domain/catalog/model/attribute-definition.js';
import { RejectedInput } from '../../../../../src/domain/formats/model/rejected-input.js';
import { ATTRIBUTE_ID, accepted, problemsOf } from './attribute-fixture.js';

const facts = { newId: () => ATTRIBUTE_ID, usageOf: () => 1 };

/** The row of a file with these columns. */
function parse(
  row: Record<string, string>,
  action: 'INSERT' | 'UPSERT' | 'UPDATE' = 'UPSERT',
  separator: '.' | ',' = '.',
) {
  return parseAttributeRow(resolveAttributeHeader(Object.keys(row)), Object.values(row), action, separator);
}

function created(row: Record<string, string>, separator: '.' | ',' = '.'): AttributeDefinition {
  const input = accepted(parse(row, 'INSERT', separator));
  return accepted(decideAttributeChange(new AttributeSet([]), input, facts)).definition;
}

describe('attributeExportHeader', () => {
  it('is the documented one', () => {
    assert.equal(
      attributeExportHeader(2).join(', '),
      'Attribute Title, Type of Attribute, Description, Decimal, Min, Max, Date Format, Calculation Formula, ' +
        'Validation Formula, Mandatory, Start With, Increment by, Method, Size, Value 1, Value 2, ' +
        'Unique, Inheritable, Pattern, Max Length, Contains, Locales',
    );
    assert.equal(attributeExportHeader().length, 25);
  });

  it('leaves out of the template what can never be filled', () => {
    const left = attributeExportHeader().filter((column) => !attributeTemplateHeader().includes(column));
    assert.deepEqual(left, ['Calculation Formula', 'Validation Formula', 'Method', 'Size']);
  });
});

describe('resolveAttributeHeader', () => {
  it('matches names without case, trimmed and composed, and ignores columns that begin with _', () => {
    assert.deepEqual(resolveAttributeHeader([' attribute title', 'VALUE 12', '_row', 'type  of attribute']), [
      'Attribute Title',
      'Value 12',
      null,
      'Type of Attribute',
    ]);
    assert.deepEqual(resolveAttributeHeader(attributeExportHeader(7)), attributeExportHeader(7));
  });

  it('rejects unknown, repeated and missing columns', () => {
    const rejected = (cells: string[], reason: string, message: RegExp) =>
      assert.throws(
        () => resolveAttributeHeader(cells),
        (error) =>
          error instanceof RejectedInput && error.reason === reason && error.row === 1 && message.test(error.message),
      );
    rejected(['Attribute Title', 'Mandatry'], 'UNKNOWN_COLUMN', /column 2, "Mandatry".*did you mean "Mandatory"/);
    assert.deepEqual(resolveAttributeHeader(['Attribute Title', ' ']), ['Attribute Title', null]);
    rejected(
      ['Titel', 'Mandatry'],
      'UNKNOWN_COLUMN',
      /3 problems:\n\(1\) column 1, "Titel".*\n\(2\) column 2, .*\n\(3\) the file has no column/,
    );
    rejected(['Attribute Title', 'Min', 'MIN '], 'DUPLICATE_COLUMN', /columns 2 and 3 are both "Min"/);
    rejected(['Type of Attribute'], 'MISSING_COLUMN', /Attribute Title/);
  });
});

describe('parseAttributeRow', () => {
  it('reads each type of a file', () => {
    const typed = (type: string, more: Record<string, string> = {}) =>
      created({ 'Attribute Title': 'A', 'Type of Attribute': type, ...more });
    assert.equal(typed('SHORT TEXT').textSubType, 'SMALL_TEXT');
    assert.equal(typed('Long  text').textSubType, 'TEXT_AREA');
    assert.equal(typed('html').textSubType, 'HTML');
    assert.equal(typed('NUMBER').type, 'DECIMAL');
    assert.equal(typed('NUMBER', { Decimal: 'TRUE' }).type, 'DECIMAL');
    assert.equal(typed('NUMBER', { Decimal: 'false' }).type, 'INTEGER');
    assert.equal(typed('BOOLEAN').type, 'BOOLEAN');
    assert.equal(typed('DATE', { 'Date Format': 'MM/DD/YYYY' }).format, 'MM/DD/YYYY');
    assert.equal(typed('SERIAL', { 'Start With': '100', 'Increment by': '5' }).serialStart, 100);
    assert.deepEqual(typed('LOV', { 'Value 1': 'a', 'Value 2': '', 'Value 10': 'b' }).options, ['a', 'b']);
    assert.equal(typed('LOV', { 'Value 1': '5', Decimal: 'FALSE' }).optionsType, 'INTEGER');
    assert.deepEqual(typed('SHORT TEXT', { 'Value 1': 'a', 'Start With': 'b' }).validation, {
      startWith: 'b',
      oneOf: ['a'],
    });
  });

  it('reads flags, numbers and locales', () => {
    const definition = created({
      'Attribute Title': 'Name',
      'Type of Attribute': 'SHORT TEXT',
      Mandatory: 'yes',
      Unique: 'TRUE',
      Inheritable: '0',
      'Max Length': '80',
      Locales: 'fr-FR: Nom\\; prénom; de: Name: lang',
    });
    assert.deepEqual(definition.validation, { required: true, unique: true, maxLength: 80 });
    assert.deepEqual(definition.locales, [
      { locale: 'fr-FR', name: 'Nom; prénom' },
      { locale: 'de', name: 'Name: lang' },
    ]);
  });

  it("reads numbers by the job's decimal separator, never 1.800 as 1.8", () => {
    const number = { 'Attribute Title': 'A', 'Type of Attribute': 'NUMBER', Decimal: 'TRUE' };
    assert.deepEqual(created({ ...number, Min: '1,5' }, ',').validation.range, { min: 1.5 });
    assert.deepEqual(problemsOf(parse({ ...number, Min: '1.800' }, 'INSERT', ',')), ['FIELD_INVALID Min']);
  });

  it('names columns in its problems', () => {
    const row = { 'Attribute Title': 'A', 'Type of Attribute': 'SHORT TEXT' };
    const cases: [Record<string, string>, string][] = [
      [{ ...row, 'Type of Attribute': 'SHORT TXT' }, 'FIELD_INVALID Type of Attribute'],
      [{ ...row, Mandatory: 'maybe' }, 'FIELD_INVALID Mandatory'],
      [{ ...row, 'Max Length': 'long' }, 'FIELD_INVALID Max Length'],
      [{ ...row, 'Max Length': '0' }, 'FIELD_INVALID Max Length'],
      [{ ...row, Pattern: '(' }, 'FIELD_INVALID Pattern'],
      [{ ...row, Decimal: 'TRUE' }, 'FIELD_INVALID Decimal'],
      [{ ...row, 'Calculation Formula': 'a+b' }, 'FORMULA_NOT_SUPPORTED Calculation Formula'],
      [{ ...row, 'Validation Formula': 'a>b' }, 'FORMULA_NOT_SUPPORTED Validation Formula'],
      [{ ...row, Locales: 'Nom' }, 'FIELD_INVALID Locales'],
      [{ ...row, Locales: 'x y: Nom' }, 'FIELD_INVALID Locales'],
      [{ ...row, 'Type of Attribute': 'LOV', 'Value 2': 'a', 'Value 5': 'a' }, 'FIELD_INVALID Value 5'],
      [{ ...row, 'Type of Attribute': 'DATE', 'Date Format': 'dd/mm/yyyy' }, 'FIELD_INVALID Date Format'],
      [{ 'Attribute Title': '', 'Type of Attribute': 'HTML' }, 'NAME_REQUIRED Attribute Title'],
      [{ 'Attribute Title': 'NULL', 'Type of Attribute': 'HTML' }, 'NAME_REQUIRED Attribute Title'],
      [{ 'Attribute Title': 'A' }, 'TYPE_REQUIRED Type of Attribute'],
      [{ 'Attribute Title': 'A', Min: '5' }, 'TYPE_REQUIRED Min'],
    ];
    for (const [cells, problem] of cases) assert.deepEqual(problemsOf(parse(cells, 'INSERT')), [problem]);
    assert.equal(attributeColumnOf('validation.range.max'), 'Max');
    assert.equal(attributeColumnOf('options[3]'), 'Value 4');
  });

  it('leaves alone what an upsert has an empty cell for, and clears what says NULL', () => {
    const existing = created({
      'Attribute Title': 'A',
      'Type of Attribute': 'NUMBER',
      Decimal: 'FALSE',
      Description: 'Old',
      Min: '1',
      Max: '9',
      Mandatory: 'TRUE',
    });
    const upserted = (row: Record<string, string>) =>
      accepted(
        decideAttributeChange(new AttributeSet([existing]), accepted(parse({ 'Attribute Title': 'A', ...row })), facts),
      ).definition;
    assert.deepEqual(upserted({ Description: '', Mandatory: '' }), existing);
    assert.deepEqual(upserted({ 'Type of Attribute': 'NUMBER', Max: 'NULL' }).validation, {
      required: true,
      range: { min: 1 },
    });
    assert.equal(upserted({ 'Type of Attribute': 'NUMBER' }).type, 'INTEGER');
    assert.equal(upserted({ Description: '\\NULL' }).description, 'NULL');
    assert.equal(upserted({ Description: '\\\\server' }).description, '\\server');
    assert.deepEqual(upserted({ Description: 'NULL', Mandatory: 'FALSE' }).validation, { range: { min: 1, max: 9 } });
  });
});

const word = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
  fc.constantFrom('NULL', '\\NULL', '\\', '\\\\x', '=1+1', 'a;b', 'a:b', '007', ' x ', 'x\ny'),
);
const name = word.map((text) => `n${text.replace(/[\p{Cc}\u2028\u2029]/gu, '')}`);
const flags = { required: fc.boolean(), unique: fc.boolean(), inheritable: fc.boolean() };
const integers = fc.maxSafeInteger();
const ordered = <T>(values: fc.Arbitrary<T>, compare: (a: T, b: T) => number) =>
  fc.tuple(values, values).map(([a, b]) => (compare(a, b) <= 0 ? { min: a, max: b } : { min: b, max: a }));
const decimals = fc
  .tuple(fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), fc.nat(999))
  .map(([whole, fraction]) => `${whole}.${fraction}`);
const sorted = (values: fc.Arbitrary<string>) => fc.uniqueArray(values, { minLength: 1, maxLength: 8 });
const element = fc
  .tuple(
    fc.record(
      {
        description: word,
        locales: fc.uniqueArray(fc.record({ locale: fc.constantFrom('fr', 'de-DE', 'pt_BR'), name }), {
          selector: ({ locale }) => locale,
        }),
      },
      { requiredKeys: [] },
    ),
    fc.record(flags, { requiredKeys: [] }),
    fc.oneof(
      fc.record(
        {
          type: fc.constant('TEXT'),
          textSubType: fc.constantFrom('SMALL_TEXT', 'TEXT_AREA', 'HTML'),
          validation: fc.record(
            {
              contains: word,
              startWith: word,
              pattern: fc.constantFrom('^a+$', '\\d', 'NULL'),
              maxLength: fc.integer({ min: 1, max: 65_536 }),
              oneOf: sorted(word),
            },
            { requiredKeys: [] },
          ),
        },
        { requiredKeys: ['type'] },
      ),
      fc.record({
        type: fc.constant('INTEGER'),
        validation: fc.record(
          { range: ordered(integers, (a, b) => a - b), oneOf: fc.uniqueArray(integers, { minLength: 1 }) },
          { requiredKeys: [] },
        ),
      }),
      fc.record({
        type: fc.constant('DECIMAL'),
        validation: fc.record({ range: fc.record({ min: decimals }) }, { requiredKeys: [] }),
      }),
      fc.record({
        type: fc.constant('DATETIME'),
        format: fc.constantFrom('dd.MM.yyyy', null),
        validation: fc.record(
          {
            range: ordered(
              fc
                .date({ min: new Date(0), max: new Date('9999-01-01'), noInvalidDate: true })
                .map((date) => date.toISOString()),
              (a, b) => (a < b ? -1 : 1),
            ),
          },
          { requiredKeys: [] },
        ),
      }),
      fc.record({
        type: fc.constant('SERIAL'),
        serialStart: integers,
        validation: fc.record({ incrementBy: fc.integer({ min: 1 }) }, { requiredKeys: [] }),
      }),
      fc.record({ type: fc.constant('BOOLEAN'), validation: fc.constant({}) }),
      fc.record({
        type: fc.constant('OPTIONS'),
        optionsType: fc.constant('TEXT'),
        options: sorted(word),
        validation: fc.constant({}),
      }),
      fc.record({
        type: fc.constant('OPTIONS'),
        optionsType: fc.constant('INTEGER'),
        options: fc.uniqueArray(fc.integer(), { minLength: 1 }),
        validation: fc.constant({}),
      }),
      fc.record({
        type: fc.constant('OPTIONS'),
        optionsType: fc.constant('DECIMAL'),
        options: fc.constant([1.5, '20', '0.001']),
        validation: fc.constant({}),
      }),
    ),
    name,
  )
  .map(([common, given, { validation, ...fields }, title]) => ({
    name: title,
    ...common,
    ...fields,
    validation: { ...validation, ...given },
  }));

describe('attributeToCells', () => {
  it('writes what a file reads back: unchanged where it came from, the same elsewhere', () => {
    fc.assert(
      fc.property(element, fc.constantFrom('.' as const, ',' as const), (bulk, separator) => {
        const input = accepted(parseAttributeInput(bulk));
        const { definition } = accepted(decideAttributeChange(new AttributeSet([]), input, facts));
        const header = attributeExportHeader(valueColumnsOf(definition));
        const cells = attributeToCells(definition, valueColumnsOf(definition), separator);
        assert.equal(cells.length, header.length);
        const read = accepted(parseAttributeRow(resolveAttributeHeader(header), cells, 'UPSERT', separator));
        assert.equal(accepted(decideAttributeChange(new AttributeSet([definition]), read, facts)).kind, 'unchanged');
        assert.deepEqual(accepted(decideAttributeChange(new AttributeSet([]), read, facts)).definition, definition);
      }),
      { numRuns: 1000 },
    );
  });

  it('makes an element that the bulk validator takes as it is', () => {
    const definition = created({ 'Attribute Title': 'A', 'Type of Attribute': 'LOV', 'Value 1': 'a' });
    const bulk = attributeFromCells(resolveAttributeHeader(attributeExportHeader()), attributeToCells(definition));
    accepted(parseAttributeInput(accepted(bulk)));
  });

  it('refuses fewer columns than values', () => {
    const definition = created({ 'Attribute Title': 'A', 'Type of Attribute': 'LOV', 'Value 1': 'a', 'Value 2': 'b' });
    assert.throws(() => attributeToCells(definition, 1), RangeError);
  });
});
