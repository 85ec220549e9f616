/** What changed of items that were written twice in one transaction: what they were before it, and what they are after it. */
import { type Changes, type Difference, type Differences, type ItemChange, OPERATION } from '../../changes/model/item-change.js';
import { isSameValue } from './revert-row.js';

/** An item has one change where several follow each other. */
export function chainedChanges(changes: Changes): Changes {
  const changed: ItemChange[] = [];
  const lastOf = new Map<string, number>();
  for (const change of changes.changed) {
    const at = lastOf.get(change.sku);
    const last = at === undefined ? undefined : changed[at];
    if (at === undefined || last?.operation !== change.operation || change.operation === OPERATION.deleted) {
      lastOf.set(change.sku, changed.push(change) - 1);
    } else {
      changed[at] = { ...change, changed: chained(last.changed, change.changed) };
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
