/**
 * The categories of alternate trees in one cell of a file of items: `Summer->Sale;Gifts`. In a path, a semicolon has a
 * backslash before it; of backslashes right before a semicolon or the end of a path, each pair is one backslash.
 */

const SEMICOLON_OR_ESCAPED = /(\\*);/g;

/** A path as an entry of the cell; entries are joined by semicolons. */
export function alternateCategoryEntry(path: string): string {
  return path.replace(SEMICOLON_OR_ESCAPED, '$1$1\\;').replace(/\\+$/, '$&$&');
}

/** The paths of a cell. Blank entries are left out. */
export function parseAlternateCategories(cell: string): string[] {
  const paths: string[] = [];
  let path = '';
  let end = 0;
  for (const match of cell.matchAll(SEMICOLON_OR_ESCAPED)) {
    const backslashes = match[1]?.length ?? 0;
    path += cell.slice(end, match.index) + '\\'.repeat(Math.floor(backslashes / 2));
    end = match.index + match[0].length;
    if (backslashes % 2 === 1) {
      path += ';';
    } else {
      paths.push(path);
      path = '';
    }
  }
  const rest = cell.slice(end);
  const trailing = /\\*$/.exec(rest)?.[0].length ?? 0;
  paths.push(path + rest.slice(0, rest.length - trailing) + '\\'.repeat(Math.ceil(trailing / 2)));
  return paths.map((one) => one.trim()).filter((one) => one !== '');
}
