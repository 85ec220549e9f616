/** Writes the files of platforms: their table, and what an empty catalog needs before their rows. */

/** @param rows of cells by column; a cell that is missing is empty */
export function tableText(header, rows, delimiter = ',') {
  const lines = [header, ...rows.map((row) => header.map((column) => String(row[column] ?? '')))];
  const unknown = rows.flatMap(Object.keys).find((column) => !header.includes(column));
  if (unknown !== undefined) throw new Error(`the header has no column ${unknown}`);
  return lines.map((cells) => `${cells.map((cell) => quoted(cell, delimiter)).join(delimiter)}\n`).join('');
}

function quoted(cell, delimiter) {
  const needsQuotes = cell.includes(delimiter) || /["\r\n]/.test(cell);
  return needsQuotes ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/**
 * The body of `POST /files/product/{id}/actions/import` that imports the file into an empty catalog.
 * @param attributes name → type, or the definition without the name
 * @param categories paths as in our files
 */
export function importBody(profile, attributes, categories) {
  const elements = Object.entries(attributes).map(([name, given]) =>
    typeof given === 'string' ? { name, type: given } : { name, ...given },
  );
  const paths = [...new Set(categories)].sort();
  return {
    profile,
    createMissing: { attributes: true, options: true, categories: true, assignments: true },
    missing: {
      attributes: elements,
      categories: paths,
      assignments: paths.map((category) => ({ category, attributes: elements.map(({ name }) => name) })),
    },
  };
}

export const HTML = { type: 'TEXT', textSubType: 'HTML' };
/** Variants have the value of their item. */
export const INHERITED = { type: 'TEXT', validation: { inheritable: true } };
