/** The attribute type INTEGER: whole numbers that a double holds exactly. */
import { decimalCell } from '../../formats/xlsx/decimal-cell.js';
import { describeJson, outOfRange, quoted, ValueProblem } from '../../kernel/value-problem.js';
import { WrittenNumber } from '../../kernel/written-number.js';
import type { AttributeValidation } from '../model/attribute-definition.js';
import type { ValueCodec } from '../model/compiled-attribute.js';
import type { AttributeType } from './attribute-type.js';
import { NUMBER_FILTER } from './filters.js';
import { exactRange, numberEncoder } from './number-encoder.js';
import { onlyListed, resolveOneOf } from './one-of.js';
import { compareNumbers, type GivenReader, resolveRange } from './resolve-values.js';
import { NUMBER_CELLS } from './workbook-cells.js';

/** Integers in canonical form with so few digits that they are safe. */
const CANONICAL = /^(?:0|-?[1-9][0-9]{0,14})$/;
const SIGNED_DIGITS = /^[+-]?[0-9]+$/;

/** The whole number that a text holds, with or without a sign; null when it holds none. */
export function integerFromText(text: string): number | null {
  const trimmed = text.trim();
  // Adding zero turns -0, which JSON would write as 0, into 0.
  return SIGNED_DIGITS.test(trimmed) ? Number(trimmed) + 0 : null;
}

/** Reads a whole number of a definition. It may be given as text, because files hold only text. */
export const readGivenInteger: GivenReader = (given) =>
  typeof given === 'string' ? ANY_INTEGER.fromText(given) : ANY_INTEGER.fromJson(given);

const FILE_FORM = { fileType: 'NUMBER', decimal: false, numerals: true } as const;

export const INTEGER: AttributeType = {
  summary: 'Whole numbers.',
  fields: [],
  rules: ['range', 'oneOf'],
  resolve: ({ validation }, problems) => ({
    fields: {},
    rules: {
      ...resolveRange(readGivenInteger, compareNumbers, validation?.range, problems),
      ...resolveOneOf(readGivenInteger, validation?.oneOf, problems),
    },
  }),
  mappings: [],
  fileForms: [FILE_FORM],
  fileForm: () => FILE_FORM,
  codec: ({ validation }) => onlyListed(integerValues(validation.range), validation.oneOf, readGivenInteger),
  encoder: ({ validation }) => {
    const range = exactRange(validation.range);
    return range === null || validation.oneOf !== undefined ? null : numberEncoder(range, false);
  },
  jsonTokens: ['number'],
  exportCell: (_definition, value) => value,
  jsonForm: 'bare',
  workbook: () => NUMBER_CELLS,
  choices: ({ validation }) => validation.oneOf?.map(decimalCell),
  filter: () => NUMBER_FILTER,
  comparable: (stored) => stored,
  forms: {
    csv: {
      accepts:
        'Digits with or without a sign, from -9007199254740991 to 9007199254740991; leading zeros and outer blanks are ignored',
      refuses: 'Separators, decimals and exponents (`VALUE_TYPE`), larger numbers (`VALUE_RANGE`)',
      example: '`+042`',
    },
    workbook: {
      accepts: 'Whole numbers, and texts as in CSV',
      refuses: 'Other numbers, dates (`VALUE_TYPE`)',
      example: '42',
    },
    json: {
      accepts: 'A whole number in digits, from -9007199254740991 to 9007199254740991',
      refuses: 'Texts, decimals and exponents, `1.0` and `1e3` too (`VALUE_TYPE`), larger numbers (`VALUE_RANGE`)',
      example: '`42`',
    },
  },
  examples: [
    {
      definition: {},
      cells: { 42: '42', '+042': '42', ' -7 ': '-7', '-0': '0', 9007199254740991: '9007199254740991' },
      refusedCells: {
        '1.0': 'VALUE_TYPE',
        '1,000': 'VALUE_TYPE',
        '1e3': 'VALUE_TYPE',
        9007199254740993: 'VALUE_RANGE',
      },
      values: [42, 0, -9007199254740991],
      refusedValues: ['42', 1.5, 2 ** 53],
    },
    {
      definition: { validation: { range: { min: -5, max: 1000 } } },
      cells: { '-5': '-5', 1000: '1000' },
      refusedCells: { '-6': 'VALUE_RANGE', 1001: 'VALUE_RANGE' },
      values: [-5, 1000],
      refusedValues: [-6, 1001],
    },
    {
      definition: { validation: { oneOf: [1, 20] } },
      cells: { '01': '1' },
      refusedCells: { 2: 'VALUE_NOT_IN_OPTIONS' },
      values: [1, 20],
      refusedValues: [2],
    },
  ],
};

/** @throws Error when a limit of the range is not an integer */
function integerValues(range: AttributeValidation['range']): ValueCodec {
  const min = bound(range?.min);
  const max = bound(range?.max);
  const unbounded = min === undefined && max === undefined;

  function checked(value: number, source: unknown): string | ValueProblem {
    if (!Number.isSafeInteger(value)) return unsafe(source);
    if (min !== undefined && value < min) return outOfRange(source, `below the minimum, ${min}`);
    if (max !== undefined && value > max) return outOfRange(source, `above the maximum, ${max}`);
    return String(value);
  }

  function fromText(text: string): string | ValueProblem {
    if (CANONICAL.test(text)) return unbounded ? text : checked(Number(text), text);
    const value = integerFromText(text);
    return value === null ? notWhole(text) : checked(value, text);
  }

  return {
    fromText,
    fromJson(value) {
      if (value instanceof WrittenNumber) return fromText(value.text);
      if (typeof value !== 'number') return notNumber(value);
      if (!Number.isFinite(value)) return unsafe(value);
      return Number.isInteger(value) ? checked(value, value) : notWhole(value);
    },
    toText: (value) => String(value ?? ''),
  };
}

/** Reads whole numbers without any rules. */
export const ANY_INTEGER = integerValues(undefined);

function bound(end: number | string | undefined): number | undefined {
  if (end === undefined) return undefined;
  const value = typeof end === 'number' ? end : (integerFromText(end) ?? Number.NaN);
  if (!Number.isSafeInteger(value)) throw new Error(`the range's end ${quoted(end)} is not a whole number`);
  return value;
}

function notWhole(source: unknown): ValueProblem {
  const message = `${quoted(source)} is not a whole number in digits: write digits only, without separators, decimals or an exponent`;
  return new ValueProblem('VALUE_TYPE', message, source);
}

function notNumber(value: unknown): ValueProblem {
  return new ValueProblem(
    'VALUE_TYPE',
    `${describeJson(value)} is not a number: write a whole number, unquoted`,
    value,
  );
}

function unsafe(source: unknown): ValueProblem {
  const message = `${quoted(source)} is beyond ±9007199254740991, where whole numbers lose digits: use a TEXT or DECIMAL attribute`;
  return new ValueProblem('VALUE_RANGE', message, source);
}
