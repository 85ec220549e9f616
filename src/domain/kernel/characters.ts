/**
 * Characters: the bytes of ASCII, and the texts that Postgres can store. This file imports nothing, so that the bundler
 * replaces each name of a byte by its number: in a loop over all bytes of a file, reading them from variables would take a
 * third of the time.
 */
export const TAB = 0x09;
export const LF = 0x0a;
export const VERTICAL_TAB = 0x0b;
export const CR = 0x0d;
export const SPACE = 0x20;
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const MINUS = 0x2d;
export const POINT = 0x2e;
export const SLASH = 0x2f;
export const ZERO = 0x30;
export const NINE = 0x39;
export const COLON = 0x3a;
export const LESS = 0x3c;
export const EQUALS = 0x3d;
export const GREATER = 0x3e;
export const OPEN_ARRAY = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
export const DELETE = 0x7f;

/** Whether Postgres can store a text: no NUL and no lone surrogate, because either would abort a whole statement. */
export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/** Whether a text has more characters than `most`: code points, which is what Postgres and the schemas count. */
export function isLongerThan(text: string, most: number): boolean {
  return text.length > most && characterCount(text) > most;
}

/** The number of code points. */
export function characterCount(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xdc00 && unit <= 0xdfff) count--;
  }
  return count;
}

/** Cuts a text to `maxCharacters` and replaces what cannot be stored by U+FFFD: for messages and error rows. */
export function storable(text: string, maxCharacters: number): string {
  const cut = text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1)}…` : text;
  return isStorable(cut) ? cut : cut.toWellFormed().replaceAll('\u0000', '\ufffd');
}
