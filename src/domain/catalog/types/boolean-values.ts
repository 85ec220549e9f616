/** Reads and writes values of BOOLEAN attributes: several spellings in files, only booleans in JSON. */
import type { ValueCodec } from './compiled-attribute.js';
import { describeJson, quoted, ValueProblem } from './value-problem.js';

const SPELLINGS: ReadonlyMap<string, string> = new Map([
  ['true', 'true'],
  ['yes', 'true'],
  ['1', 'true'],
  ['false', 'false'],
  ['no', 'false'],
  ['0', 'false'],
]);

/** The boolean that a cell spells, whatever its case; undefined: none. */
export function booleanFromText(text: string): boolean | undefined {
  const spelled = SPELLINGS.get(text) ?? SPELLINGS.get(text.trim().toLowerCase());
  return spelled === undefined ? undefined : spelled === 'true';
}

export function booleanValues(): ValueCodec {
  return {
    fromText: (text) => SPELLINGS.get(text) ?? SPELLINGS.get(text.trim().toLowerCase()) ?? notSpelled(text),
    fromJson: (value) => (typeof value === 'boolean' ? String(value) : notBoolean(value)),
    toText: (value) => String(value ?? ''),
  };
}

function notSpelled(text: string): ValueProblem {
  const message = `${quoted(text)} is neither true nor false: write true, false, yes, no, 1 or 0`;
  return new ValueProblem('VALUE_TYPE', message, text);
}

function notBoolean(value: unknown): ValueProblem {
  return new ValueProblem('VALUE_TYPE', `${describeJson(value)} is no boolean: write true or false, unquoted`, value);
}
