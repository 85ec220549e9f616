/**
 * Special texts in cells of files: `NULL` clears a field, `\NULL` is the text NULL, and a leading backslash is doubled.
 */

/**
 * The text of a cell; null when the cell clears its field. Do not pass an empty cell, which leaves the field as it is.
 */
export function textOfCell(cell: string): string | null {
  if (cell === 'NULL') return null;
  return cell === '\\NULL' || cell.startsWith('\\\\') ? cell.slice(1) : cell;
}

/** The cell that textOfCell reads back as the same text. */
export function cellOfText(text: string): string {
  return text === 'NULL' || text.startsWith('\\') ? `\\${text}` : text;
}
