/** The attribute type BOOLEAN: several spellings in files, only booleans in JSON. */
import { bytesEqual } from '../../kernel/byte-map.js';
import { describeJson, quoted, ValueProblem } from '../../kernel/value-problem.js';
import type { ByteEncoder, ValueCodec } from '../model/compiled-attribute.js';
import type { AttributeType } from './attribute-type.js';
import { copyBytes, NOT_ENCODED } from './byte-encoder.js';
import { WORD_FILTER } from './filters.js';
import { BOOLEAN_CELLS } from './workbook-cells.js';

const TRUE = Buffer.from('true');
const FALSE = Buffer.from('false');
const CAPITAL_TRUE = Buffer.from('TRUE');
const CAPITAL_FALSE = Buffer.from('FALSE');

/** Takes the words of JSON, and those of spreadsheets, which the copies of workbooks and of files with a profile hold. */
const encodeBoolean: ByteEncoder = (source, start, end, target, at) => {
  const isTrue = end - start === TRUE.length;
  const word = isTrue ? TRUE : FALSE;
  const isWord =
    bytesEqual(source, start, end, word) || bytesEqual(source, start, end, isTrue ? CAPITAL_TRUE : CAPITAL_FALSE);
  return isWord ? copyBytes(word, 0, word.length, target, at) : NOT_ENCODED;
};

const SPELLINGS: ReadonlyMap<string, string> = new Map([
  ['true', 'true'],
  ['yes', 'true'],
  ['1', 'true'],
  ['false', 'false'],
  ['no', 'false'],
  ['0', 'false'],
]);

/** The boolean that a cell spells, in any case; undefined when it spells none. */
export function booleanFromText(text: string): boolean | undefined {
  const spelled = SPELLINGS.get(text) ?? SPELLINGS.get(text.trim().toLowerCase());
  return spelled === undefined ? undefined : spelled === 'true';
}

const BOOLEAN_CODEC: ValueCodec = {
  fromText: (text) => SPELLINGS.get(text) ?? SPELLINGS.get(text.trim().toLowerCase()) ?? notSpelled(text),
  fromJson: (value) => (typeof value === 'boolean' ? String(value) : notBoolean(value)),
  toText: (value) => String(value ?? ''),
};

/** The two values as spreadsheets write them. */
export const BOOLEAN_CHOICES = ['TRUE', 'FALSE'] as const;
const FILE_FORM = { fileType: 'BOOLEAN' } as const;

export const BOOLEAN: AttributeType = {
  summary: 'True or false.',
  fields: [],
  rules: [],
  resolve: () => ({ fields: {}, rules: {} }),
  mappings: ['active', 'isVariant'],
  fileForms: [FILE_FORM],
  fileForm: () => FILE_FORM,
  codec: () => BOOLEAN_CODEC,
  encoder: () => encodeBoolean,
  jsonTokens: ['word'],
  exportCell: (_definition, value) => value,
  jsonForm: 'bare',
  workbook: () => BOOLEAN_CELLS,
  choices: () => BOOLEAN_CHOICES,
  filter: () => WORD_FILTER,
  comparable: (stored) => stored,
  forms: {
    csv: {
      accepts: '`true`, `yes`, `1` and `false`, `no`, `0`, in any case; outer blanks are ignored',
      refuses: 'Any other word (`VALUE_TYPE`)',
      example: '`Yes`',
    },
    workbook: {
      accepts: 'TRUE and FALSE, the same words, the numbers 1 and 0',
      refuses: 'Other numbers, dates (`VALUE_TYPE`)',
      example: 'TRUE',
    },
    json: { accepts: '`true`, `false`', refuses: 'Texts and numbers (`VALUE_TYPE`)', example: '`true`' },
  },
  examples: [
    {
      definition: {},
      cells: { true: 'true', FALSE: 'false', Yes: 'true', no: 'false', 1: 'true', ' 0 ': 'false' },
      refusedCells: { maybe: 'VALUE_TYPE', 2: 'VALUE_TYPE' },
      values: [true, false],
      refusedValues: ['true', 1],
    },
  ],
};

function notSpelled(text: string): ValueProblem {
  const message = `${quoted(text)} is neither true nor false: write true, false, yes, no, 1 or 0`;
  return new ValueProblem('VALUE_TYPE', message, text);
}

function notBoolean(value: unknown): ValueProblem {
  return new ValueProblem(
    'VALUE_TYPE',
    `${describeJson(value)} is not a boolean: write true or false, unquoted`,
    value,
  );
}
