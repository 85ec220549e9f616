/** One row of a revert: an item, what the jobs have changed of it, and so what it was before. */
import type { Image } from '../../changes/model/definition-image.js';
import { type Differences, FIELD } from '../../changes/model/item-change.js';

/** As it is written to the file of the job, a line each. */
export interface RevertRow {
  readonly sku: string;
  /** Whether the item was there before the first of the changes. */
  readonly was: boolean;
  /** Whether it was there after the last of them. */
  readonly is: boolean;
  /** Whether `changed` has all that the item had before, and not only what was changed. */
  readonly isWhole: boolean;
  /**
   * The set in which it was last created, if it is there since: the log does not say with which values, but what was
   * changed afterwards. Absent: all of `changed` says what the item had after the last change.
   */
  readonly openSet?: number | undefined;
  /** With `openSet`: of which members of `changed` it is known what the item had after the last change. */
  readonly known?: readonly string[] | undefined;
  /** Attribute id or FIELD → the first value before and the last one after. */
  readonly changed: Differences;
  /** The attribute id or FIELD that somebody else has changed between two of the changes; absent: none. */
  readonly broken?: string | undefined;
  /** Of a row that is carried over from another stage: the category in which the item is there, by its id in this one. */
  readonly home?: string | undefined;
  /** Whether definitions are reverted with it, so that what bars its way may be gone in a later pass. */
  readonly mayWait?: boolean | undefined;
  /** Roles of attributes that need a stage without items, as the jobs have left them: the row waits until they are given back. */
  readonly waits?: readonly RoleLeft[] | undefined;
  /** The set of the first change, and its time. */
  readonly firstSet: number;
  readonly at: string;
}

interface RoleLeft {
  readonly key: string;
  /** Null: no attribute had it. */
  readonly after: Image | null;
}

/** What belongs to an item that is there again. Its status follows, and its time of creation is that of its present life. */
const NOT_RESTORED: ReadonlySet<string> = new Set([FIELD.status, FIELD.createdAt]);

/** Whether a revert gives back what the log has under this name. */
export function isReverted(key: string): boolean {
  return !NOT_RESTORED.has(key);
}

export function isSameValue(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
