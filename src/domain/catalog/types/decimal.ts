/** The attribute type DECIMAL: numbers kept exactly; no digit is guessed, rounded or lost. */
import { decimalCell } from '../../formats/xlsx/decimal-cell.js';
import { numeralCell } from '../model/sql-cells.js';
import type { AttributeType } from './attribute-type.js';
import { ANY_DECIMAL, decimalValues } from './decimal-values.js';
import { NUMBER_FILTER } from './filters.js';
import { exactRange, numberEncoder } from './number-encoder.js';
import { onlyListed, resolveOneOf } from './one-of.js';
import { compareNumbers, resolveRange } from './resolve-values.js';
import { NUMBER_CELLS } from './workbook-cells.js';

const FILE_FORM = { fileType: 'NUMBER', decimal: true, numerals: true } as const;

export const DECIMAL: AttributeType = {
  summary: 'Numbers with decimals, kept exactly. Answers and exports to JSON Lines show them as text.',
  fields: [],
  rules: ['range', 'oneOf'],
  resolve: ({ validation }, problems) => ({
    fields: {},
    rules: {
      ...resolveRange(ANY_DECIMAL.fromJson, compareNumbers, validation?.range, problems),
      ...resolveOneOf(ANY_DECIMAL.fromJson, validation?.oneOf, problems),
    },
  }),
  mappings: [],
  fileForms: [FILE_FORM, { fileType: 'NUMBER', numerals: true }],
  fileForm: () => FILE_FORM,
  codec: ({ validation }, { decimalSeparator }) =>
    onlyListed(decimalValues(validation.range, decimalSeparator), validation.oneOf),
  encoder: ({ validation }, { decimalSeparator }) => {
    const range = exactRange(validation.range);
    if (range === null || decimalSeparator !== '.' || validation.oneOf !== undefined) return null;
    return numberEncoder(range, true);
  },
  jsonTokens: ['number', 'text'],
  exportCell: (_definition, value, { decimalSeparator }) => numeralCell(value, decimalSeparator),
  // Those that a double holds exactly are stored as numbers, the others as texts: readers get texts throughout.
  jsonForm: 'quoted',
  workbook: () => NUMBER_CELLS,
  choices: ({ validation }) => validation.oneOf?.map(decimalCell),
  filter: () => NUMBER_FILTER,
  comparable: (stored) => stored,
  forms: {
    csv: {
      accepts:
        'Digits with or without a sign, with `decimalSeparator` before the fraction (`.5` and `5.` too) and with or without an exponent; at most 1,000 digits, all of which are kept',
      refuses: 'Thousands separators, and the other decimal separator (`VALUE_TYPE`), more digits (`VALUE_RANGE`)',
      example: '`1800.50`, `1.2E+5`',
    },
    workbook: { accepts: 'Numbers, and texts as in CSV', refuses: 'Dates (`VALUE_TYPE`)', example: '1800.5' },
    json: {
      accepts:
        'A number, or a text with a point; at most 1,000 digits when written out, all of which are kept as they are written',
      refuses: 'Other texts (`VALUE_TYPE`), more digits (`VALUE_RANGE`)',
      example: '`0.1000000000000000001`, `"1800.50"`',
    },
  },
  examples: [
    {
      definition: {},
      cells: {
        '1800.50': '1800.5',
        '1.2E+5': '120000',
        ' .5 ': '0.5',
        '0.1000000000000000001': '"0.1000000000000000001"',
      },
      refusedCells: { '1.800,50': 'VALUE_TYPE', '1,5': 'VALUE_TYPE', '1e1001': 'VALUE_RANGE', x: 'VALUE_TYPE' },
      values: [1800.5, 0, '0.1000000000000000001', -0.001],
      refusedValues: [true, 1e300, '1,5'],
    },
    {
      definition: { validation: { range: { min: 0.01, max: 99.5 } } },
      cells: { '0.01': '0.01', '99.50': '99.5' },
      refusedCells: { 0: 'VALUE_RANGE', '99.51': 'VALUE_RANGE' },
      values: [0.01, 99.5],
      refusedValues: [0, 99.51],
    },
    {
      definition: { validation: { oneOf: [0.5, '12345678901234567.5'] } },
      cells: { '0.50': '0.5', '12345678901234567.5': '"12345678901234567.5"' },
      refusedCells: { 1: 'VALUE_NOT_IN_OPTIONS' },
      values: [0.5],
      refusedValues: [1],
    },
  ],
};
