/** What of a key or a header is stored in plain text, and whether a text is the mask that is shown with it. */
import { MASK } from '../model/masks.js';

const SHOWN_CHARACTERS = 4;
/** The last four characters of a shorter key would reveal too much of it. */
const LONG_ENOUGH = 12;

/** The part of a value that is shown after the mask. */
export function hintOf(value: string): string {
  return value.length >= LONG_ENOUGH ? value.slice(-SHOWN_CHARACTERS) : '';
}

/** Whether a text is a mask and not a key. */
export function isMask(text: string): boolean {
  return text.startsWith(MASK) && text.length <= MASK.length + SHOWN_CHARACTERS;
}
