/** How a target's API key is shown: masked, but for the end of one that is long enough to have its end told. */

const SHOWN_CHARACTERS = 4;
/** Of a shorter key the last four characters would tell too much. */
const LONG_ENOUGH = 12;
const MASK = '****';

/** What is kept in the clear of a key, to be shown behind the mask. */
export function apiKeyHint(key: string): string {
  return key.length >= LONG_ENOUGH ? key.slice(-SHOWN_CHARACTERS) : '';
}

/** A key as it is shown: ****abcd. @param hint null: there is no key */
export function maskedApiKey(hint: string | null): string | null {
  return hint === null ? null : MASK + hint;
}

/** Whether a text is a mask and no key. */
export function isMask(text: string): boolean {
  return text.startsWith(MASK) && text.length <= MASK.length + SHOWN_CHARACTERS;
}
