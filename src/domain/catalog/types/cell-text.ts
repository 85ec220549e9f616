/** What cells of files say besides their text: `NULL` clears, `\NULL` is the text, a leading backslash is doubled. */

/** Null: to be cleared. Of an empty cell, which says nothing, this is not to be asked. */
export function textOfCell(cell: string): string | null {
  if (cell === 'NULL') return null;
  return cell === '\\NULL' || cell.startsWith('\\\\') ? cell.slice(1) : cell;
}

/** Reads back to the same text. */
export function cellOfText(text: string): string {
  return text === 'NULL' || text.startsWith('\\') ? `\\${text}` : text;
}
