/** Resolves the header of an item file: what each column means. */

import { attributeKey } from '../../../kernel/attribute-key.js';
import { nearestName } from '../../../kernel/nearest-name.js';
import { RejectedInput } from '../../../kernel/rejected-input.js';
import type { WriteMode } from '../../import-options.js';
import type { ItemRules } from '../item-rules.js';

export type ItemColumn =
  | { readonly kind: 'sku' | 'category' | 'parent' | 'items' | 'ignored'; readonly name: string }
  | { readonly kind: 'attribute'; readonly name: string; readonly position: number };

export interface ItemColumns {
  readonly columns: readonly ItemColumn[];
  /** Index of the SKU column. */
  readonly keyColumn: number;
}

/** What the rows of a file are. Only bundles hold other items. */
export type FileContent = 'items' | 'bundles';

/** The names of the columns or fields that are not attributes, for messages. */
export interface FixedNames {
  readonly sku: string;
  readonly category: string;
  readonly parent: string;
  readonly items: string;
  readonly type: string;
}

/** The names in JSON. */
const JSON_NAMES: FixedNames = {
  sku: 'sku',
  category: 'nodeName',
  parent: 'parentSku',
  items: 'bundleItems',
  type: 'type',
};

/** @param columns the columns of a file; null for JSON */
export function fixedNames(columns: ItemColumns | null): FixedNames {
  if (columns === null) return JSON_NAMES;
  const header = (kind: ItemColumn['kind'], otherwise: string) =>
    columns.columns.find((column) => column.kind === kind)?.name ?? otherwise;
  return {
    sku: header('sku', 'SKU'),
    category: header('category', 'Category Node'),
    parent: header('parent', 'Parent SKU'),
    items: header('items', 'Items'),
    type: header('sku', 'SKU'),
  };
}

const FIXED: ReadonlyMap<string, 'sku' | 'category' | 'parent' | 'items'> = new Map([
  ['sku', 'sku'],
  ['category node', 'category'],
  ['hierarchy node', 'category'],
  ['parent sku', 'parent'],
  ['items', 'items'],
]);

/**
 * Reads a header. Names are compared without case, trimmed and in NFC; columns that begin with `_` are ignored.
 * @throws RejectedInput for an unknown or repeated column, and when a required column is missing
 */
export function resolveItemColumns(
  cells: readonly string[],
  rules: ItemRules,
  mode: WriteMode,
  content: FileContent = 'items',
): ItemColumns {
  const columns = cells.map((cell, index) => resolveColumn(cell, index, rules, content));
  const keyed = withKeyColumn(columns, rules);
  refuseRepeated(keyed);
  const keyColumn = keyed.findIndex((column) => column.kind === 'sku');
  if (keyColumn < 0) {
    throw new RejectedInput('MISSING_COLUMN', 'the file has no SKU column; add one headed "SKU"', {
      row: 1,
      column: 'SKU',
    });
  }
  if (mode === 'insert' && !keyed.some((column) => column.kind === 'category')) {
    throw new RejectedInput(
      'MISSING_COLUMN',
      'new items need a category; add a column headed "Category Node" with paths such as "Storage->Disk"',
      { row: 1, column: 'Category Node' },
    );
  }
  return { columns: keyed, keyColumn };
}

function resolveColumn(cell: string, index: number, rules: ItemRules, content: FileContent): ItemColumn {
  const name = cell.trim();
  if (name.startsWith('_')) return { kind: 'ignored', name };
  const fixed = FIXED.get(attributeKey(name));
  if (fixed === 'items' && content === 'items') {
    const message = `the column "${name}" is not accepted in this file: the items of bundles are read from a BUNDLE_IMPORT; remove it, or rename it with a leading "_"`;
    throw new RejectedInput('UNKNOWN_COLUMN', message, { row: 1, column: name });
  }
  if (fixed !== undefined) return { kind: fixed, name };
  const position = rules.positionOf(name);
  if (position !== undefined) return { kind: 'attribute', name: rules.definition(position).name, position };
  const at = `column ${index + 1}`;
  const [localized, other] = rules.localizedNames().find(name);
  if (localized !== undefined && other === undefined) {
    // Problems use the name that the file uses.
    return { kind: 'attribute', name, position: rules.positionOfId(localized.id) ?? -1 };
  }
  if (localized !== undefined && other !== undefined) {
    const message = `${at}, "${name}", is the name of both "${localized.name}" and "${other.name}" in other languages: write one of these`;
    throw new RejectedInput('UNKNOWN_COLUMN', message, { row: 1, column: name });
  }
  if (name === '') {
    throw new RejectedInput('UNKNOWN_COLUMN', `${at} has no name; name it after an attribute, or remove it`, {
      row: 1,
    });
  }
  throw new RejectedInput(
    'UNKNOWN_COLUMN',
    `${at}, "${name}", is not an attribute of this site: ${advice(name, rules)}`,
    {
      row: 1,
      column: name,
    },
  );
}

function advice(name: string, rules: ItemRules): string {
  const known = [
    'SKU',
    'Category Node',
    'Parent SKU',
    ...rules.definitions.attributes.map((attribute) => attribute.name),
  ];
  const nearest = nearestName(name, known, (candidate) => candidate);
  return nearest === undefined
    ? 'create the attribute, or rename the column with a leading "_" to have it ignored'
    : `did you mean "${nearest}"?`;
}

/** Without a column named SKU, the column of the attribute that is mapped to the SKU is the key column. */
function withKeyColumn(columns: ItemColumn[], rules: ItemRules): ItemColumn[] {
  if (rules.skuAttribute < 0 || columns.some((column) => column.kind === 'sku')) return columns;
  return columns.map((column) =>
    column.kind === 'attribute' && column.position === rules.skuAttribute ? { kind: 'sku', name: column.name } : column,
  );
}

function refuseRepeated(columns: readonly ItemColumn[]): void {
  const seen = new Map<string, number>();
  columns.forEach((column, index) => {
    if (column.kind === 'ignored') return;
    const meaning = column.kind === 'attribute' ? `attribute ${column.position}` : column.kind;
    const first = seen.get(meaning);
    if (first !== undefined) {
      throw new RejectedInput(
        'DUPLICATE_COLUMN',
        `columns ${first + 1} and ${index + 1} both are "${column.name}"; remove one of them`,
        { row: 1, column: column.name },
      );
    }
    seen.set(meaning, index);
  });
}
