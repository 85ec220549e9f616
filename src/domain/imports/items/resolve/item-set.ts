/** The rows of the last pass as a set. */

import type { DependentRows } from './dependent-rows.js';
import type { ItemDecision } from './item-decision.js';
import type { Judgement, RowSet } from './resolve-set.js';

/** The rows of the last pass as a set. A row that fails by itself is no part of what the others do. */
export class ItemSet implements RowSet {
  readonly size: number;
  readonly #bySku: ReadonlyMap<string, number>;
  /** Key of a unique value → the rows that want it, in order. */
  readonly #wanting = new Map<string, number[]>();

  constructor(
    readonly rows: DependentRows,
    readonly decisions: ItemDecision[],
  ) {
    const { drafts, reservations } = rows;
    this.size = drafts.length;
    const possible = drafts.flatMap((draft, index) => (draft.faults === null ? [{ draft, index }] : []));
    this.#bySku = new Map(possible.map(({ draft, index }) => [draft.sku, index]));
    possible.forEach(({ draft: { row }, index }) => {
      for (const key of reservations.keysOf(row)) {
        const others = this.#wanting.get(key);
        if (others === undefined) this.#wanting.set(key, [index]);
        else others.push(index);
      }
    });
  }

  judge(index: number, isOpen: (index: number) => boolean): Judgement {
    const { reservations } = this.rows;
    const draft = this.rows.draft(index);
    if (draft.faults !== null) return HOPELESS;
    const { decision, obstacles } = this.rows.judgeLinks(index);
    const blockers = new Set<number>();
    for (const { about } of obstacles) {
      const open = about
        .flatMap((sku) => this.#bySku.get(sku) ?? [])
        .filter((other) => other !== index && isOpen(other));
      if (open.length === 0) return HOPELESS;
      for (const other of open) blockers.add(other);
    }
    if ('item' in decision) {
      for (const { key, owner } of reservations.check(draft)) {
        const other = this.#bySku.get(owner.sku);
        if (other === undefined || !isOpen(other)) return HOPELESS;
        if (reservations.keysOf(this.rows.draft(other).row).includes(key)) return HOPELESS;
        blockers.add(other);
      }
      for (const key of reservations.keysOf(draft.row)) {
        if (reservations.owns(draft.sku, key)) continue;
        const other = this.#firstWantingRow(key, isOpen);
        if (other !== undefined && other < index) blockers.add(other);
      }
    }
    return { isFree: blockers.size === 0, blockers: [...blockers] };
  }

  apply(index: number): void {
    const { decision } = this.rows.judgeLinks(index);
    this.rows.apply(index, decision);
    this.decisions[index] = decision;
  }

  applyTogether(indexes: readonly number[]): boolean {
    const { reservations } = this.rows;
    const drafts = indexes.map((index) => this.rows.draft(index));
    const keys = drafts.flatMap(({ row }) => reservations.keysOf(row));
    if (new Set(keys).size < keys.length) return false;
    const undo = drafts.map(({ sku }) => reservations.release(sku));
    const done = new Map<number, ItemDecision>();
    const areFree = drafts.every((draft) => reservations.check(draft).length === 0);
    for (let before = -1; areFree && done.size > before && done.size < indexes.length; ) {
      before = done.size;
      for (const index of indexes) {
        if (done.has(index)) continue;
        const { decision, obstacles } = this.rows.judgeLinks(index);
        if (obstacles.length > 0 || (!('item' in decision) && decision.kind !== 'delete')) continue;
        undo.push(this.rows.record(decision));
        done.set(index, decision);
      }
    }
    if (done.size < indexes.length) {
      for (const back of undo.reverse()) back();
      return false;
    }
    for (const [index, decision] of done) {
      this.decisions[index] = decision;
      this.rows.reserve(index, decision);
    }
    return true;
  }

  #firstWantingRow(key: string, isOpen: (index: number) => boolean): number | undefined {
    const wanting = this.#wanting.get(key) ?? [];
    // Rows that are decided do not wait for anything again.
    while (wanting[0] !== undefined && !isOpen(wanting[0])) wanting.shift();
    return wanting[0];
  }
}

const HOPELESS: Judgement = { isFree: false, blockers: [] };
