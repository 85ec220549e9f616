/** Text that Postgres can store: no NUL, no half of a surrogate pair. Either would abort a whole statement. */

/** Whether a text can be stored as it is. */
export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/** The text with what cannot be stored replaced by U+FFFD, cut to `maxCharacters`: for messages and error rows. */
export function storable(text: string, maxCharacters: number): string {
  const cut = text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1)}…` : text;
  return isStorable(cut) ? cut : cut.toWellFormed().replaceAll('\u0000', '\ufffd');
}
