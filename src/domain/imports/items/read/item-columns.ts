/** Resolves the header of an item file: what each column means. */

import { HeaderProblems } from '../../../formats/model/rejected-input.js';
import { attributeKey } from '../../../kernel/attribute-key.js';
import { storable } from '../../../kernel/characters.js';
import { NameHints } from '../../../kernel/nearest-name.js';
import type { WriteMode } from '../../model/import-options.js';
import type { ItemRules } from '../item-rules.js';
import { FIXED_COLUMNS, type FixedKind, YIELDING } from './fixed-columns.js';

export type ItemColumn =
  | {
      readonly kind: 'sku' | 'category' | 'parent' | 'items' | 'alternates' | 'channels' | 'ignored';
      readonly name: string;
    }
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
  readonly alternates: string;
  readonly type: string;
}

/** The names in JSON. */
const JSON_NAMES: FixedNames = {
  sku: 'sku',
  category: 'nodeName',
  parent: 'parentSku',
  items: 'bundleItems',
  alternates: 'alternateCategories',
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
    alternates: header('alternates', 'Alternate Categories'),
    type: header('sku', 'SKU'),
  };
}

/** A whole line that was taken for one header is cut. */
const MAX_SHOWN_CHARACTERS = 255;

/**
 * Reads a header. Names are compared without case, trimmed and in NFC; columns without a name, or that begin with `_`, are ignored.
 * @throws RejectedInput that names every unknown or repeated column, and every required column that is missing
 */
export function resolveItemColumns(
  cells: readonly string[],
  rules: ItemRules,
  mode: WriteMode,
  content: FileContent = 'items',
): ItemColumns {
  const problems = new HeaderProblems();
  const meant = new Set<string>();
  const given = new Set(cells.map((cell) => FIXED_COLUMNS.get(attributeKey(cell))));
  const hints = columnHints(rules, given);
  const resolving: Resolving = { rules, content, problems, meant, given, hints };
  const columns = cells.map((cell, index) => resolveColumn(cell, index, resolving));
  const keyed = withKeyColumn(columns, rules);
  noteRepeated(keyed, problems);
  const keyColumn = keyed.findIndex((column) => column.kind === 'sku');
  // A column that was probably meant is misspelt, not missing.
  if (keyColumn < 0 && !meant.has('SKU')) {
    problems.add('MISSING_COLUMN', 'the file has no SKU column; add one headed "SKU"', 'SKU');
  }
  if (mode === 'insert' && !keyed.some((column) => column.kind === 'category') && !meant.has('Category Node')) {
    const message = 'new items need a category; add a column headed "Category Node" with paths such as "Storage->Disk"';
    problems.add('MISSING_COLUMN', message, 'Category Node');
  }
  problems.throwIfAny();
  return { columns: keyed, keyColumn };
}

interface Resolving {
  readonly rules: ItemRules;
  readonly content: FileContent;
  readonly problems: HeaderProblems;
  /** Receives the names that unknown columns probably mean. */
  readonly meant: Set<string>;
  /** The fixed columns that the header has, which no other column can be meant to be. */
  readonly given: Given;
  readonly hints: ColumnHints;
}

/** A column with a problem is ignored: the header is refused in the end. */
function resolveColumn(cell: string, index: number, resolving: Resolving): ItemColumn {
  const { rules, content, problems, meant, given, hints } = resolving;
  const name = cell.trim();
  // A value in a column without a name fails its row.
  if (name === '' || name.startsWith('_')) return { kind: 'ignored', name };
  const fixed = FIXED_COLUMNS.get(attributeKey(name));
  if (fixed === 'items' && content === 'items') {
    const message = `the column "${name}" is not accepted in this file: the items of bundles are read from a BUNDLE_IMPORT; remove it, or rename it with a leading "_"`;
    problems.add('UNKNOWN_COLUMN', message, name);
    return { kind: 'ignored', name };
  }
  const position = rules.positionOf(name);
  if (fixed !== undefined && (position === undefined || !YIELDING.has(fixed))) return { kind: fixed, name };
  if (position !== undefined) return { kind: 'attribute', name: rules.definition(position).name, position };
  const at = `column ${index + 1}`;
  const [localized, other] = rules.localizedNames().find(name);
  if (localized !== undefined && other === undefined) {
    // Problems use the name that the file uses.
    return { kind: 'attribute', name, position: rules.positionOfId(localized.id) ?? -1 };
  }
  if (localized !== undefined && other !== undefined) {
    const message = `${at}, "${name}", is the name of both "${localized.name}" and "${other.name}" in other languages: write one of these`;
    problems.add('UNKNOWN_COLUMN', message, name);
  } else {
    const nearest = nearestColumn(name, given, hints);
    if (nearest !== undefined) meant.add(nearest);
    problems.add(
      'UNKNOWN_COLUMN',
      `${at}, "${storable(name, MAX_SHOWN_CHARACTERS)}", is not an attribute of this site: ${advice(nearest)}`,
      name,
    );
  }
  return { kind: 'ignored', name };
}

/** What other systems call the columns of items, by their names in lower case. */
const FOREIGN_NAMES: ReadonlyMap<string, string> = new Map([
  ...['id', 'item id', 'product id', 'item', 'item sku', 'product sku', 'variant sku', 'sku code', 'artikelnummer'].map(
    (name) => [name, 'SKU'] as const,
  ),
  ...['category', 'categories', 'product category', 'category path', 'kategorie', 'kategorien'].map(
    (name) => [name, 'Category Node'] as const,
  ),
]);

type Given = ReadonlySet<FixedKind | undefined>;

interface ColumnHints {
  readonly columns: NameHints<string>;
  readonly attributes: NameHints<string>;
}

function columnHints(rules: ItemRules, given: Given): ColumnHints {
  const attributes = () => rules.definitions.attributes.map((attribute) => attribute.name);
  const fixed = ['SKU', 'Category Node', 'Parent SKU', 'Alternate Categories', 'Channels'];
  const nameOf = (name: string) => name;
  return {
    columns: new NameHints(() => [...fixed.filter((name) => isMissing(name, given)), ...attributes()], nameOf),
    attributes: new NameHints(attributes, nameOf),
  };
}

function nearestColumn(name: string, given: Given, hints: ColumnHints): string | undefined {
  const meant = FOREIGN_NAMES.get(attributeKey(name));
  if (meant === undefined) return hints.columns.nearest(name);
  return isMissing(meant, given) ? meant : hints.attributes.nearest(name);
}

function isMissing(column: string, given: Given): boolean {
  return !given.has(FIXED_COLUMNS.get(attributeKey(column)));
}

function advice(nearest: string | undefined): string {
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

function noteRepeated(columns: readonly ItemColumn[], problems: HeaderProblems): void {
  const seen = new Map<string, number>();
  columns.forEach((column, index) => {
    if (column.kind === 'ignored') return;
    const meaning = column.kind === 'attribute' ? `attribute ${column.position}` : column.kind;
    const first = seen.get(meaning);
    if (first !== undefined) {
      const message = `columns ${first + 1} and ${index + 1} both are "${column.name}"; remove one of them`;
      problems.add('DUPLICATE_COLUMN', message, column.name);
    } else {
      seen.set(meaning, index);
    }
  });
}
