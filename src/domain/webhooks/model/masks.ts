/** How the API key and the headers of a target are shown: masked, except for the last characters of a long value. */

const SHOWN_CHARACTERS = 4;
/** The last four characters of a shorter key would reveal too much of it. */
const LONG_ENOUGH = 12;
export const MASK = '****';

/** The part of a value that is stored in plain text, to be shown after the mask. */
export function hintOf(value: string): string {
  return value.length >= LONG_ENOUGH ? value.slice(-SHOWN_CHARACTERS) : '';
}

/** Returns a key as it is shown: ****abcd. @param hint null: there is no key */
export function maskedApiKey(hint: string | null): string | null {
  return hint === null ? null : MASK + hint;
}

/** Returns headers as they are shown. @param hints null: there are none */
export function maskedHeaders(hints: Readonly<Record<string, string>> | null): Record<string, string> {
  return Object.fromEntries(Object.entries(hints ?? {}).map(([name, hint]) => [name, MASK + hint]));
}

/** Whether a text is a mask and not a key. */
export function isMask(text: string): boolean {
  return text.startsWith(MASK) && text.length <= MASK.length + SHOWN_CHARACTERS;
}
