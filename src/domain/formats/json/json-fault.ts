/** Says in a sentence where a text stops being JSON, and what is expected there. */
import { storable } from '../../kernel/characters.js';
import { findJsonFault } from './find-json-fault.js';

const SHOWN_CHARACTERS = 20;

/** The part of a sentence: `at character 8 (here: "b"}) a colon is expected`. @param text that JSON.parse refuses */
export function describeJsonFault(text: string): string {
  const { at, expected } = findJsonFault(text) ?? { at: text.length, expected: 'something else' };
  const place = placeOf(text, at);
  if (at >= text.length) return `it ends before ${place}, where ${expected} is expected`;
  return `at ${place} (here: ${storable(text.slice(at), SHOWN_CHARACTERS)}) ${expected} is expected`;
}

/** The character counts from 1, and is named with its line if there are several. */
function placeOf(text: string, at: number): string {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  const character = Array.from(before.slice(before.lastIndexOf('\n') + 1)).length + 1;
  return text.includes('\n') ? `line ${line}, character ${character}` : `character ${character}`;
}
