/** The attribute type TEXT: any text. */
import { bytesEqual } from '../../kernel/byte-map.js';
import { BACKSLASH, DELETE, isLongerThan, isStorable, QUOTE, SPACE } from '../../kernel/characters.js';
import { counted } from '../../kernel/counted.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { describeJson, quoted, ValueProblem } from '../../kernel/value-problem.js';
import type { AttributeValidation } from '../model/attribute-definition.js';
import { type ByteEncoder, PatternWork, type ValueCodec } from '../model/compiled-attribute.js';
import { textCell } from '../model/sql-cells.js';
import type { ValidationDraft } from './attribute-draft.js';
import type { AttributeType } from './attribute-type.js';
import { NOT_ENCODED } from './byte-encoder.js';
import { TEXT_FILTER } from './filters.js';
import { onlyListed, resolveOneOf } from './one-of.js';
import { checkPattern, compilePattern, MAX_STORED_SIZE, tooMuchWork } from './pattern.js';
import { attempt } from './resolve-values.js';
import { TEXT_CELLS } from './workbook-cells.js';

export const MAX_TEXT_BYTES = 65_536;

/** A UTF-16 unit has at most three bytes in UTF-8, so the bytes of a shorter text need not be counted. */
const SURELY_FITTING_UNITS = Math.floor(MAX_TEXT_BYTES / 3);

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what JSON escapes.
const NEEDS_ESCAPE_OR_INSPECTION = /[\u0000-\u001f"\\\ud800-\udfff]/;

const SMALL_TEXT = { fileType: 'SHORT TEXT', fields: { textSubType: 'SMALL_TEXT' } } as const;
const TEXT_AREA = { fileType: 'LONG TEXT', fields: { textSubType: 'TEXT_AREA' } } as const;
const HTML = { fileType: 'HTML', fields: { textSubType: 'HTML' } } as const;
const FORM_OF = { SMALL_TEXT, TEXT_AREA, HTML } as const;

export const TEXT: AttributeType = {
  summary: 'Any text.',
  fields: ['textSubType'],
  rules: ['contains', 'startWith', 'oneOf', 'pattern', 'maxLength'],
  resolve: ({ textSubType, validation }, problems) => ({
    fields: { textSubType: textSubType ?? 'SMALL_TEXT' },
    rules: resolveRules(validation ?? {}, problems),
  }),
  mappings: ['sku', 'title', 'image'],
  fileForms: [SMALL_TEXT, TEXT_AREA, HTML],
  fileForm: ({ textSubType = 'SMALL_TEXT' }) => FORM_OF[textSubType],
  codec: ({ validation }, { patternWork }) => onlyListed(textValues(validation, patternWork), validation.oneOf),
  encoder: ({ validation: { oneOf, pattern, contains, startWith, maxLength } }) => {
    const hasRule = [oneOf, pattern, contains, startWith].some((rule) => rule !== undefined);
    return hasRule ? null : textEncoder(Math.min(maxLength ?? MOST_ENCODED_BYTES, MOST_ENCODED_BYTES));
  },
  jsonTokens: ['text'],
  exportCell: (_definition, value) => textCell(value),
  jsonForm: 'stored',
  isFreeText: true,
  workbook: () => TEXT_CELLS,
  choices: ({ validation }) => validation.oneOf,
  filter: () => TEXT_FILTER,
  comparable: (stored) => stored,
  forms: {
    csv: {
      accepts: 'Any text of at most 65,536 bytes in UTF-8, outer blanks included',
      refuses: 'NUL characters and unpaired surrogates (`INVALID_TEXT`), longer texts (`VALUE_TOO_LONG`)',
      example: '`Disk 2 TB`',
    },
    workbook: {
      accepts: 'Texts; TRUE and FALSE as the words; whole numbers of at most 15 digits',
      refuses: 'Other numbers, dates (`VALUE_TYPE`)',
      example: '`007`',
    },
    json: {
      accepts: 'A text; `""` clears the value',
      refuses: 'Numbers, booleans (`VALUE_TYPE`)',
      example: '`"007"`',
    },
  },
  examples: [
    {
      definition: {},
      cells: { 'Disk 2 TB': '"Disk 2 TB"', ' blanks ': '" blanks "', 'say "x"': '"say \\"x\\""', ü: '"ü"' },
      refusedCells: { 'a\u0000': 'INVALID_TEXT', [`x${'ü'.repeat(MAX_TEXT_BYTES / 2)}`]: 'VALUE_TOO_LONG' },
      values: ['Disk 2 TB', '007', '\\', 'NULL', '=1+1'],
      refusedValues: [7, true, ['a'], '\ud800'],
    },
    {
      definition: { textSubType: 'TEXT_AREA', validation: { maxLength: 5 } },
      cells: { abcde: '"abcde"', '😀😀😀😀😀': '"😀😀😀😀😀"' },
      refusedCells: { abcdef: 'VALUE_TOO_LONG' },
      values: ['abcde'],
      refusedValues: ['abcdef'],
    },
    {
      definition: { textSubType: 'HTML', validation: { startWith: '<', contains: '>', pattern: '^<[a-z]+>' } },
      cells: { '<p>': '"<p>"' },
      refusedCells: { p: 'VALUE_PATTERN', '<p': 'VALUE_PATTERN', '<1>': 'VALUE_PATTERN' },
      values: ['<p>one'],
      refusedValues: ['p', 0],
    },
    {
      definition: { validation: { oneOf: ['one', 'two'] } },
      cells: { one: '"one"' },
      refusedCells: { three: 'VALUE_NOT_IN_OPTIONS' },
      values: ['one', 'two'],
      refusedValues: ['One', 1],
    },
  ],
};

function resolveRules(given: ValidationDraft, problems: RowProblem[]): AttributeValidation {
  const rules: AttributeValidation = {};
  const { contains, startWith, pattern, maxLength, oneOf } = given;
  if (contains) rules.contains = contains;
  if (startWith) rules.startWith = startWith;
  if (maxLength) rules.maxLength = maxLength;
  if (pattern) {
    rules.pattern = pattern;
    attempt(() => checkPattern(pattern), 'validation.pattern', pattern, problems);
  }
  return { ...rules, ...resolveOneOf(ANY_TEXT.fromJson, oneOf, problems) };
}

/** @throws Error when the validation's pattern is not an RE2 expression */
function textValues(validation: AttributeValidation, patternWork?: PatternWork): ValueCodec {
  const check = ruleCheck(validation, patternWork);
  function fromString(text: string): string | ValueProblem {
    const plain = !NEEDS_ESCAPE_OR_INSPECTION.test(text);
    if (!plain && !isStorable(text)) return notStorable(text);
    if (text.length > SURELY_FITTING_UNITS && Buffer.byteLength(text) > MAX_TEXT_BYTES) return tooManyBytes(text);
    const problem = check?.(text);
    if (problem) return problem;
    return plain ? `"${text}"` : JSON.stringify(text);
  }
  return {
    fromText: fromString,
    fromJson: (value) => (typeof value === 'string' ? fromString(value) : notText(value)),
    toText: (value) => String(value ?? ''),
  };
}

/** Reads texts without any rules. */
export const ANY_TEXT = textValues({});

/** A text of this length is always within the limit of all texts. */
const MOST_ENCODED_BYTES = 20_000;
const NULL = Buffer.from('NULL');

function textEncoder(maxBytes: number): ByteEncoder {
  return (source, start, end, target, at) => {
    // `NULL` clears the field: it is not a value.
    if (end - start > maxBytes || bytesEqual(source, start, end, NULL)) return NOT_ENCODED;
    let next = at;
    target[next++] = QUOTE;
    for (let index = start; index < end; index++) {
      const byte = source[index] as number;
      if (byte < SPACE || byte >= DELETE || byte === QUOTE || byte === BACKSLASH) return NOT_ENCODED;
      target[next++] = byte;
    }
    target[next++] = QUOTE;
    return next;
  };
}

/** Null when there are no rules, so that an attribute without rules costs nothing. */
function ruleCheck(
  validation: AttributeValidation,
  patternWork: PatternWork | undefined,
): ((text: string) => ValueProblem | null) | null {
  const { maxLength, startWith, contains, pattern } = validation;
  const compiled = pattern === undefined ? undefined : compilePattern(pattern, MAX_STORED_SIZE);
  if (maxLength === undefined && startWith === undefined && contains === undefined && !compiled) return null;
  return (text) => {
    if (maxLength !== undefined && isLongerThan(text, maxLength)) {
      return new ValueProblem(
        'VALUE_TOO_LONG',
        `the text is longer than ${counted(maxLength, 'character')}: shorten it`,
        text,
      );
    }
    if (startWith !== undefined && !holds(text, startWith, (one, other) => one.startsWith(other))) {
      return new ValueProblem('VALUE_PATTERN', `${quoted(text)} does not begin with ${quoted(startWith)}`, text);
    }
    if (contains !== undefined && !holds(text, contains, (one, other) => one.includes(other))) {
      return new ValueProblem('VALUE_PATTERN', `${quoted(text)} does not contain ${quoted(contains)}`, text);
    }
    if (compiled === undefined) return null;
    if (!(patternWork ?? new PatternWork()).spend(compiled.size * text.length)) return tooMuchWork(compiled, text);
    if (!compiled.matches(text)) {
      return new ValueProblem('VALUE_PATTERN', `${quoted(text)} does not match the pattern ${pattern}`, text);
    }
    return null;
  };
}

/** Also when only one of the two writes its accents as characters of their own, which nobody sees. */
function holds(text: string, part: string, compare: (text: string, part: string) => boolean): boolean {
  return compare(text, part) || compare(text.normalize('NFC'), part.normalize('NFC'));
}

function notStorable(text: string): ValueProblem {
  const what = text.includes('\u0000') ? 'a NUL character (\\u0000)' : 'half of a surrogate pair';
  return new ValueProblem('INVALID_TEXT', `the text holds ${what}, which cannot be stored: remove it`, text);
}

function tooManyBytes(text: string): ValueProblem {
  const message = `the text has ${Buffer.byteLength(text)} bytes in UTF-8; at most ${MAX_TEXT_BYTES} are allowed: shorten it`;
  return new ValueProblem('VALUE_TOO_LONG', message, text);
}

function notText(value: unknown): ValueProblem {
  return new ValueProblem('VALUE_TYPE', `${describeJson(value)} is not a text: put it in double quotes`, value);
}
