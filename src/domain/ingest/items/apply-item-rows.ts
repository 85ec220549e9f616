/** Applies the rows of one chunk to the items of a site, in the caller's transaction. */
import type { Knex } from 'knex';
import type { WriteMode } from '../../jobs/job-options.js';
import { type ChunkResult, duplicateProblem, OUTCOME, type Outcome, type RowFailure } from '../chunk-result.js';
import type { Reserved } from '../ingest-kind.js';
import type { RowProblem } from '../row-problem.js';
import { decideChange, decideNewItem, type ItemDecision } from './decide-item.js';
import type { DraftOutcome } from './draft-builder.js';
import type { FixedNames } from './item-columns.js';
import type { ItemDraft } from './item-draft.js';
import type { ItemRules } from './item-rules.js';
import type { ItemState } from './item-state.js';
import { findOrphans } from './parents.js';
import { raiseSerials } from './serials.js';
import { lockItems, probeItems } from './stored-item.js';
import { claimUniqueValues } from './unique-claims.js';
import { copyNewItems, updateItems } from './write-items.js';

/** A row as it was read, before it is compared with what is stored. */
export interface ReadRow {
  readonly row: number;
  readonly outcome: DraftOutcome;
}

export interface ApplyItems {
  readonly siteId: number;
  readonly rules: ItemRules;
  readonly mode: WriteMode;
  readonly channel: number | null;
  /** Rows that lose to another row with the same key: row → the row that stands. */
  readonly duplicates: ReadonlyMap<number, number>;
  /** The site held no item when the job began: keys need no look-up, a collision will show itself. */
  readonly siteWasEmpty: boolean;
  readonly reserved: Reserved;
  /** Variants refer to items of the same job, so they wait until those are written. */
  readonly wave: 'first' | 'second';
  readonly names: FixedNames;
  /** See ApplyContext. */
  readonly guarded: boolean;
}

/** How often a chunk looks again because others inserted its keys meanwhile. */
const MAX_LOOKS = 5;

/**
 * Applies rows that have distinct keys but for `duplicates`.
 * @returns one outcome a row, in order, and the failures
 */
export async function applyItemRows(
  trx: Knex.Transaction,
  rows: readonly ReadRow[],
  options: ApplyItems,
): Promise<ChunkResult> {
  const outcomes: Outcome[] = new Array(rows.length).fill(OUTCOME.failed);
  const failures: RowFailure[] = [];
  const drafts: Indexed[] = [];
  rows.forEach(({ row, outcome }, index) => {
    const standing = options.duplicates.get(row);
    const isVariant = outcome.draft !== null && typeof outcome.draft.parentSku === 'string';
    if (options.wave === 'first' ? isVariant && standing === undefined : !isVariant || standing !== undefined) {
      outcomes[index] = OUTCOME.later;
    } else if (standing !== undefined) {
      outcomes[index] = OUTCOME.duplicate;
      const problem = duplicateProblem(options.names.sku, standing, options.mode === 'insert' ? 'first' : 'last');
      failures.push({ row, key: outcome.key, problems: [problem] });
    } else if (outcome.draft === null) {
      failures.push({ row, key: outcome.key, problems: outcome.problems });
    } else {
      drafts.push({ index, draft: outcome.draft });
    }
  });

  const fail = ({ draft, index }: Indexed, problems: readonly RowProblem[]): void => {
    outcomes[index] = OUTCOME.failed;
    failures.push({ row: draft.row, key: draft.sku, problems });
  };
  const orphans =
    options.wave === 'second'
      ? await findOrphans(
          trx,
          options,
          drafts.map(({ draft }) => draft),
        )
      : null;
  const placed = drafts.filter((indexed) => {
    const problem = orphans?.get(indexed.draft.row);
    if (problem !== undefined) fail(indexed, [problem]);
    return problem === undefined;
  });
  let lookFirst = !options.siteWasEmpty;
  for (let look = 1; ; look++) {
    const decided = await decideAll(trx, placed, options, lookFirst);
    const written = await write(trx, decided, options);
    if (written !== null) {
      for (const { indexed, decision } of written) {
        if (decision.kind === 'failed') fail(indexed, decision.problems);
        else outcomes[indexed.index] = OUTCOME_OF[decision.kind];
      }
      break;
    }
    if (look === MAX_LOOKS) throw new Error('other jobs keep inserting the same SKUs');
    lookFirst = true;
  }
  failures.sort((a, b) => a.row - b.row);
  return { outcomes, failures };
}

const OUTCOME_OF = { create: OUTCOME.created, update: OUTCOME.updated, unchanged: OUTCOME.unchanged } as const;

interface Indexed {
  readonly index: number;
  readonly draft: ItemDraft;
}

interface Decided {
  readonly indexed: Indexed;
  readonly decision: ItemDecision;
}

async function decideAll(
  trx: Knex.Transaction,
  drafts: readonly Indexed[],
  options: ApplyItems,
  lookFirst: boolean,
): Promise<Decided[]> {
  const { siteId, rules, mode, channel, names, reserved } = options;
  const skus = drafts.map(({ draft }) => draft.sku);
  const hashes = lookFirst ? await probeItems(trx, siteId, skus) : new Map<string, number | null>();
  const changed = mode === 'insert' ? [] : skus.filter((_, i) => mayChange(drafts[i]?.draft, hashes));
  const stored = await lockItems(trx, siteId, changed);
  return drafts.map((indexed) => {
    const { draft } = indexed;
    if (!hashes.has(draft.sku)) {
      return {
        indexed,
        decision: mode === 'update' ? unknownSku(options) : decideNewItem(draft, rules, channel, names, reserved),
      };
    }
    if (mode === 'insert') return { indexed, decision: existingSku(options) };
    const item = stored.get(draft.sku);
    return { indexed, decision: item === undefined ? UNCHANGED : decideChange(draft, item, rules, channel, names) };
  });
}

const UNCHANGED: ItemDecision = { kind: 'unchanged' };

function mayChange(draft: ItemDraft | undefined, hashes: ReadonlyMap<string, number | null>): boolean {
  return draft !== undefined && hashes.has(draft.sku) && hashes.get(draft.sku) !== draft.hash;
}

function unknownSku({ names }: ApplyItems): ItemDecision {
  const message = 'there is no item with this SKU, and an update creates none; correct the SKU, or use upsert';
  return { kind: 'failed', problems: [{ code: 'SKU_NOT_FOUND', column: names.sku, message }] };
}

function existingSku({ names }: ApplyItems): ItemDecision {
  const message = 'an item with this SKU exists, and an insert changes none; use upsert to change it';
  return { kind: 'failed', problems: [{ code: 'SKU_EXISTS', column: names.sku, message }] };
}

/** @returns the decisions with the losers of unique values among them; null when an insert collided */
async function write(
  trx: Knex.Transaction,
  decided: readonly Decided[],
  { siteId, rules, guarded }: ApplyItems,
): Promise<readonly Decided[] | null> {
  const settled = rules.unique.length === 0 ? decided : await withoutLosers(trx, decided, siteId, rules);
  const created: ItemState[] = [];
  const updated: ItemState[] = [];
  for (const { decision } of settled) {
    if (decision.kind === 'create') created.push(decision.item);
    else if (decision.kind === 'update') updated.push(decision.item);
  }
  if (!(await copyNewItems(trx, siteId, created, guarded))) return null;
  await updateItems(trx, siteId, updated);
  if (rules.serials.length > 0) await raiseSerials(trx, rules, written(settled));
  return settled;
}

/** Claims the unique values of what is to be written; who loses one fails. */
async function withoutLosers(
  trx: Knex.Transaction,
  decided: readonly Decided[],
  siteId: number,
  rules: ItemRules,
): Promise<Decided[]> {
  const losers = await claimUniqueValues(trx, siteId, rules, written(decided));
  return decided.map((one) => {
    const problems = losers.get(one.indexed.draft.row);
    return problems === undefined ? one : { indexed: one.indexed, decision: { kind: 'failed', problems } };
  });
}

function written(decided: readonly Decided[]): { row: number; set: readonly number[]; item: ItemState }[] {
  return decided.flatMap(({ indexed: { draft }, decision }) =>
    'item' in decision ? [{ row: draft.row, set: draft.set, item: decision.item }] : [],
  );
}
