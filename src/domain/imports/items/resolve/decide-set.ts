/** The last pass: all rows that are left are decided as a set. */
import type { Knex } from 'knex';
import { storable } from '../../../kernel/characters.js';
import type { ApplyItems } from '../item-batch.js';
import type { ItemDraft } from '../read/item-draft.js';
import { type DependentRows, failed, type Obstacle } from './dependent-rows.js';
import type { ItemDecision } from './item-decision.js';
import { ItemSet } from './item-set.js';
import { resolveSet } from './resolve-set.js';

/** @returns the decision about each row */
export async function decideSet(trx: Knex.Transaction, rows: DependentRows): Promise<ItemDecision[]> {
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
