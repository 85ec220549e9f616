/** Searching for a text wherever it stands in a column. */

/** The ILIKE pattern of texts that contain `text`; its own wildcards count as plain characters. */
export function containsPattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, (wildcard) => `\\${wildcard}`)}%`;
}
