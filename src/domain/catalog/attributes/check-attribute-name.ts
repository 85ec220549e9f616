/** Checks the name of an attribute. */
import { characterCount, isStorable } from '../../kernel/characters.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { quoted } from '../../kernel/value-problem.js';
import { isReservedName, MAX_NAME_CHARACTERS, RESERVED_NAMES } from '../model/attribute-definition.js';

export function given<T>(value: T): value is NonNullable<T> {
  return value !== undefined && value !== null && value !== '';
}

/** Control characters, line and paragraph separators: they are invisible in a header, and often end it. */
const NOT_PRINTED = /[\p{Cc}\u2028\u2029]/u;

/** The name as it is stored, trimmed and in NFC, or what is wrong with it. */
export function checkAttributeName(given: string): string | RowProblem {
  const name = given.trim().normalize('NFC');
  if (name === '') return problem('NAME_REQUIRED', 'the attribute has no name; every attribute needs one', given);
  if (!isStorable(name) || NOT_PRINTED.test(name)) {
    return problem(
      'INVALID_TEXT',
      `the name ${quoted(name)} holds a control character or half of a surrogate pair: remove it`,
      given,
    );
  }
  const characters = characterCount(name);
  if (characters > MAX_NAME_CHARACTERS) {
    const message = `the name has ${characters} characters; at most ${MAX_NAME_CHARACTERS} are allowed`;
    return problem('FIELD_INVALID', message, given);
  }
  if (name.startsWith('_')) {
    const message = `the name ${quoted(name)} begins with "_", which marks columns that imports ignore: choose another`;
    return problem('NAME_RESERVED', message, given);
  }
  if (isReservedName(name)) {
    const message = `the name ${quoted(name)} is a fixed column of item files (${RESERVED_NAMES.join(', ')}): choose another`;
    return problem('NAME_RESERVED', message, given);
  }
  return name;
}

function problem(code: RowProblem['code'], message: string, given: string): RowProblem {
  return { code, column: 'name', message, value: quoted(given).slice(1, -1) };
}
