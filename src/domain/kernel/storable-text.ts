/** Text that Postgres can store: no NUL and no lone surrogate, because either would abort a whole statement. */

/** Whether a text can be stored as it is. */
export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/** Cuts a text to `maxCharacters` and replaces what cannot be stored by U+FFFD: for messages and error rows. */
export function storable(text: string, maxCharacters: number): string {
  const cut = text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1)}…` : text;
  return isStorable(cut) ? cut : cut.toWellFormed().replaceAll('\u0000', '\ufffd');
}
