/** Schemas that refuse what they do not know and say what was probably meant: a condition that is misspelt must not be ignored. */
import { z } from 'zod';
import { nearestName } from '../domain/kernel/nearest-name.js';
import { storable } from '../domain/kernel/storable-text.js';

const SHOWN_CHARACTERS = 60;

/** An object of these fields and no others. */
export function knownFields<Shape extends z.ZodRawShape>(shape: Shape) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? issue.keys.map((key) => unknown('field', key, known)).join('; ') : undefined,
  });
}

/** One of these texts. */
export function knownText<const Known extends readonly [string, ...string[]]>(what: string, known: Known) {
  return z.enum(known, {
    error: ({ input }) =>
      typeof input === 'string' ? unknown(what, input, known) : `expected one of ${known.join(', ')}`,
  });
}

function unknown(what: string, given: string, known: readonly string[]): string {
  const nearest = nearestName(given, known, (candidate) => candidate);
  const hint = nearest === undefined ? `there are ${known.join(', ')}` : `did you mean "${nearest}"?`;
  return `there is no ${what} "${storable(given, SHOWN_CHARACTERS)}": ${hint}`;
}
