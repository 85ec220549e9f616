/** What changed of items, as the change log keeps it. */

/** What was before and what is after; a member that is absent says that there was none. */
export interface Difference {
  readonly b?: unknown;
  readonly a?: unknown;
}

/**
 * What an item has besides its attributes, under the names that the change log keeps it by. Ids of attributes never begin
 * with a dollar sign.
 */
export const FIELD = {
  node: '$node',
  parent: '$parent',
  channels: '$channels',
  alternates: '$alternates',
  bundle: '$bundle',
  status: '$status',
  type: '$type',
  createdAt: '$createdAt',
} as const;

/** Attribute id or FIELD → what differs. */
export type Differences = Readonly<Record<string, Difference>>;

/** One letter for each operation that has a row of its own; created items are listed by their SKUs. */
export const OPERATION = { updated: 'U', deleted: 'D', status: 'S' } as const;
type Operation = (typeof OPERATION)[keyof typeof OPERATION];

/** A change of one item that was there before. */
export interface ItemChange {
  readonly sku: string;
  readonly operation: Operation;
  /** The row of the input that it comes from; null: none. */
  readonly row: number | null;
  readonly changed: Differences;
}

/** What the rows of an input changed. */
export interface Changes {
  /** The SKUs of created items. */
  readonly created: readonly string[];
  /** The row of the input that each of them comes from. */
  readonly createdRows: readonly number[];
  /** What each of them is like, without numbers that were given to it; only if the caller asked for it. */
  readonly createdAs?: readonly string[] | undefined;
  readonly changed: readonly ItemChange[];
}

export const NO_CHANGES: Changes = { created: [], createdRows: [], changed: [] };

/** The changes of several parts of an input, in their order. */
export function joinedChanges(all: readonly (Changes | undefined)[]): Changes {
  const some = all.filter((one) => one !== undefined);
  const [only] = some;
  if (some.length <= 1) return only ?? NO_CHANGES;
  return {
    created: some.flatMap(({ created }) => created),
    createdRows: some.flatMap(({ createdRows }) => createdRows),
    createdAs: some.flatMap(({ createdAs = [] }) => createdAs),
    changed: some.flatMap(({ changed }) => changed),
  };
}

/**
 * The changes that come from some of the rows. @param first the first of these rows @param beyond the row after the last
 * @param before what is subtracted from the numbers of rows
 */
export function changesWithin(changes: Changes, first: number, beyond: number, before = 0): Changes {
  const isWithin = (row: number | null) => row !== null && row >= first && row < beyond;
  const indexes = changes.createdRows.flatMap((row, index) => (isWithin(row) ? [index] : []));
  return {
    created: indexes.map((index) => changes.created[index] ?? ''),
    createdRows: indexes.map((index) => (changes.createdRows[index] ?? 0) - before),
    createdAs: changes.createdAs === undefined ? undefined : indexes.map((index) => changes.createdAs?.[index] ?? ''),
    changed: changes.changed
      .filter(({ row }) => isWithin(row))
      .map((change) => ({ ...change, row: change.row === null ? null : change.row - before })),
  };
}

/** What differs between two records of values. */
export function differencesOf(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Differences {
  const differences: Record<string, Difference> = {};
  for (const [name, b] of Object.entries(before)) {
    const a = after[name];
    if (a === undefined) differences[name] = { b };
    else if (!isSame(a, b)) differences[name] = { b, a };
  }
  for (const [name, a] of Object.entries(after)) if (before[name] === undefined) differences[name] = { a };
  return differences;
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || (typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other));
}
