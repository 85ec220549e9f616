/** The query parameters that lists share. */
import { z } from 'zod';
import { isStorable } from '../domain/kernel/characters.js';
import { reversedMessage } from '../domain/kernel/reversed-bounds.js';

const MAX_LIMIT = 100;
const DEFAULT_LIMIT = 10;
const MAX_OFFSET = 999_999_999;
const MAX_VALUES = 1000;

/** A whole number in digits: no sign, no exponent, no blank. */
export function digits(min: number, max: number): z.ZodType<number, string> {
  const expected = `expected a whole number from ${min} to ${max}`;
  return z
    .string(expected)
    .regex(/^[0-9]{1,10}$/, expected)
    .transform(Number)
    .refine((value) => value >= min && value <= max, expected);
}

/** Documents the parameter as the number that its digits mean. */
export function asInteger(description: string, minimum: number, maximum: number): Record<string, unknown> {
  return { description, type: 'integer', pattern: undefined, minimum, maximum };
}

/** `offset` and `limit`, to be spread into a list's query schema. */
export const pageParameters = {
  offset: digits(0, MAX_OFFSET)
    .default(0)
    .meta(asInteger('How many elements to skip (default 0)', 0, MAX_OFFSET)),
  limit: digits(1, MAX_LIMIT)
    .default(DEFAULT_LIMIT)
    .meta(asInteger(`How many elements to return (default ${DEFAULT_LIMIT})`, 1, MAX_LIMIT)),
};

/** A text to search for. */
export const searchText = z
  .string()
  .min(1, 'is empty')
  .max(1000)
  .refine(isStorable, 'contains a NUL character or an unpaired surrogate');

const joinedValues = z
  .string()
  .min(1, 'is empty')
  .refine(isStorable, 'contains a NUL character or an unpaired surrogate');

/** The check of an object with both: nothing is since a time that is after its end. */
export function refuseReversedTimes(
  { since, until }: { readonly since?: Date | string | undefined; readonly until?: Date | string | undefined },
  context: z.core.$RefinementCtx,
): void {
  if (since === undefined || until === undefined) return;
  const [from, to] = [new Date(since), new Date(until)];
  // Neither is so of a text that is no time, which its own check refuses.
  if (!(from > to)) return;
  const message = reversedMessage(from.toISOString(), 'until', to.toISOString());
  context.addIssue({ code: 'custom', path: ['since'], message });
}

/** Several values: separated by commas (`\,` is a comma inside a value), or by repeating the parameter. */
export const textList = z
  .union([joinedValues, z.array(joinedValues)])
  .transform((given) => (typeof given === 'string' ? splitValues(given) : given.flatMap(splitValues)))
  .refine((values) => values.length <= MAX_VALUES, `accepts at most ${MAX_VALUES} values`)
  .meta({
    description: 'Values separated by commas (`\\,` is a comma inside a value); the parameter may also be repeated',
    // The documentation shows the simpler of the two forms.
    type: 'string',
    anyOf: undefined,
  });

/** Several of these names, written as in textList. */
export function knownList<const Known extends string>(known: readonly Known[]) {
  return textList.pipe(z.array(z.enum(known)));
}

/** Several whole numbers, written as in textList. */
export const numberList = textList
  .refine((values) => values.every((value) => /^[0-9]{1,10}$/.test(value)), 'expected whole numbers')
  .transform((values) => values.map(Number));

function splitValues(text: string): string[] {
  return text
    .split(/(?<!\\),/)
    .map((value) => value.replaceAll('\\,', ',').trim())
    .filter((value) => value !== '');
}
