/** Writes the rows of items.csv. */
import { attributes } from './attributes.mjs';

/** What a JSON bulk insert brings along and this file leaves out. */
const NOT_IN_FILE = ['Item Number', 'Details', 'Listing Number'];

export const HEADER = [
  'Category Node',
  'SKU',
  'Parent SKU',
  ...attributes.map(({ name }) => name).filter((name) => !NOT_IN_FILE.includes(name)),
];

/** A product as cells under the header. Pass only some of its values for a partial update. */
export function cellsOf({ sku, leaf, parentSku, values }, { category = leaf.path } = {}) {
  return HEADER.map((name) => {
    if (name === 'Category Node') return category;
    if (name === 'SKU') return sku;
    if (name === 'Parent SKU') return parentSku ?? '';
    return cellOf(name, values[name]);
  });
}

function cellOf(name, value) {
  if (value === undefined) return '';
  if (name === 'Price') return value.toFixed(2);
  if (name === 'Release Date') return value.split('-').reverse().join('.');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return String(value);
}

/** Cells with one replaced. */
export function withCell(cells, name, value) {
  return cells.map((cell, index) => (HEADER[index] === name ? value : cell));
}

/** A line without its end, quoted where need be. */
export function csvLine(cells) {
  return cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',');
}

/** A line of which one cell is written as it stands, whatever that does to the row. */
export function lineWithRawCell(cells, name) {
  return cells.map((cell, index) => (HEADER[index] === name ? cell : csvLine([cell]))).join(',');
}
