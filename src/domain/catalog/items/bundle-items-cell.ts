/**
 * Reads the items of a bundle from one cell of a file: `SKU-1:2;SKU-2:1`. Exports write it in
 * exports/items/item-csv.ts.
 */

/** One item of a bundle. */
export interface Component {
  readonly sku: string;
  /** The quantity is at least 1. */
  readonly quantity: number;
}

/** An entry as it was written: neither part is checked. */
interface ComponentText {
  readonly sku: string;
  /** Null when the entry has none. */
  readonly quantity: string | null;
  /** The entry looks like `A:2,B:1`: several entries with a comma between them. */
  readonly holdsCommas: boolean;
}

/**
 * The entries of a cell. A colon, semicolon or backslash inside a SKU has a backslash before it. Besides
 * `SKU:quantity`, `quantity, SKU` is accepted. If colons in a SKU were not escaped, the last colon separates the
 * quantity. Blank entries are left out.
 */
export function parseBundleItems(cell: string): ComponentText[] {
  return entriesOf(cell).flatMap((entry) => (entry.trim() === '' ? [] : [parseEntry(entry)]));
}

/** Splits the cell at semicolons that have no backslash before them; escapes are kept. */
function entriesOf(cell: string): string[] {
  const entries: string[] = [];
  let start = 0;
  for (let at = 0; at < cell.length; at++) {
    if (cell[at] === '\\') at++;
    else if (cell[at] === ';') {
      entries.push(cell.slice(start, at));
      start = at + 1;
    }
  }
  entries.push(cell.slice(start));
  return entries;
}

const QUANTITY_FIRST = /^\s*([+-]?[\d.]+)\s*,(.*)$/s;
/** A quantity with a comma behind it; the colon before it is not escaped. */
const QUANTITY_AND_COMMA = /(?<!\\):\s*\d+\s*,/;

function parseEntry(entry: string): ComponentText {
  const colon = lastColon(entry);
  if (colon >= 0) {
    const holdsCommas = QUANTITY_AND_COMMA.test(entry);
    return { sku: unescaped(entry.slice(0, colon)), quantity: entry.slice(colon + 1).trim(), holdsCommas };
  }
  const [, quantity, sku] = QUANTITY_FIRST.exec(entry) ?? [];
  if (quantity !== undefined && sku !== undefined) return { sku: unescaped(sku), quantity, holdsCommas: false };
  return { sku: unescaped(entry), quantity: null, holdsCommas: false };
}

/** The index of the last colon that is not escaped; -1 when there is none. */
function lastColon(entry: string): number {
  let last = -1;
  for (let at = 0; at < entry.length; at++) {
    if (entry[at] === '\\') at++;
    else if (entry[at] === ':') last = at;
  }
  return last;
}

function unescaped(text: string): string {
  return text.replace(/\\([\\:;])/g, '$1').trim();
}
