/** The items of a bundle, from a cell or from JSON. */
import { type Component, parseBundleItems } from '../../../catalog/items/bundle-items-cell.js';
import { MAX_SKU_CHARACTERS, normalizeSku } from '../../../catalog/items/item-key.js';
import { isLongerThan, isStorable, storable } from '../../../kernel/characters.js';
import { nearestName } from '../../../kernel/nearest-name.js';
import type { RowProblem } from '../../../kernel/row-problem.js';
import { asDouble, WrittenNumber } from '../../../kernel/written-number.js';

/** The maximum quantity of one item in a bundle. */
const MAX_QUANTITY = 1_000_000;
/** The maximum number of different items in a bundle. */
const MAX_COMPONENTS = 1_000;

/** @returns the items in order, or their problems */
export function componentsFromCell(cell: string, column: string): Component[] | RowProblem[] {
  const entries = parseBundleItems(cell);
  // A SKU may contain commas, so that this could be one item as well as two: it is never guessed.
  const ambiguous = entries.filter(({ holdsCommas }) => holdsCommas);
  if (ambiguous.length > 0) return ambiguous.map(({ sku }) => separatedByCommas(sku, column));
  return checked(entries, column, 'write "SKU:quantity", such as "DISK-1:2", one after another with ";"');
}

function separatedByCommas(sku: string, column: string): RowProblem {
  const message = `"${storable(sku, 100)}" looks like several items with commas between them: write them with ";" between, such as "A:2;B:1"; write a colon that is part of a SKU as "\\:"`;
  return wrong('FIELD_INVALID', column, message, sku);
}

/** @param value a list of {sku, quantity}; null and an empty list mean that the bundle is to hold nothing */
export function componentsFromJson(value: unknown, column: string): Component[] | RowProblem[] {
  if (value === null) return [];
  if (!Array.isArray(value)) return [wrong('VALUE_TYPE', column, `"${column}" must be a list of {sku, quantity}`)];
  const entries: { sku: string; quantity: unknown }[] = [];
  for (const entry of value) {
    const isEntry = typeof entry === 'object' && entry !== null && 'sku' in entry && typeof entry.sku === 'string';
    if (!isEntry)
      return [wrong('VALUE_TYPE', column, `"${column}" must be a list of {sku, quantity} whose sku is a text`)];
    const unknown = unknownMember(entry, COMPONENT_MEMBERS, column);
    if (unknown !== undefined) return [unknown];
    entries.push({ sku: entry.sku, quantity: entry.quantity ?? null });
  }
  return checked(entries, column, 'give {"sku": "DISK-1", "quantity": 2}');
}

const COMPONENT_MEMBERS = ['sku', 'quantity'];

/** The problem of the first member of a list's entry that is not known: it may be meant to change something. */
export function unknownMember(entry: object, known: readonly string[], column: string): RowProblem | undefined {
  for (const member in entry) {
    if (known.includes(member)) continue;
    const nearest = nearestName(member, known, (name) => name);
    const advice = nearest === undefined ? `an entry has ${known.join(' and ')} only` : `did you mean "${nearest}"?`;
    const message = `the entries of "${column}" have no member "${storable(member, 60)}": ${advice}`;
    return wrong('FIELD_INVALID', column, message, storable(member, 60));
  }
  return undefined;
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
    if (sku === '' || isLongerThan(sku, MAX_SKU_CHARACTERS) || !isStorable(sku)) {
      const message = `an item of the bundle has no SKU, or one that is longer than ${MAX_SKU_CHARACTERS} characters or holds a NUL; ${advice}`;
      problems.push(wrong('BUNDLE_ITEM_NOT_FOUND', column, message, sku));
    } else if (quantity === null) {
      const given =
        entry.quantity === null || entry.quantity === '' ? 'none' : `"${storable(String(entry.quantity), 60)}"`;
      problems.push(wrong('VALUE_TYPE', column, `"${shown}" needs a quantity, got ${given}; ${advice}`, sku));
    } else if (typeof quantity !== 'number' || !Number.isInteger(quantity) || quantity < 1 || quantity > MAX_QUANTITY) {
      const given = storable(typeof quantity === 'number' ? String(quantity) : quantity.text, 60);
      const message = `the quantity of "${shown}" is ${given}; it must be a whole number from 1 to ${MAX_QUANTITY}`;
      problems.push(wrong('VALUE_RANGE', column, message, given));
    } else if (seen.has(sku)) {
      const message = `the bundle names "${shown}" twice; name it once, with the total quantity`;
      problems.push(wrong('FIELD_INVALID', column, message, sku));
    } else {
      seen.add(sku);
      components.push({ sku, quantity });
    }
  }
  return problems.length > 0 ? problems : components;
}

/** @returns null when it is not a number */
function quantityOf(given: unknown): number | WrittenNumber | null {
  const isNumeral = typeof given === 'string' && /^[+-]?\d+(\.\d+)?$/.test(given.trim());
  const quantity = asDouble(isNumeral ? new WrittenNumber(given.trim()) : given);
  return typeof quantity === 'number' || quantity instanceof WrittenNumber ? quantity : null;
}

export function wrong(code: RowProblem['code'], column: string, message: string, value?: string): RowProblem {
  return { code, column, message, ...(value === undefined ? {} : { value: storable(value, 200) }) };
}
