/** The attribute type DATETIME: a day, or an instant in UTC. */

import { MINUS, NINE, ZERO } from '../../kernel/characters.js';
import type { AttributeValidation } from '../model/attribute-definition.js';
import type { ByteEncoder } from '../model/compiled-attribute.js';
import { compileDateFormat } from '../model/date-format.js';
import type { AttributeType } from './attribute-type.js';
import { copyQuoted, NOT_ENCODED } from './byte-encoder.js';
import { dateCell } from './date-cell.js';
import { ANY_DATE, compareDates, datetimeValues } from './date-values.js';
import { DATE_FILTER } from './filters.js';
import { onlyListed, resolveOneOf } from './one-of.js';
import { attempt, resolveRange } from './resolve-values.js';
import { DATE_CELLS } from './workbook-cells.js';

const FILE_FORM = { fileType: 'DATE' } as const;

export const DATETIME: AttributeType = {
  summary:
    'A day, or an instant that is stored in UTC with milliseconds. ISO 8601 is `2026-01-31` for a day, and `2026-01-31T09:30`, `2026-01-31 09:30:00` or `2026-01-31T09:30:00.250+02:00` for an instant. Without an offset, the time is UTC. Years go from 1 to 9999.',
  fields: ['format'],
  rules: ['range', 'oneOf'],
  resolve: ({ format, validation }, problems) => {
    if (format) attempt(() => compileDateFormat(format), 'format', format, problems);
    return {
      fields: format ? { format } : {},
      rules: {
        ...resolveRange(ANY_DATE.fromJson, compareDates, validation?.range, problems),
        ...resolveOneOf(ANY_DATE.fromJson, validation?.oneOf, problems),
      },
    };
  },
  mappings: [],
  fileForms: [FILE_FORM],
  fileForm: () => FILE_FORM,
  codec: (definition, { dateFormat }) =>
    onlyListed(datetimeValues(definition, dateFormat), definition.validation.oneOf),
  encoder: ({ format, validation }, { dateFormat }) => {
    const hasFormat = format !== undefined || dateFormat !== undefined;
    return hasFormat || validation.oneOf !== undefined ? null : dayEncoder(validation.range);
  },
  jsonTokens: ['text'],
  exportCell: ({ format }, value, { isoDates }) => (isoDates || format === undefined ? value : dateCell(format, value)),
  jsonForm: 'stored',
  workbook: () => DATE_CELLS,
  choices: () => undefined,
  filter: () => DATE_FILTER,
  comparable: (stored) => stored,
  forms: {
    csv: {
      accepts:
        "The attribute's format, otherwise `options.dateFormat`; besides, ISO 8601 if the text does not have the form of that format. Outer blanks are ignored",
      refuses: 'Days and times that do not exist (`VALUE_TYPE`), fractions finer than a millisecond (`VALUE_RANGE`)',
      example: '`31.01.2026`',
    },
    workbook: {
      accepts: 'Cells with a date or a date with time, and texts as in CSV',
      refuses: 'Numbers and times without a date (`VALUE_TYPE`)',
      example: '2026-01-31',
    },
    json: {
      accepts: 'A text in ISO 8601',
      refuses: 'Other formats, numbers (`VALUE_TYPE`)',
      example: '`"2026-01-31T09:30:00Z"`',
    },
  },
  examples: [
    {
      definition: {},
      cells: {
        '2026-01-31': '"2026-01-31"',
        ' 2024-02-29 ': '"2024-02-29"',
        '2026-01-31 09:30': '"2026-01-31T09:30:00.000Z"',
        '2026-01-31T09:30:00.250+02:00': '"2026-01-31T07:30:00.250Z"',
      },
      refusedCells: {
        '31.01.2026': 'VALUE_TYPE',
        '2023-02-29': 'VALUE_TYPE',
        '2026-01-31T24:00Z': 'VALUE_TYPE',
        '2026-01-31T09:30:00.0001Z': 'VALUE_RANGE',
      },
      values: ['2026-01-31', '2026-01-31T09:30:00.000Z', '0001-01-01'],
      refusedValues: ['31.01.2026', 20260131],
    },
    {
      definition: { format: 'dd.MM.yyyy' },
      cells: { '31.01.2026': '"2026-01-31"', '2026-01-31': '"2026-01-31"' },
      refusedCells: { '30.02.2026': 'VALUE_TYPE', '31.01.26': 'VALUE_TYPE' },
      values: ['2026-01-31', '2026-01-31T09:30:00.000Z'],
      refusedValues: ['31.01.2026'],
    },
    {
      definition: { validation: { range: { min: '1990-01-01', max: '2030-06-15' } } },
      cells: { '1990-01-01': '"1990-01-01"', '2030-06-15T23:59Z': '"2030-06-15T23:59:00.000Z"' },
      refusedCells: { '1989-12-31': 'VALUE_RANGE', '2030-06-16': 'VALUE_RANGE' },
      values: ['2030-06-15'],
      refusedValues: ['2030-06-16'],
    },
    {
      definition: { validation: { oneOf: ['2026-01-31'] } },
      cells: { '2026-01-31': '"2026-01-31"' },
      refusedCells: { '2026-02-01': 'VALUE_NOT_IN_OPTIONS' },
      values: ['2026-01-31'],
      refusedValues: ['2026-02-01'],
    },
  ],
};

/** The last day that each month has in every year. */
const LAST_DAYS = Uint8Array.of(0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31);

/** Encodes `YYYY-MM-DD` if the month has this day in every year. */
function dayEncoder(range: AttributeValidation['range']): ByteEncoder | null {
  const first = dayNumber(range?.min ?? '0001-01-01');
  const last = dayNumber(range?.max ?? '9999-12-31');
  if (first === null || last === null) return null;
  return (source, start, end, target, at) => {
    if (end - start !== 10 || source[start + 4] !== MINUS || source[start + 7] !== MINUS) return NOT_ENCODED;
    let digits = 0;
    for (let index = start; index < end; index++) {
      if (index === start + 4 || index === start + 7) continue;
      const byte = source[index] as number;
      if (byte < ZERO || byte > NINE) return NOT_ENCODED;
      digits = digits * 10 + (byte - ZERO);
    }
    const month = Math.floor(digits / 100) % 100;
    const day = digits % 100;
    if (digits < first || digits > last || month < 1 || month > 12) return NOT_ENCODED;
    if (day < 1 || day > (LAST_DAYS[month] as number)) return NOT_ENCODED;
    return copyQuoted(source, start, end, target, at);
  };
}

/** The digits of a day as one number, which sorts as days do; null when the limit is not a plain day. */
function dayNumber(end: string | number): number | null {
  return typeof end === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(end) ? Number(end.replaceAll('-', '')) : null;
}
