/** Searches for a text anywhere in a column. */

/** Returns the ILIKE pattern for texts that contain `text`; wildcards in `text` are escaped. */
export function containsPattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, (wildcard) => `\\${wildcard}`)}%`;
}
