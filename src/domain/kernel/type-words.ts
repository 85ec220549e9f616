/** What the types of JSON are called in messages. */
const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'a text',
  boolean: 'true or false',
  number: 'a number',
  int: 'a whole number',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

/** @param expected what a schema expects, as zod names it */
export function typeWords(expected: string): string {
  return TYPE_WORDS[expected] ?? 'of another type';
}
