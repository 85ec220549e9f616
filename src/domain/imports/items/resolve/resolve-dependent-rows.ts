/**
 * Resolves rows: decides what each of them does before any of them is written. Rows that refer to others are resolved
 * in the order of the input, each against the stored items and the changes of the rows before it, so that it does not
 * matter where one chunk ends and the next begins.
 */
import type { Knex } from 'knex';
import { fromInTurns } from '../../../../platform/time-slice.js';
import { storable } from '../../../kernel/characters.js';
import type { RowProblem } from '../../../kernel/row-problem.js';
import type { ApplyItems } from '../item-batch.js';
import type { ItemRules } from '../item-rules.js';
import type { ItemDraft } from '../read/item-draft.js';
import { refersToOthers } from '../read/item-draft.js';
import { Bundles } from './bundles.js';
import type { ItemDecision } from './decide-item.js';
import { decideChange, decideNewItem, parentOf, problemsOfPlace } from './decide-item.js';
import { Memberships } from './memberships.js';
import { Parents } from './parents.js';
import type { Judgement, RowSet } from './resolve-set.js';
import { resolveSet } from './resolve-set.js';
import type { StoredItem } from './stored-item.js';
import { lockItems, lockItemsOf, probeItems, probeItemsOf } from './stored-item.js';
import type { WantingRow } from './unique-reservations.js';
import { UniqueReservations } from './unique-reservations.js';

export interface ResolvedRow {
  readonly draft: ItemDraft;
  readonly decision: ItemDecision | { readonly kind: 'deferred' };
}

export interface Resolution {
  /** The rows, in the order of the drafts. */
  readonly rows: readonly ResolvedRow[];
  /** Writes what belongs to the rows besides their items: unique-value reservations, components of bundles, memberships. */
  storeBesides(trx: Knex.Transaction): Promise<void>;
}

const DEFERRED = { kind: 'deferred' } as const;

/** A problem of a row, and the items whose rows may solve it; none: no row can. */
interface Obstacle {
  readonly problem: RowProblem;
  readonly about: readonly string[];
}

/** What a row does, and what prevents it at this moment. */
interface Verdict {
  readonly decision: ItemDecision;
  readonly obstacles: readonly Obstacle[];
}

const NO_OBSTACLES: readonly Obstacle[] = [];

/** Rows that may depend on each other, with what they depend on as the rows decided so far leave it. */
class DependentRows {
  private constructor(
    readonly options: ApplyItems,
    readonly drafts: readonly ItemDraft[],
    readonly found: FoundItems,
    readonly memberships: Memberships,
    readonly parents: Parents,
    readonly bundles: Bundles,
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
    const found = await findItems(trx, plain, options, readFirst);
    const parents = await Parents.load(trx, options, isFirst ? [] : drafts, isFirst ? NO_ITEMS : found.stored);
    const bundles = await Bundles.load(trx, options, isFirst ? [] : drafts, isFirst ? NO_ITEMS : found.stored);
    const first = drafts.map((draft): ResolvedRow['decision'] => {
      if (!isFirst) return decideRelated(draft, found, options, { memberships, parents, bundles });
      return refersToOthers(draft) ? DEFERRED : decidePlain(draft, found, options);
    });
    const wanting = drafts.flatMap((draft, index): WantingRow[] => {
      const { row, sku } = draft;
      const decision = first[index];
      if (decision !== undefined && 'item' in decision) return [{ row, sku, values: decision.item }];
      // What the row lacks may be there later, with its parent; of a row that fails, all problems are reported.
      return decision?.kind === 'unchanged' || sku === '' ? [] : [{ row, sku, values: draft.document }];
    });
    const reservations = await UniqueReservations.load(trx, options, wanting);
    return new DependentRows(options, drafts, found, memberships, parents, bundles, reservations, first);
  }

  draft(index: number): ItemDraft {
    return this.drafts[index] as ItemDraft;
  }

  /** Judges a row, except for its unique values. */
  judgeLinks(index: number): Verdict {
    const draft = this.draft(index);
    const { found, options, parents } = this;
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

  /** Records what a row does, for the rows that are decided after it. @returns what takes it back; not its values */
  record(decision: ItemDecision): () => void {
    if (!('item' in decision)) return NOTHING_TO_UNDO;
    const { item } = decision;
    const undoParent = this.parents.record(item, this.found.stored.get(item.sku));
    const undoBundle = this.bundles.record(item);
    return () => {
      undoBundle();
      undoParent();
    };
  }

  /** Records what a row does, and reserves its values. */
  apply(index: number, decision: ItemDecision): void {
    if (!('item' in decision)) return;
    this.reservations.reserve({ row: this.draft(index).row, item: decision.item });
    this.record(decision);
  }

  async storeBesides(trx: Knex.Transaction): Promise<void> {
    await this.reservations.store(trx);
    await this.bundles.store(trx);
    await this.memberships.store(trx);
  }
}

function NOTHING_TO_UNDO(): void {}

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

/** The decision about a row or, if something is wrong with the row by itself, its failure with all its problems. */
function orFailed({ faults }: ItemDraft, decision: ItemDecision): ItemDecision {
  if (faults === null) return decision;
  const others = decision.kind === 'failed' ? decision.problems : [];
  return { kind: 'failed', problems: [...faults.problems, ...others] };
}

/**
 * Resolves rows that may depend on others. A row that another row may still make possible is deferred; in the last pass
 * the rows are a set, whose order decides only who gets a value.
 * @param readFirst false when the keys are assumed to be new
 */
export async function resolveDependentRows(
  trx: Knex.Transaction,
  drafts: readonly ItemDraft[],
  options: ApplyItems,
  readFirst: boolean,
): Promise<Resolution> {
  const rows = await DependentRows.load(trx, drafts, options, readFirst);
  const decisions = options.pass.last
    ? await decideSet(trx, rows)
    : await fromInTurns(drafts, (_, index) => decideInOrder(rows, index));
  for (const [index, draft] of drafts.entries()) {
    const decision = decisions[index];
    if (decision !== undefined && 'item' in decision) rows.memberships.record(draft);
  }
  return {
    rows: drafts.map((draft, index): ResolvedRow => ({ draft, decision: decisions[index] ?? DEFERRED })),
    storeBesides: (inner) => rows.storeBesides(inner),
  };
}

/** Decides a row after the rows before it. */
function decideInOrder(rows: DependentRows, index: number): ResolvedRow['decision'] {
  const { reservations, bundles } = rows;
  const draft = rows.draft(index);
  if (rows.first[index]?.kind === 'deferred') {
    if (draft.faults === null) reservations.waitFor(draft.row);
    return DEFERRED;
  }
  const { decision, obstacles } = rows.judge(index);
  const isAwaited = 'item' in decision && reservations.isAwaited(draft);
  if (obstacles.length === 0 && !isAwaited) {
    rows.apply(index, decision);
    return decision;
  }
  const hopeless = obstacles.filter(({ about }) => about.length === 0).length;
  if (hopeless > 0) reservations.stopWaiting(draft.row);
  // A row that fails in any case, and may fail for another reason too, waits until all of them are known.
  if (hopeless > 0 && hopeless === obstacles.length) return failed(obstacles);
  if (hopeless === 0) {
    bundles.defer(draft);
    reservations.waitFor(draft.row);
  }
  return DEFERRED;
}

function failed(obstacles: readonly Obstacle[]): ItemDecision {
  return { kind: 'failed', problems: obstacles.map(({ problem }) => problem) };
}

// The last pass: all rows that are left are decided as a set.

/** @returns the decision about each row */
async function decideSet(trx: Knex.Transaction, rows: DependentRows): Promise<ItemDecision[]> {
  const decisions: ItemDecision[] = [];
  const left = await resolveSet(new ItemSet(rows, decisions));
  const failing = left.map((index) => ({ index, draft: rows.draft(index) }));
  // Rows that fail in any case wait for nothing: they are no part of a cycle.
  const isHopeless = (index: number) => rows.judgeLinks(index).obstacles.some(({ about }) => about.length === 0);
  const [hopeless, waiting] = partition(failing, ({ index }) => isHopeless(index));
  rows.bundles.findMissing(
    waiting.map(({ draft }) => draft),
    hopeless.map(({ draft }) => draft),
  );
  const judged = failing.map((one) => ({ ...one, obstacles: rows.judge(one.index, true).obstacles }));
  const failures = await failedRows(trx, rows.options, judged);
  for (const { index, draft, obstacles } of judged) {
    decisions[index] = failed(obstacles.map((obstacle) => explained(obstacle, draft, failures)));
  }
  return decisions;
}

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  const first = all.filter(isFirst);
  const chosen = new Set(first);
  return [first, all.filter((one) => !chosen.has(one))];
}

/** The rows of the last pass as a set. A row that fails by itself is no part of what the others do. */
class ItemSet implements RowSet {
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
        if (obstacles.length > 0 || !('item' in decision)) continue;
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
      if ('item' in decision) reservations.reserve({ row: this.rows.draft(index).row, item: decision.item });
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

/** SKU → row, for the rows of the job that failed although they are about the items that others wait for. */
async function failedRows(
  trx: Knex.Transaction,
  { jobId, failedBefore }: ApplyItems,
  judged: readonly { readonly draft: ItemDraft; readonly obstacles: readonly Obstacle[] }[],
): Promise<ReadonlyMap<string, number>> {
  const wanted = new Set(judged.flatMap(({ obstacles }) => obstacles.flatMap(({ about }) => about)));
  if (wanted.size === 0) return new Map();
  const result = await trx.raw<{ rows: { key: string; row: number }[] }>(
    `SELECT key, min(row_no) AS row FROM job_error
     WHERE job_id = ? AND winning_row IS NULL AND key = ANY (ARRAY(SELECT jsonb_array_elements_text(?::jsonb)))
     GROUP BY key`,
    [jobId, JSON.stringify([...wanted])],
  );
  const rows = new Map(result.rows.map(({ key, row }) => [key, row]));
  for (const { key, row, problems } of failedBefore ?? []) {
    if (key !== null && wanted.has(key) && problems[0]?.winningRow === undefined) rows.set(key, row);
  }
  for (const { draft } of judged) if (draft.sku !== '') rows.set(draft.sku, draft.row);
  return rows;
}

/** The obstacle of a row that fails; if the row that would have removed it failed too, the problem says so. */
function explained({ problem, about }: Obstacle, draft: ItemDraft, failures: ReadonlyMap<string, number>): Obstacle {
  for (const sku of about) {
    const row = failures.get(sku);
    if (row === undefined || row === draft.row) continue;
    const message = `${problem.message}; row ${row}, for "${storable(sku, 60)}", failed too: correct it first`;
    return { problem: { ...problem, message }, about };
  }
  return { problem, about };
}

// Rows that refer to no others, of a site without unique values: each is resolved by itself.

const NOTHING_BESIDES = async (): Promise<void> => undefined;

/** @param readFirst false when the keys are assumed to be new */
export async function resolvePlainRows(
  trx: Knex.Transaction,
  drafts: readonly ItemDraft[],
  options: ApplyItems,
  readFirst: boolean,
): Promise<Resolution> {
  const found = await findItems(trx, drafts, options, readFirst);
  const rows = await fromInTurns(drafts, decidedBy(found, options));
  return { rows, storeBesides: NOTHING_BESIDES };
}

/** Rows of one site that are resolved together with those of other sites. */
interface PlainRows {
  readonly drafts: readonly ItemDraft[];
  readonly options: ApplyItems;
}

/** Like resolvePlainRows for several sites that have no unique values. @returns the rows of each part, in order */
export async function resolveTogether(
  trx: Knex.Transaction,
  parts: readonly PlainRows[],
): Promise<readonly (readonly ResolvedRow[])[]> {
  const wanted = parts.map(({ drafts, options }) => ({ siteId: options.siteId, skus: drafts.map(({ sku }) => sku) }));
  const hashes = await probeItemsOf(trx, wanted);
  const changed = parts.map(({ drafts, options: { siteId, mode } }, nth) => ({
    siteId,
    skus: changedDrafts(drafts, mode, hashes[nth] ?? NO_HASHES).map(({ sku }) => sku),
  }));
  const stored = await lockItemsOf(trx, changed);
  const resolved: ResolvedRow[][] = [];
  for (const [nth, { drafts, options }] of parts.entries()) {
    const found = { hashes: hashes[nth] ?? NO_HASHES, stored: stored[nth] ?? NO_ITEMS };
    resolved.push(await fromInTurns(drafts, decidedBy(found, options)));
  }
  return resolved;
}

function decidedBy(found: FoundItems, options: ApplyItems): (draft: ItemDraft) => ResolvedRow {
  return (draft) => ({ draft, decision: decidePlain(draft, found, options) });
}

interface FoundItems {
  /** SKU → source hash, for the items that exist. */
  readonly hashes: ReadonlyMap<string, number | null>;
  /** Those of them that the rows may change; their rows are locked. */
  readonly stored: ReadonlyMap<string, StoredItem>;
}

const NO_HASHES: FoundItems['hashes'] = new Map();
const NO_ITEMS: FoundItems['stored'] = new Map();

/** The drafts that may change an item. */
function changedDrafts(
  drafts: readonly ItemDraft[],
  mode: ApplyItems['mode'],
  hashes: FoundItems['hashes'],
): readonly ItemDraft[] {
  if (mode === 'insert') return [];
  return drafts.filter(({ sku, hash }) => hashes.has(sku) && hashes.get(sku) !== hash);
}

async function findItems(
  trx: Knex.Transaction,
  drafts: readonly ItemDraft[],
  { siteId, mode }: ApplyItems,
  readFirst: boolean,
): Promise<FoundItems> {
  const skus = drafts.map(({ sku }) => sku);
  const hashes = readFirst ? await probeItems(trx, siteId, skus) : NO_HASHES;
  const changed = changedDrafts(drafts, mode, hashes);
  const stored = await lockItems(
    trx,
    siteId,
    changed.map(({ sku }) => sku),
  );
  return { hashes, stored };
}

const UNCHANGED: ItemDecision = { kind: 'unchanged' };

function decidePlain(draft: ItemDraft, { hashes, stored }: FoundItems, options: ApplyItems): ResolvedRow['decision'] {
  const { rules, channel, names, reserved } = options;
  const refused = refusedByKey(draft, hashes, options);
  if (refused !== null) return refused;
  if (!hashes.has(draft.sku)) return orFailed(draft, decideNewItem(draft, rules, channel, names, reserved));
  const item = stored.get(draft.sku);
  if (item === undefined) return orFailed(draft, UNCHANGED);
  if (dependsOnOthers(draft, item, rules)) return DEFERRED;
  return orFailed(draft, decideChange(draft, item, rules, channel, names));
}

/** The result of changing a bundle depends on its components, and that of changing a variant on its parent. */
function dependsOnOthers({ parentSku }: ItemDraft, stored: StoredItem, rules: ItemRules): boolean {
  return stored.type === 'B' || (stored.parentSku !== null && parentSku === undefined && rules.inheritable.length > 0);
}

/** The failure of a row whose item is not known, or that the mode of the job does not allow; null: it may be applied. */
function refusedByKey(draft: ItemDraft, hashes: FoundItems['hashes'], options: ApplyItems): ItemDecision | null {
  const refused = draft.sku === '' ? [] : refusedByMode(draft, hashes, options);
  if (refused === null) return null;
  return orFailed(draft, { kind: 'failed', problems: [...refused, ...problemsOfPlace(draft, options.rules)] });
}

/** An insert changes nothing, and an update creates nothing. */
function refusedByMode(
  { sku }: ItemDraft,
  hashes: FoundItems['hashes'],
  { mode, names }: ApplyItems,
): readonly RowProblem[] | null {
  if (mode === 'insert' && hashes.has(sku)) {
    const message = 'an item with this SKU exists, and an insert changes none; use upsert to change it';
    return [{ code: 'SKU_EXISTS', column: names.sku, message }];
  }
  if (mode === 'update' && !hashes.has(sku)) {
    const message = 'there is no item with this SKU, and an update creates none; correct the SKU, or use upsert';
    return [{ code: 'SKU_NOT_FOUND', column: names.sku, message }];
  }
  return null;
}
