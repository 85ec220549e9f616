/** Searches for texts in columns, however they write letters with accents. */

/** Returns the patterns for ILIKE ANY of texts that contain `text`; wildcards in `text` are escaped. */
export function containsPatterns(text: string): string[] {
  return writtenForms(text).map((form) => `%${form.replace(/[\\%_]/g, (wildcard) => `\\${wildcard}`)}%`);
}

/** A text as it is given, and with its accents as parts of the letters and as characters of their own, which look the same. */
export function writtenForms(text: string): string[] {
  return [...new Set([text, text.normalize('NFC'), text.normalize('NFD')])];
}
