/** What changed of items that were written twice in one transaction: what they were before it, and what they are after it. */
import {
  type Changes,
  type Difference,
  type Differences,
  type ItemChange,
  OPERATION,
} from '../../changes/model/item-change.js';
import { isSameValue } from './revert-row.js';

/** An item has one change where several of one kind follow each other, or its deletion follows. */
export function chainedChanges(changes: Changes): Changes {
  const changed: ItemChange[] = [];
  const lastOf = new Map<string, number>();
  for (const change of changes.changed) {
    const at = lastOf.get(change.sku);
    const last = at === undefined ? undefined : changed[at];
    const { operation } = change;
    const isEnd = operation === OPERATION.deleted && last?.operation === OPERATION.updated;
    if (at !== undefined && last !== undefined && (isEnd || last.operation === operation)) {
      changed[at] = { ...change, changed: chained(last.changed, change.changed) };
    } else {
      lastOf.set(change.sku, changed.push(change) - 1);
    }
  }
  return { ...changes, changed: changed.filter((one) => one.operation === OPERATION.deleted || differs(one)) };
}

function chained(first: Differences, second: Differences): Differences {
  const all: Record<string, Difference> = { ...first };
  for (const [key, { b, a }] of Object.entries(second)) {
    const from = key in first ? first[key]?.b : b;
    if (isSameValue(from, a)) delete all[key];
    else all[key] = { ...(from === undefined ? {} : { b: from }), ...(a === undefined ? {} : { a }) };
  }
  return all;
}

function differs({ changed }: ItemChange): boolean {
  return Object.keys(changed).length > 0;
}
