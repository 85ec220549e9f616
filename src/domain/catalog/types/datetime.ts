/** The attribute type DATETIME: a day, or an instant in UTC. */
import type { Sql } from '../../../../db/sql.js';
import { joinSql, sql } from '../../../../db/sql.js';
import { MINUS, NINE, ZERO } from '../../kernel/characters.js';
import type { DateField, DateFormat, DatePiece, DateToken } from '../../kernel/date-format.js';
import { compileDateFormat } from '../../kernel/date-format.js';
import type { DateFault } from '../../kernel/iso-date.js';
import { canonicalIso } from '../../kernel/iso-date.js';
import { describeJson, quoted, ValueProblem } from '../../kernel/value-problem.js';
import type { AttributeDefinition, AttributeValidation } from '../attribute-definition.js';
import type { ByteEncoder, Doubt, ValueCodec } from '../compiled-attribute.js';
import { textCell } from '../compiled-attribute.js';
import type { AttributeType } from './attribute-type.js';
import { copyQuoted, NOT_ENCODED } from './byte-encoder.js';
import { DATE_FILTER } from './filters.js';
import { attempt, onlyListed, resolveOneOf, resolveRange } from './resolve-values.js';
import { DATE_CELLS } from './workbook-cells.js';

const CANONICAL_DAY_LENGTH = 10;

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
  numbersItems: false,
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
  isFreeText: false,
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

/**
 * Cells of files are read in the attribute's format, else in the job's, else as ISO 8601. ISO 8601 is accepted besides
 * a format as well, but only for texts that do not have the shape of the format: `2024-13-01` is a wrong `yyyy-MM-dd`
 * and is not tried as anything else. So a value that its format cannot express is exported in ISO and imported
 * unchanged. JSON accepts ISO only.
 *
 * @throws Error when the format or a limit of the range cannot be read
 */
function datetimeValues(
  definition: Pick<AttributeDefinition, 'format' | 'validation'>,
  jobFormat: string | undefined,
): ValueCodec {
  const pattern = definition.format ?? jobFormat;
  const format = pattern === undefined ? undefined : compileDateFormat(pattern);
  const min = bound(definition.validation.range?.min);
  const max = bound(definition.validation.range?.max);

  function checked(canonical: string, source: string): string | ValueProblem {
    if (min !== undefined && compareDates(canonical, min) < 0)
      return outside(source, `before the earliest allowed date, ${min}`);
    if (max !== undefined && compareDates(canonical, max) > 0)
      return outside(source, `after the latest allowed date, ${max}`);
    return `"${canonical}"`;
  }

  /** A format may begin or end with spaces; all other outer spaces are ignored. */
  function readText(text: string): string | DateFault {
    const trimmed = text.trim();
    for (const form of trimmed === text ? [text] : [text, trimmed]) {
      const read = format?.read(form);
      if (read !== undefined && !isOtherwiseShaped(read)) return read;
    }
    return canonicalIso(trimmed);
  }

  return {
    fromText(text) {
      const canonical = readText(text);
      return typeof canonical === 'string'
        ? checked(canonical, text)
        : unreadable(canonical, text, pattern, HOW_TO_NAME);
    },
    fromJson(value) {
      if (typeof value !== 'string') return notDate(value);
      const canonical = canonicalIso(value);
      return typeof canonical === 'string' ? checked(canonical, value) : unreadable(canonical, value, undefined);
    },
    toText(value) {
      const canonical = String(value ?? '');
      return format?.write(canonical) ?? canonical;
    },
    doubt: format === undefined ? undefined : doubtOf(format),
  };
}

/** Days whose day and month may be exchanged: `03/04/2026` where another cell says `03/31/2026`. */
function doubtOf({ pieces, read, readExchanged }: DateFormat): Doubt | undefined {
  const fields = pieces.flatMap((piece) => (typeof piece === 'string' ? [] : piece.field));
  // With an offset, the day that is stored may be another one.
  if (fields.includes('offset') || fields[0] === 'year') return undefined;
  return {
    about: 'DATE',
    isAmbiguous: (text, json) => {
      // The month and the day of `"2026-04-03"`.
      const month = json.slice(6, 8);
      const day = json.slice(9, 11);
      return day <= '12' && day !== month && !ISO_DAY.test(text);
    },
    // A day is always read by a format that the attribute or the job names.
    isDecisive: () => false,
    isContrary: (text) => {
      const refused = read(text.trim());
      return typeof refused !== 'string' && refused.fault === 'calendar' && readExchanged(text.trim()) !== null;
    },
  };
}

const ISO_DAY = /^\s*[0-9]{4}-[0-9]{2}-[0-9]{2}/;

/** Reads dates without any rules. */
const ANY_DATE = datetimeValues({ validation: {} }, undefined);

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

/** A bound that is a day includes the whole day; a value that is a day counts as its first instant. */
function compareDates(value: string, bound: string): number {
  if (bound.length === CANONICAL_DAY_LENGTH) return compareText(value.slice(0, CANONICAL_DAY_LENGTH), bound);
  return compareText(value.length === CANONICAL_DAY_LENGTH ? `${value}T00:00:00.000Z` : value, bound);
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function isOtherwiseShaped(read: string | DateFault): boolean {
  return typeof read !== 'string' && read.fault === 'shape';
}

function bound(end: number | string | undefined): string | undefined {
  if (end === undefined) return undefined;
  const canonical = canonicalIso(String(end));
  if (typeof canonical !== 'string') throw new Error(`the range's end ${quoted(end)} is not an ISO 8601 date`);
  return canonical;
}

/** What a file can do that is written in another form as a whole. */
const HOW_TO_NAME = ', or give the option dateFormat with the form that the file has, such as dd.MM.yyyy';

/** @param otherwise what to do if all dates are written in another form, if there is something */
function unreadable({ fault }: DateFault, text: string, pattern: string | undefined, otherwise = ''): ValueProblem {
  const form = pattern === undefined ? 'ISO 8601, like 2024-01-31 or 2024-01-31T09:30:00Z' : `the format ${pattern}`;
  switch (fault) {
    case 'shape':
      return new ValueProblem(
        'VALUE_TYPE',
        `${quoted(text)} is not a date: write it in ${form}${pattern === undefined ? otherwise : ''}`,
        text,
      );
    case 'calendar':
      return new ValueProblem(
        'VALUE_TYPE',
        `${quoted(text)} is not a day of the calendar when read in ${form}: correct it`,
        text,
      );
    case 'time':
      return new ValueProblem(
        'VALUE_TYPE',
        `${quoted(text)} has no valid time of day when read in ${form}: correct it`,
        text,
      );
    case 'precision':
      return new ValueProblem('VALUE_RANGE', `${quoted(text)} is finer than a millisecond: round it`, text);
    case 'range':
      return new ValueProblem('VALUE_RANGE', `${quoted(text)} is outside the years 1 to 9999 in UTC`, text);
  }
}

function notDate(value: unknown): ValueProblem {
  return new ValueProblem('VALUE_TYPE', `${describeJson(value)} is not a date: write an ISO 8601 date as text`, value);
}

function outside(source: string, where: string): ValueProblem {
  return new ValueProblem('VALUE_RANGE', `${quoted(source)} is ${where}`, source);
}

// SQL that writes dates into CSV cells in the format of their attribute.

const DAY_CHARACTERS = 10;
const INSTANT_CHARACTERS = 24;

/** A value that the format cannot express is written in ISO 8601, which imports accept besides any format. */
function dateCell(format: string, value: Sql): Sql {
  // Imports trim cells before they apply a format.
  if (format.trim() !== format) return value;
  const { pieces } = compileDateFormat(format);
  const fields = new Set(
    pieces.filter((piece): piece is DateToken => typeof piece !== 'string').map(({ field }) => field),
  );
  const hasTime = fields.has('hour') || fields.has('hour12');
  const fits = [sql`length(${value}) = ${hasTime ? INSTANT_CHARACTERS : DAY_CHARACTERS}`];
  if (hasTime) {
    for (const field of ['minute', 'second', 'millisecond'] as const) {
      // A part that the format leaves out must be zero, otherwise it would be lost.
      if (!fields.has(field)) fits.push(sql`${part(value, field)} = ${'0'.repeat(PLACES[field].length)}`);
    }
  }
  const written = joinSql(
    pieces.map((piece) => writtenPiece(piece, value)),
    ' || ',
  );
  const cell = sql`CASE WHEN ${joinSql(fits, ' AND ')} THEN ${written} ELSE ${value} END`;
  const [first] = pieces;
  return typeof first === 'string' && first.startsWith('\\') ? textCell(sql`(${cell})`) : cell;
}

/** The position of each part in `YYYY-MM-DDTHH:mm:ss.sssZ`, counted from 1. */
const PLACES = {
  year: { from: 1, length: 4 },
  month: { from: 6, length: 2 },
  day: { from: 9, length: 2 },
  hour: { from: 12, length: 2 },
  minute: { from: 15, length: 2 },
  second: { from: 18, length: 2 },
  millisecond: { from: 21, length: 3 },
} as const;

function writtenPiece(piece: DatePiece, value: Sql): Sql {
  if (typeof piece === 'string') return sql`${piece}`;
  const { field, width } = piece;
  if (field === 'offset') return sql`'Z'`;
  if (field === 'half') return sql`CASE WHEN ${part(value, 'hour')} < '12' THEN 'AM' ELSE 'PM' END`;
  if (field === 'hour12') return padded(sql`((${part(value, 'hour')}::integer + 11) % 12 + 1)`, width);
  return width === 1 ? sql`(${part(value, field)}::integer)::text` : part(value, field);
}

function part(value: Sql, field: keyof typeof PLACES & DateField): Sql {
  const { from, length } = PLACES[field];
  return sql`substr(${value}, ${from}, ${length})`;
}

function padded(hour: Sql, width: number): Sql {
  return width === 1 ? sql`${hour}::text` : sql`lpad(${hour}::text, ${width}, '0')`;
}
