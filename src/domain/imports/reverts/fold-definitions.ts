/** Folds all changes of a definition into one row of a revert, and puts these rows into an order in which they can be applied. */
import type { OwnDefinitionChange } from '../../changes/changes-by-definition.js';
import { type Image, isSameImage } from '../../changes/model/definition-image.js';
import { attributeKey } from '../../kernel/attribute-key.js';
import type { DefinitionRow } from './definition-row.js';

interface FoldedDefinitions {
  /** What the rows of items need, or must not find any more. */
  readonly beforeItems: readonly DefinitionRow[];
  readonly afterItems: readonly DefinitionRow[];
}

interface Folded extends Pick<DefinitionRow, 'key' | 'before' | 'at'> {
  readonly kind: OwnDefinitionChange['kind'];
  after: Image | null;
  broken: boolean;
  readonly firstSet: number;
  /** The places of the first and the last change among all. */
  readonly first: number;
  last: number;
}

/**
 * The definitions that jobs have changed after all items are reverted before these, and the others after them: a definition is
 * deleted when no item that the jobs have written needs it any more. One that was deleted is created again before the items,
 * unless a definition that is to go has its name.
 * @param lastItemSet the last set in which the jobs have changed items; null: none
 * @param labelOf what messages call a definition
 */
export function foldDefinitions(
  changes: readonly OwnDefinitionChange[],
  lastItemSet: number | null,
  labelOf: (change: Pick<OwnDefinitionChange, 'kind' | 'key' | 'before' | 'after'>) => string,
): FoldedDefinitions {
  const folded = fold(changes).sort((a, b) => rankOf(a) - rankOf(b) || placeOf(b) - placeOf(a));
  const late = lateOnes(folded);
  const isEarly = (one: Folded) =>
    lastItemSet !== null && (isRecreated(one) ? !late.has(one) : one.firstSet > lastItemSet);
  const rowOf = (one: Folded): DefinitionRow => {
    const { kind, key, before, after, broken, at } = one;
    return { kind, key, sku: labelOf(one), before, after, broken, at };
  };
  return {
    beforeItems: folded.filter(isEarly).map(rowOf),
    afterItems: folded.filter((one) => !isEarly(one)).map(rowOf),
  };
}

function fold(changes: readonly OwnDefinitionChange[]): Folded[] {
  const all = new Map<string, Folded>();
  for (const [place, { kind, key, setId, at, before, after }] of changes.entries()) {
    const known = all.get(`${kind} ${key}`);
    if (known === undefined) {
      const times = { firstSet: setId, at: at.toISOString(), first: place, last: place };
      all.set(`${kind} ${key}`, { kind, key, before, after, broken: false, ...times });
      continue;
    }
    if (!isSameImage(kind, known.after, before)) known.broken = true;
    known.after = after;
    known.last = place;
  }
  return [...all.values()];
}

/** Assignments and mappings go before what they refer to, and come after it; the names of what goes are free for what comes. */
function rankOf({ kind, before }: Folded): number {
  const isLink = kind === 'assignment' || kind === 'mapping';
  if (before === null) return isLink ? 0 : kind === 'attribute' ? 1 : 2;
  return isLink ? 5 : kind === 'attribute' ? 3 : 4;
}

/** The last change is undone first: children were created after their parents, and deleted before them. */
function placeOf({ before, first, last }: Folded): number {
  return before === null ? first : last;
}

function isRecreated({ before, after }: Folded): boolean {
  return before !== null && after === null;
}

/** Those that are created again only after the items, and what refers to them: their names are still taken before. */
function lateOnes(folded: readonly Folded[]): ReadonlySet<Folded> {
  const late = new Set<Folded>();
  const lateIds = new Set<unknown>();
  const taken = new Set(folded.flatMap(({ kind, after }) => (after === null ? [] : nameOf(kind, after))));
  for (const one of folded) {
    const { kind, key, before } = one;
    if (!isRecreated(one) || before === null) continue;
    const { parentId, categoryId, attributeId } = before;
    const refers = [parentId, categoryId, attributeId].some((id) => typeof id === 'string' && lateIds.has(id));
    if (!refers && !nameOf(kind, before).some((name) => taken.has(name))) continue;
    late.add(one);
    lateIds.add(key);
  }
  return late;
}

/** The name of an attribute or category at its place; none for what has no name of its own. */
function nameOf(kind: Folded['kind'], { name, parentId = null }: Image): string[] {
  if (kind !== 'attribute' && kind !== 'category') return [];
  return [JSON.stringify([kind, parentId, attributeKey(String(name))])];
}
