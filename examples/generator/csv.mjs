/** Writes the rows of items.csv. */
import { attributes } from './attributes.mjs';

/** Attributes that the JSON inserts contain and this file does not. */
const NOT_IN_FILE = ['Item Number', 'Details', 'Listing Number'];

export const HEADER = [
  'Category Node',
  'SKU',
  'Parent SKU',
  ...attributes.map(({ name }) => name).filter((name) => !NOT_IN_FILE.includes(name)),
];

/** The cells of a product under the header. For a partial update, pass only some of its values. */
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

/** The cells, with one of them replaced. */
export function withCell(cells, name, value) {
  return cells.map((cell, index) => (HEADER[index] === name ? value : cell));
}

/** A line without its line end, with quotes where necessary. */
export function csvLine(cells) {
  return cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',');
}

/** A line with one cell that is written without quotes, even if that damages the row. */
export function lineWithRawCell(cells, name) {
  return cells.map((cell, index) => (HEADER[index] === name ? cell : csvLine([cell]))).join(',');
}
