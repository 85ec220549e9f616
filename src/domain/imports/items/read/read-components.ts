/** Reads what a row says that a bundle holds, from a cell or from JSON. */
import { type Component, parseBundleItems } from '../../../catalog/items/bundle-items-cell.js';
import { MAX_SKU_CHARACTERS, normalizeSku } from '../../../catalog/items/item-key.js';
import type { RowProblem } from '../../../kernel/row-problem.js';
import { isStorable, storable } from '../../../kernel/storable-text.js';

/** Most of one item that a bundle holds. */
const MAX_QUANTITY = 1_000_000;
/** Most items of a bundle. */
const MAX_COMPONENTS = 1_000;

/** @returns the items in order, or what is wrong with them */
export function componentsFromCell(cell: string, column: string): Component[] | RowProblem[] {
  return checked(
    parseBundleItems(cell),
    column,
    'write "SKU:quantity", such as "DISK-1:2", one after another with ";"',
  );
}

/** @param value a list of {sku, quantity}; null and an empty list: the bundle is to hold nothing */
export function componentsFromJson(value: unknown, column: string): Component[] | RowProblem[] {
  if (value === null) return [];
  if (!Array.isArray(value)) return [wrong('VALUE_TYPE', column, `"${column}" takes a list of {sku, quantity}`)];
  const entries: { sku: string; quantity: unknown }[] = [];
  for (const entry of value) {
    const isEntry = typeof entry === 'object' && entry !== null && 'sku' in entry && typeof entry.sku === 'string';
    if (!isEntry) return [wrong('VALUE_TYPE', column, `"${column}" takes a list of {sku, quantity}, the sku a text`)];
    entries.push({ sku: entry.sku, quantity: entry.quantity ?? null });
  }
  return checked(entries, column, 'give {"sku": "DISK-1", "quantity": 2}');
}

/** Whether what was read is a list of problems. */
export function isProblems(read: readonly Component[] | readonly RowProblem[]): read is RowProblem[] {
  const [first] = read;
  return first !== undefined && 'code' in first;
}

function checked(
  entries: readonly { readonly sku: string; readonly quantity: unknown }[],
  column: string,
  advice: string,
): Component[] | RowProblem[] {
  if (entries.length > MAX_COMPONENTS) {
    const message = `the bundle holds ${entries.length} items; at most ${MAX_COMPONENTS} are allowed`;
    return [wrong('VALUE_RANGE', column, message)];
  }
  const components: Component[] = [];
  const problems: RowProblem[] = [];
  const seen = new Set<string>();
  for (const entry of entries) {
    const sku = normalizeSku(entry.sku);
    const quantity = quantityOf(entry.quantity);
    const shown = storable(sku, 100);
    if (sku === '' || sku.length > MAX_SKU_CHARACTERS || !isStorable(sku)) {
      const message = `an item of the bundle has no SKU, or one that is longer than ${MAX_SKU_CHARACTERS} characters or holds a NUL; ${advice}`;
      problems.push(wrong('BUNDLE_ITEM_NOT_FOUND', column, message, sku));
    } else if (quantity === null) {
      const given =
        entry.quantity === null || entry.quantity === '' ? 'none' : `"${storable(String(entry.quantity), 60)}"`;
      problems.push(wrong('VALUE_TYPE', column, `"${shown}" needs a quantity, got ${given}; ${advice}`, sku));
    } else if (!Number.isInteger(quantity) || quantity < 1 || quantity > MAX_QUANTITY) {
      const message = `the quantity of "${shown}" is ${quantity}; it must be a whole number from 1 to ${MAX_QUANTITY}`;
      problems.push(wrong('VALUE_RANGE', column, message, String(quantity)));
    } else if (seen.has(sku)) {
      const message = `the bundle names "${shown}" twice; name it once, with the whole quantity`;
      problems.push(wrong('FIELD_INVALID', column, message, sku));
    } else {
      seen.add(sku);
      components.push({ sku, quantity });
    }
  }
  return problems.length > 0 ? problems : components;
}

/** Null: not a number. */
function quantityOf(given: unknown): number | null {
  if (typeof given === 'number') return given;
  return typeof given === 'string' && /^[+-]?\d+(\.\d+)?$/.test(given.trim()) ? Number(given) : null;
}

function wrong(code: RowProblem['code'], column: string, message: string, value?: string): RowProblem {
  return { code, column, message, ...(value === undefined ? {} : { value: storable(value, 200) }) };
}
