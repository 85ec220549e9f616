/** Decides when two names of attributes, or of columns, are equal. */

/**
 * Returns the key for uniqueness and look-ups: the name trimmed, in NFC and case-folded.
 *
 * Upper-casing before lower-casing also folds letters that lower-casing alone distinguishes (ß and SS, final and medial
 * sigma).
 */
export function attributeKey(name: string): string {
  return name.trim().normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}
