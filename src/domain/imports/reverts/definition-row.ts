/** One row of a revert that is about a definition, or about what is around the catalog: what it was before the jobs, and what they have left. */
import { type DefinitionKind, type Image, isSameImage } from '../../changes/model/definition-image.js';
import {
  isSameSurrounding,
  isUntouched,
  SURROUNDING_KINDS,
  type SurroundingKind,
} from '../../changes/model/surrounding-image.js';
import type { RevertRow } from './revert-row.js';

/** As it is written to the file of the job, a line each: its first member tells it from the row of an item. */
export interface DefinitionRow {
  readonly kind: DefinitionKind | SurroundingKind;
  /** By which what is kept of changes knows it. */
  readonly key: string;
  /** What messages call it, where the row of an item has its SKU. */
  readonly sku: string;
  /** Null: it was not there. */
  readonly before: Image | null;
  /** Null: it was not there any more. */
  readonly after: Image | null;
  /** Whether somebody else has changed it between two of the changes. */
  readonly broken: boolean;
  /** The time of the first change. */
  readonly at: string;
  /** Present if it is carried over from another stage: `before` has only what it is to have, and the rest stays as it is. */
  readonly carried?: CarriedOver | undefined;
  /** The change by which a job has deleted it, which keeps its secrets. */
  readonly deletedBy?: string | undefined;
}

/** What else is known of a definition that is carried over from another stage. */
interface CarriedOver {
  /** What it is in the other stage. Null: it is not there. */
  readonly source: Image | null;
  /** What it has besides when it is created. */
  readonly initial: Image;
}

/** The first byte in which lines of definitions and of items differ, and that of a definition. */
export const KIND_AT = 2;
export const KIND_OF_DEFINITION = 'k'.charCodeAt(0);

export function isDefinitionRow(row: RevertRow | DefinitionRow): row is DefinitionRow {
  return 'kind' in row;
}

/** Whether it is about an import profile, settings or a webhook definition. */
export function isSurrounding(kind: DefinitionRow['kind']): kind is SurroundingKind {
  return SURROUNDING_KINDS.some((one) => one === kind);
}

/** Whether a definition is as the jobs have left it. What they have created is not any more if somebody has begun to use it. */
export function isAsLeft({ kind, before, after, broken }: DefinitionRow, present: Image | undefined): boolean {
  if (broken) return false;
  if (!isSurrounding(kind)) return isSameImage(kind, present, after);
  return before === null ? isUntouched(kind, after, present) : isSameSurrounding(kind, after, present);
}

/** Whether a revert has nothing to do. */
export function isAsBefore({ kind, before }: DefinitionRow, present: Image | undefined): boolean {
  return isSurrounding(kind) ? isSameSurrounding(kind, before, present) : isSameImage(kind, before, present);
}
