/** Whether somebody else has changed an item since, so that a revert leaves it as it is. */
import { changedFieldName } from '../../catalog/items/changed-names.js';
import type { OtherChange } from '../../changes/changes-by-others.js';
import { FIELD } from '../../changes/model/item-change.js';
import { storable } from '../../kernel/characters.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import type { ItemRules } from '../items/item-rules.js';
import { isReverted, isSameValue, type RevertRow } from './revert-row.js';

/** All that an item has, by attribute id or FIELD. */
export type ItemImage = Readonly<Record<string, unknown>>;

/** `unchanged`: the item is as it was before, and there is nothing to do. */
export type Judgement = RowProblem | 'unchanged' | 'due';

/**
 * @param present the item as it is now; undefined: it is not there
 * @param others what others have changed of it since the first change of the row
 */
export function judgeRow(
  row: RevertRow,
  present: ItemImage | undefined,
  others: readonly OtherChange[],
  rules: ItemRules,
): Judgement {
  const { broken, is, was } = row;
  if (broken !== undefined) return changedSince(broken, others, rules);
  if (!is) {
    if (!was) return 'unchanged';
    return present === undefined ? 'due' : existsAgain(row);
  }
  if (present === undefined) return deletedSince(others);
  const key = keyChangedSince(row, present, others);
  return key === undefined ? 'due' : changedSince(key, others, rules);
}

/** The first attribute or field that does not have any more what the jobs have left. */
function keyChangedSince(row: RevertRow, present: ItemImage, others: readonly OtherChange[]): string | undefined {
  const { changed, openSet, known = Object.keys(changed) } = row;
  const differs = (key: string, left: unknown) => isReverted(key) && !isSameValue(present[key], left);
  for (const key of known) if (differs(key, changed[key]?.a)) return key;
  if (openSet === undefined) return undefined;
  // What a created item had is what the first later change has found.
  const left = new Map<string, unknown>();
  for (const other of others) {
    if (other.setId <= openSet) continue;
    for (const [key, { b }] of Object.entries(other.changed)) if (!left.has(key)) left.set(key, b);
    if (other.operation === 'D') for (const key of Object.keys(present)) if (!left.has(key)) left.set(key, undefined);
  }
  for (const [key, value] of left) if (!known.includes(key) && differs(key, value)) return key;
  return undefined;
}

function changedSince(key: string, others: readonly OtherChange[], rules: ItemRules): RowProblem {
  const name = changedName(key, rules);
  const other = others.findLast(({ changed, operation }) => key in changed || operation === 'D');
  const message = `"${name}" was changed${byWhom(other)} afterwards, so that the item is kept as it is${advice(other)}`;
  return { code: 'CHANGED_SINCE', column: name, message, ...jobNamed(other) };
}

function deletedSince(others: readonly OtherChange[]): RowProblem {
  const other = others.findLast(({ operation }) => operation === 'D');
  const message = `the item was deleted${byWhom(other)} afterwards${advice(other)}`;
  return { code: 'CHANGED_SINCE', column: 'sku', message, ...jobNamed(other) };
}

function existsAgain({ sku }: RevertRow): RowProblem {
  const message = 'an item with this SKU was created again afterwards; delete it first, or leave it as it is';
  return { code: 'SKU_EXISTS', column: 'sku', message, value: storable(sku, 200) };
}

function byWhom(other: OtherChange | undefined): string {
  if (other === undefined) return '';
  return other.jobId === null ? ' by a request' : ` by job ${other.jobId}`;
}

function advice(other: OtherChange | undefined): string {
  return typeof other?.jobId === 'string' ? '; revert that job first, or both together' : '';
}

function jobNamed(other: OtherChange | undefined): { readonly value?: string } {
  return typeof other?.jobId === 'string' ? { value: other.jobId } : {};
}

/** What messages call a field or an attribute. @param key as the change log has it */
export function changedName(key: string, rules: ItemRules): string {
  if (key === FIELD.type) return 'sku';
  const position = rules.positionOfId(key);
  return position === undefined ? changedFieldName(key) : rules.definition(position).name;
}
