/** Rows that may depend on each other, with what they depend on as the rows decided so far leave it. */
import type { Knex } from 'knex';
import type { RowProblem } from '../../../kernel/row-problem.js';
import type { ApplyItems } from '../item-batch.js';
import { type ItemDraft, refersToOthers } from '../read/item-draft.js';
import { Bundles } from './bundles.js';
import { decideChange, parentOf } from './decide-change.js';
import { decideNewItem } from './decide-new-item.js';
import { decidePlain, orFailed, refusedByKey, UNCHANGED } from './decide-plain.js';
import { type FoundItems, findItems, NO_ITEMS, NOTHING_FOUND } from './found-items.js';
import { Holders } from './holders.js';
import type { ItemDecision } from './item-decision.js';
import { Memberships } from './memberships.js';
import { Parents } from './parents.js';
import { DEFERRED, type ResolvedRow } from './resolved-row.js';
import { UniqueReservations, type WantingRow } from './unique-reservations.js';

/** A problem of a row, and the items whose rows may solve it; none: no row can. */
export interface Obstacle {
  readonly problem: RowProblem;
  readonly about: readonly string[];
}

/** What a row does, and what prevents it at this moment. */
interface Verdict {
  readonly decision: ItemDecision;
  readonly obstacles: readonly Obstacle[];
}

const NO_OBSTACLES: readonly Obstacle[] = [];

export class DependentRows {
  private constructor(
    readonly options: ApplyItems,
    readonly drafts: readonly ItemDraft[],
    readonly found: FoundItems,
    readonly memberships: Memberships,
    readonly parents: Parents,
    readonly bundles: Bundles,
    readonly holders: Holders,
    readonly reservations: UniqueReservations,
    /** What each row does if no other row changes what it depends on. */
    readonly first: readonly ResolvedRow['decision'][],
  ) {}

  static async load(
    trx: Knex.Transaction,
    drafts: readonly ItemDraft[],
    options: ApplyItems,
    readFirst: boolean,
  ): Promise<DependentRows> {
    const isFirst = options.pass.number === 0;
    const plain = isFirst ? drafts.filter((draft) => !refersToOthers(draft)) : drafts;
    // Categories are locked before items, as by requests that put items into a category.
    const memberships = await Memberships.load(trx, options, isFirst ? [] : drafts);
    const [found = NOTHING_FOUND] = await findItems(trx, [{ drafts: plain, options }], readFirst);
    const parents = await Parents.load(trx, options, isFirst ? [] : drafts, isFirst ? NO_ITEMS : found.stored);
    const bundles = await Bundles.load(trx, options, isFirst ? [] : drafts, isFirst ? NO_ITEMS : found.stored);
    const holders = await Holders.load(trx, options, drafts);
    const first = drafts.map((draft): ResolvedRow['decision'] => {
      if (!isFirst) return decideRelated(draft, found, options, { memberships, parents, bundles });
      return refersToOthers(draft) ? DEFERRED : decidePlain(draft, found, options);
    });
    const wanting = drafts.flatMap((draft, index): WantingRow[] => {
      const { row, sku } = draft;
      const decision = first[index];
      if (decision !== undefined && 'item' in decision) return [{ row, sku, values: decision.item }];
      // Of a row that deletes its item the document is empty.
      // What the row lacks may be there later, with its parent; of a row that fails, all problems are reported.
      return decision?.kind === 'unchanged' || sku === '' ? [] : [{ row, sku, values: draft.document }];
    });
    const reservations = await UniqueReservations.load(trx, options, wanting);
    return new DependentRows(options, drafts, found, memberships, parents, bundles, holders, reservations, first);
  }

  draft(index: number): ItemDraft {
    return this.drafts[index] as ItemDraft;
  }

  /** Judges a row, except for its unique values. */
  judgeLinks(index: number): Verdict {
    const draft = this.draft(index);
    const { found, options, parents } = this;
    if (draft.revert === 'delete') return this.#judgeDeletion(draft, this.first[index] as ItemDecision);
    const orphaned = parents.check(draft);
    const item = found.stored.get(draft.sku);
    const parent = parentOf(draft, item);
    const isOutdated = parents.hasChanged(parent) || (draft.detach && parents.hasChanged(item?.parentSku ?? null));
    const decision = isOutdated ? decideRelated(draft, found, options, this) : (this.first[index] as ItemDecision);
    const obstacles: Obstacle[] = [];
    for (const problem of decision.kind === 'failed' ? decision.problems : []) {
      const mayInherit = problem.code === 'ATTRIBUTE_REQUIRED' && parent !== null;
      // What an unfit parent would leave to the row is not known.
      if (mayInherit && orphaned !== null) continue;
      // A variant that lacks a value may inherit it when its parent has changed.
      obstacles.push({ problem, about: mayInherit ? [parent] : [] });
    }
    for (const problem of this.memberships.check(draft)) obstacles.push({ problem, about: [] });
    if (orphaned !== null) obstacles.push(orphaned);
    const variant =
      draft.revert === 'restore' && draft.type === 'B' ? this.holders.firstVariantOf(draft.sku) : undefined;
    if (variant !== undefined)
      obstacles.push({ problem: this.holders.problem(draft.sku, variant), about: [variant.sku] });
    const isFailed = obstacles.length > 0;
    if (decision.kind === 'unchanged' && !isFailed) return { decision, obstacles: NO_OBSTACLES };
    const { problems, about } = this.bundles.check(draft);
    for (const problem of problems) obstacles.push({ problem, about });
    return { decision: isFailed ? failed(obstacles) : decision, obstacles };
  }

  /**
   * Judges a row.
   * @param isLast whether the row is not judged again, so that its values count even while it waits for items
   */
  judge(index: number, isLast = false): Verdict {
    const verdict = this.judgeLinks(index);
    const { kind } = verdict.decision;
    if (kind === 'unchanged' || (kind !== 'failed' && verdict.obstacles.length > 0 && !isLast)) return verdict;
    const taken = this.reservations.check(this.draft(index));
    if (taken.length === 0) return verdict;
    const obstacles = taken.map(({ problem, owner }) => {
      // An insert changes no item, and the row of an owner that was decided before is not decided again.
      const mayLeave = owner.row === null && this.options.mode !== 'insert';
      return { problem, about: mayLeave ? [owner.sku] : [] };
    });
    return { decision: verdict.decision, obstacles: [...verdict.obstacles, ...obstacles] };
  }

  /** An item that others refer to is deleted after them. */
  #judgeDeletion({ sku }: ItemDraft, decision: ItemDecision): Verdict {
    if (decision.kind !== 'delete') return { decision, obstacles: NO_OBSTACLES };
    const holder = this.holders.firstOf(sku);
    if (holder === undefined) return { decision, obstacles: NO_OBSTACLES };
    const obstacles = [{ problem: this.holders.problem(sku, holder), about: [holder.sku] }];
    return { decision: failed(obstacles), obstacles };
  }

  /** Records what a row does, for the rows that are decided after it. @returns what takes it back; not its values */
  record(decision: ItemDecision): () => void {
    const undo = this.#recorded(decision);
    return () => {
      for (const back of undo) back();
    };
  }

  /** What takes each part of a record back. */
  #recorded(decision: ItemDecision): readonly (() => void)[] {
    const { parents, bundles, holders, found } = this;
    if (decision.kind === 'delete') {
      const { sku } = decision;
      return [holders.remove(sku), bundles.remove(sku), parents.remove(sku, found.stored.get(sku))];
    }
    if (!('item' in decision)) return [];
    const { item } = decision;
    const undoParent = parents.record(item, found.stored.get(item.sku));
    return [holders.record(item), bundles.record(item), undoParent];
  }

  /** Records what a row does, and reserves its values. */
  apply(index: number, decision: ItemDecision): void {
    this.reserve(index, decision);
    this.record(decision);
  }

  /** Reserves the values of a row, or releases those of the item that it deletes. */
  reserve(index: number, decision: ItemDecision): void {
    if (decision.kind === 'delete') this.reservations.remove(decision.sku);
    if ('item' in decision) this.reservations.reserve({ row: this.draft(index).row, item: decision.item });
  }

  async storeBesides(trx: Knex.Transaction): Promise<void> {
    await this.reservations.store(trx);
    await this.bundles.store(trx);
    await this.memberships.store(trx);
  }
}

function decideRelated(
  draft: ItemDraft,
  { hashes, stored }: FoundItems,
  options: ApplyItems,
  { memberships, parents, bundles }: Pick<DependentRows, 'memberships' | 'parents' | 'bundles'>,
): ItemDecision {
  const { rules, channel, names, reserved } = options;
  const refused = refusedByKey(draft, hashes, options);
  if (refused !== null) return refused;
  const item = stored.get(draft.sku);
  if (draft.revert === 'delete') return item === undefined ? UNCHANGED : { kind: 'delete', sku: draft.sku };
  if (hashes.has(draft.sku) && item === undefined) return orFailed(draft, UNCHANGED);
  const relations = {
    parent: parents.valuesOf(parentOf(draft, item)),
    formerParent: parents.valuesOf(item?.parentSku ?? null),
    components: bundles.componentsOf(draft.sku),
    reclassified: memberships.changes(draft),
  };
  const decision =
    item === undefined
      ? decideNewItem(draft, rules, channel, names, reserved, relations)
      : decideChange(draft, item, rules, channel, names, relations);
  return orFailed(draft, decision);
}

export function failed(obstacles: readonly Obstacle[]): ItemDecision {
  return { kind: 'failed', problems: obstacles.map(({ problem }) => problem) };
}
