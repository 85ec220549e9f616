/** The attribute type OPTIONS: one of a list, stored as text. */
import { type Sql, sql } from '../../../../db/sql.js';
import { decimalCell } from '../../formats/xlsx/decimal-cell.js';
import { ByteMap } from '../../kernel/byte-map.js';
import { canonicalDecimal } from '../../kernel/exact-decimal.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { describeJson, quoted, ValueProblem } from '../../kernel/value-problem.js';
import { WrittenNumber } from '../../kernel/written-number.js';
import type { AttributeDefinition, OptionsType } from '../model/attribute-definition.js';
import type { ByteEncoder, ValueCodec, ValueFormat } from '../model/compiled-attribute.js';
import { numeralCell, textCell } from '../model/sql-cells.js';
import type { GivenValue } from './attribute-draft.js';
import type { AttributeType, FileForm } from './attribute-type.js';
import { copyQuoted, NOT_ENCODED } from './byte-encoder.js';
import { ANY_DECIMAL } from './decimal-values.js';
import { fieldInvalid } from './field-invalid.js';
import { NUMBER_FILTER, TEXT_FILTER } from './filters.js';
import { readGivenInteger } from './integer.js';
import { notAllowed } from './not-allowed.js';
import { listedInNfc } from './one-of.js';
import { type GivenReader, resolveValues } from './resolve-values.js';
import { ANY_TEXT } from './text.js';
import { CHOICE_CELLS, NUMBER_CELLS } from './workbook-cells.js';

interface Kind {
  readonly readOption: GivenReader;
  readonly fileForm: FileForm;
  readonly isNumeric: boolean;
  /** Whether a value can hold a decimal separator. */
  readonly hasSeparator: boolean;
}

/** What depends on the type of the options. */
const KINDS: Readonly<Record<OptionsType, Kind>> = {
  // This file form names no type of options, so that an existing attribute keeps its own.
  TEXT: { readOption: ANY_TEXT.fromJson, fileForm: { fileType: 'LOV' }, isNumeric: false, hasSeparator: false },
  INTEGER: {
    readOption: readGivenInteger,
    fileForm: { fileType: 'LOV', decimal: false, fields: { optionsType: 'INTEGER' }, numerals: true },
    isNumeric: true,
    hasSeparator: false,
  },
  DECIMAL: {
    readOption: ANY_DECIMAL.fromJson,
    fileForm: { fileType: 'LOV', decimal: true, fields: { optionsType: 'DECIMAL' }, numerals: true },
    isNumeric: true,
    hasSeparator: true,
  },
};

export const OPTIONS: AttributeType = {
  summary: 'One of the options that the attribute lists.',
  fields: ['optionsType', 'options'],
  rules: ['oneOf'],
  resolve: ({ optionsType, options, validation }, problems) => {
    const resolvedType = optionsType ?? 'TEXT';
    const resolved = resolveOptions(resolvedType, options ?? [], validation?.oneOf ?? [], problems);
    if (resolved.length === 0) {
      problems.push(fieldInvalid('options', 'must name at least one value for an OPTIONS attribute'));
    }
    return { fields: { optionsType: resolvedType, options: resolved }, rules: {} };
  },
  mappings: [],
  fileForms: Object.values(KINDS).map(({ fileForm }) => fileForm),
  fileForm: (definition) => kindOf(definition).fileForm,
  codec: optionValues,
  encoder: (definition, { decimalSeparator }) => {
    // With another separator, the option 0.5 is written 0,5, and a cell 0.5 is refused.
    const isWrittenAlike = decimalSeparator === '.' || !kindOf(definition).hasSeparator;
    return isWrittenAlike ? optionEncoder(definition.options ?? []) : null;
  },
  jsonTokens: ['text'],
  exportCell: (definition, value, { decimalSeparator }) => {
    if (kindOf(definition).hasSeparator) return numeralCell(value, decimalSeparator);
    // If no option needs an escape, Postgres does not have to check a million cells.
    return (definition.options ?? []).some(isEscaped) ? textCell(value) : value;
  },
  jsonForm: 'stored',
  isFreeText: true,
  workbook: (definition) => (kindOf(definition).isNumeric ? NUMBER_CELLS : CHOICE_CELLS),
  choices: (definition) => {
    const { options = [] } = definition;
    return kindOf(definition).isNumeric ? options.map(decimalCell) : options;
  },
  filter: (definition) => (kindOf(definition).isNumeric ? NUMBER_FILTER : TEXT_FILTER),
  // Items may hold other texts from before the options became numbers.
  comparable: (stored, comparison) => (comparison === 'number' ? numeralIn(stored) : stored),
  forms: {
    csv: {
      accepts:
        'One of the options. Texts must match exactly, with case and blanks; accents may be characters of their own (NFD). Numbers are compared by their value (`05` is 5), with `decimalSeparator`',
      refuses: 'Anything else (`VALUE_NOT_IN_OPTIONS`)',
      example: '`Red`',
    },
    workbook: {
      accepts: 'The same as text; a number is compared as its digits, or by its value if the options are numbers',
      refuses: 'Dates (`VALUE_TYPE`), anything else (`VALUE_NOT_IN_OPTIONS`)',
      example: 'Red',
    },
    json: {
      accepts: 'A text; if the options are numbers, also a number, or a text with a point',
      refuses: 'Other JSON values (`VALUE_TYPE`), other texts (`VALUE_NOT_IN_OPTIONS`)',
      example: '`"Red"`',
    },
  },
  examples: [
    {
      definition: { options: ['Red', 'Grün', 'a,b', 'say "x"', 'NULL', '\\x', '\x7f', '–'] },
      cells: { Red: '"Red"', Grün: '"Grün"', 'say "x"': '"say \\"x\\""' },
      refusedCells: { red: 'VALUE_NOT_IN_OPTIONS', ' Red': 'VALUE_NOT_IN_OPTIONS' },
      values: ['Red', 'NULL', '\\x', '–'],
      refusedValues: ['red', 1],
    },
    {
      definition: { optionsType: 'INTEGER', options: [1, -20, 300] },
      cells: { 1: '"1"', '0300': '"300"' },
      refusedCells: { 2: 'VALUE_NOT_IN_OPTIONS', one: 'VALUE_NOT_IN_OPTIONS' },
      values: ['1', '-20'],
      refusedValues: [2, true],
    },
    {
      definition: { optionsType: 'DECIMAL', options: ['0.5', '-1.25', '12345678901234567.5', '7'] },
      cells: { '0.50': '"0.5"', '12345678901234567.5': '"12345678901234567.5"' },
      refusedCells: { '0,5': 'VALUE_NOT_IN_OPTIONS' },
      values: ['0.5', '12345678901234567.5'],
      refusedValues: [0.25, null],
    },
  ],
};

/**
 * The options. Other systems name them in `validation.oneOf`, which stands for `options` and is not stored besides; if
 * both are given, they must name the same values.
 */
function resolveOptions(
  type: OptionsType,
  options: readonly GivenValue[],
  oneOf: readonly GivenValue[],
  problems: RowProblem[],
): string[] {
  const { readOption } = KINDS[type];
  if (options.length === 0) return resolveValues('validation.oneOf', readOption, oneOf, problems);
  const resolved = resolveValues('options', readOption, options, problems);
  if (oneOf.length === 0) return resolved;
  const listed = new Set(resolveValues('validation.oneOf', readOption, oneOf, problems));
  const differing =
    [...listed].find((value) => !resolved.includes(value)) ?? resolved.find((value) => !listed.has(value));
  if (differing !== undefined) {
    const message = `names other values than options (${quoted(differing)} is in one of them only): it stands for options in OPTIONS attributes, so give one of the two`;
    problems.push(fieldInvalid('validation.oneOf', message, differing));
  }
  return resolved;
}

function kindOf({ optionsType = 'TEXT' }: AttributeDefinition): Kind {
  return KINDS[optionsType];
}

/**
 * The text if it is a number, otherwise NULL, because Postgres would refuse to compare it and the whole export would
 * fail.
 */
function numeralIn(text: Sql): Sql {
  return sql`(CASE WHEN ${text} ~ ${'^-?[0-9]+([.][0-9]+)?$'} THEN ${text} END)`;
}

function isEscaped(text: string): boolean {
  return text === 'NULL' || text.startsWith('\\');
}

/** Options may hold characters beyond ASCII, because their bytes are compared as a whole. */
function optionEncoder(options: readonly string[]): ByteEncoder {
  let lookup: ByteMap<true> | undefined;
  return (source, start, end, target, at) => {
    lookup ??= bytesOf(options);
    if (lookup.get(source, start, end) === undefined) return NOT_ENCODED;
    return copyQuoted(source, start, end, target, at);
  };
}

function bytesOf(options: readonly string[]): ByteMap<true> {
  const lookup = new ByteMap<true>();
  for (const option of options) {
    // Options that JSON would escape are skipped: among them are all with a NUL or half of a surrogate pair.
    if (option === '' || option === 'NULL' || JSON.stringify(option) !== `"${option}"`) continue;
    const bytes = Buffer.from(option);
    lookup.set(bytes, 0, bytes.length, true);
  }
  return lookup;
}

/**
 * TEXT options are matched exactly, including case and space; only accents may be written as characters of their own. INTEGER and DECIMAL options are matched by value: `05` is
 * `5`, and in files `1,5` is `1.5` if the comma is the job's decimal separator.
 */
function optionValues(definition: AttributeDefinition, format: ValueFormat): ValueCodec {
  const options = definition.options ?? [];
  const numeric = kindOf(definition).isNumeric;
  const separator = format.decimalSeparator;
  // Made when a value is first read: with all attributes at once, the long lists of a site would block the process.
  let known: ReadonlySet<string> | undefined;
  const jsonOf = (option: string): string | undefined => {
    known ??= new Set(options);
    const listed = known.has(option) ? option : inNfc(option);
    return listed === undefined ? undefined : JSON.stringify(listed);
  };
  const inNfc = listedInNfc(() => options);

  function fromNumeral(text: string, by: '.' | ','): string | undefined {
    if (!numeric) return undefined;
    const canonical = canonicalDecimal(text.trim(), by);
    return typeof canonical === 'string' ? jsonOf(canonical) : undefined;
  }

  return {
    fromText: numeric
      ? (text) => fromNumeral(text, separator) ?? notAllowed(options, text)
      : (text) => jsonOf(text) ?? notAllowed(options, text),
    fromJson(value) {
      if (typeof value === 'string') return jsonOf(value) ?? fromNumeral(value, '.') ?? notAllowed(options, value);
      const isNumber = value instanceof WrittenNumber || typeof value === 'number';
      if (!numeric || !isNumber) return notOption(value, numeric);
      const numeral = value instanceof WrittenNumber ? value.text : String(value);
      return fromNumeral(numeral, '.') ?? notAllowed(options, numeral);
    },
    toText(value) {
      const text = String(value ?? '');
      return numeric && separator === ',' ? text.replace('.', ',') : text;
    },
  };
}

function notOption(value: unknown, numeric: boolean): ValueProblem {
  const wanted = numeric ? 'write one of the options as a number or as text' : 'write one of the options as text';
  return new ValueProblem('VALUE_TYPE', `${describeJson(value)} is not an option: ${wanted}`, value);
}
