/** When two names of attributes, or of columns, are the same. */

/**
 * What uniqueness and look-ups go by: the name trimmed, in NFC and case-folded.
 *
 * Upper-casing before lower-casing folds what lower-casing alone keeps apart (ß and SS, final and medial sigma).
 */
export function attributeKey(name: string): string {
  return name.trim().normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}
