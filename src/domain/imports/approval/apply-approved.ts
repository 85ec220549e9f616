/** Applies the rows of an approved job: those that would change something else than their preview said fail, unwritten. */
import type { Knex } from 'knex';
import { approvalOf } from '../../job-model/approval.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { OUTCOME, type Outcome } from '../../outcomes/model/chunk-result.js';
import type { ReadAccess } from '../items/refuse-changed.js';
import type { ImportJob } from '../model/import-jobs.js';
import type { AppliedRows, RowApplier } from '../rows/row-applier.js';
import { digestsOf, loadPreviewRows, type RowDigests } from './preview-rows.js';

const BEFORE_APPROVED = 'before_approved';

const PROBLEM: RowProblem = {
  code: 'CHANGED_SINCE_PREVIEW',
  column: null,
  message:
    'it would no longer change what was approved, because its item or a definition was changed meanwhile; send the row again to see what it would change now',
};

/** Outcomes of rows that are written, or need not be. */
const APPLIED: readonly Outcome[] = [OUTCOME.created, OUTCOME.updated, OUTCOME.unchanged, OUTCOME.deleted];

/**
 * Wraps an applier so that it writes what was approved. The rows are applied, compared with their preview, and applied
 * again without those that differ, until none does: a row may depend on another one.
 */
export function writingApproved<Read, Row extends { readonly row: number }, Part>(
  applier: RowApplier<Read, Part>,
  job: Pick<ImportJob, 'id' | 'site_id' | 'kind' | 'options'>,
  { rowsOf, withRows, skuOf, refused }: ReadAccess<Read, Row>,
): RowApplier<Read, Part> {
  if (approvalOf(job.options)?.state !== 'approved') return applier;
  return {
    ...applier,
    join: undefined,
    // Rows that are skipped because they were applied before may have been about to change something.
    read: (source, { before: _, ...options }) => applier.read(source, options),
    apply: async (trx, read, context) => {
      const rows = rowsOf(read);
      const numbers = rows.flatMap(({ row }) => (row > 0 ? [row] : []));
      if (numbers.length === 0) return applier.apply(trx, read, context);
      const expected = await loadPreviewRows(trx, job.id, least(numbers), most(numbers));
      const wrong = new Set<number>();
      for (;;) {
        const checked = rows.map((row) => (wrong.has(row.row) ? refused(row, PROBLEM) : row));
        await trx.raw(`SAVEPOINT ${BEFORE_APPROVED}`);
        const result = await applier.apply(trx, withRows(read, checked), context);
        const moved = await movedAway(trx, job, { rows, skuOf }, result, expected);
        const differing = different(numbersOf(rows), result, expected, applier.attributeName)
          .concat(moved)
          .filter((row) => !wrong.has(row));
        if (differing.length === 0) return released(trx, result);
        await trx.raw(`ROLLBACK TO SAVEPOINT ${BEFORE_APPROVED}`);
        for (const row of differing) wrong.add(row);
      }
    },
  };
}

async function released(trx: Knex.Transaction, result: AppliedRows): Promise<AppliedRows> {
  await trx.raw(`RELEASE SAVEPOINT ${BEFORE_APPROVED}`);
  return result;
}

function numbersOf(rows: readonly { readonly row: number }[]): readonly number[] {
  return rows.map(({ row }) => row);
}

/** The rows that were applied, and have not changed what their preview said. */
function different(
  rows: readonly number[],
  { outcomes, changes }: AppliedRows,
  expected: RowDigests,
  attributeName: RowApplier['attributeName'],
): number[] {
  const actual = changes === undefined ? new Map() : digestsOf(changes, attributeName);
  return rows.filter((row, index) => {
    const outcome = outcomes[index];
    return row > 0 && outcome !== undefined && APPLIED.includes(outcome) && actual.get(row) !== expected.get(row);
  });
}

/**
 * The rows that would have changed something, and fail now because their item has appeared or is gone. Others fail for a reason of
 * their own, which says more; and so do those of a revert or a promotion, which name what has changed their item.
 */
async function movedAway<Row extends { readonly row: number }>(
  trx: Knex.Transaction,
  { site_id: siteId, kind }: Pick<ImportJob, 'site_id' | 'kind'>,
  { rows, skuOf }: { readonly rows: readonly Row[]; readonly skuOf: (row: Row) => string | null },
  { outcomes, failures }: AppliedRows,
  expected: RowDigests,
): Promise<readonly number[]> {
  const failing = rows.filter(({ row }, index) => outcomes[index] === OUTCOME.failed && expected.has(row));
  if (failing.length === 0 || kind === 'revert' || kind === 'promote') return [];
  const { rows: found } = await trx.raw<{ rows: { sku: string }[] }>(
    `SELECT sku FROM deleted_item
     WHERE site_id = :siteId AND sku = ANY (ARRAY(SELECT jsonb_array_elements_text(:skus::jsonb) COLLATE "C"))
       AND NOT EXISTS (SELECT FROM item WHERE item.site_id = :siteId AND item.sku = deleted_item.sku)`,
    { siteId, skus: JSON.stringify(failing.flatMap((row) => skuOf(row) ?? [])) },
  );
  const gone = new Set(found.map(({ sku }) => sku));
  const coded = new Set(failures.filter(({ problems }) => problems.some(isOfKey)).map(({ row }) => row));
  return failing.filter((row) => coded.has(row.row) || gone.has(skuOf(row) ?? '')).map(({ row }) => row);
}

/** An insert finds an item that was not there, or an update none. */
function isOfKey({ code }: RowProblem): boolean {
  return code === 'SKU_EXISTS' || code === 'SKU_NOT_FOUND';
}

function least(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => Math.min(one, other));
}

function most(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => Math.max(one, other));
}
