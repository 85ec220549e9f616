/** Changes items that the file of a snapshot lacks, by the rules of every row that changes an item. */
import type { Knex } from 'knex';
import type { ItemChange } from '../../changes/model/item-change.js';
import { OUTCOME } from '../../outcomes/model/chunk-result.js';
import { passOf } from '../../outcomes/model/passes.js';
import { itemApplier } from '../items/item-applier.js';
import type { ItemRules } from '../items/item-rules.js';
import { parseLines } from '../pipeline/apply-input.js';
import type { AppliedRows } from '../rows/row-applier.js';

interface ChangingJob {
  readonly jobId: string;
  readonly siteId: number;
  readonly channel: number | null;
  readonly content: 'items' | 'bundles';
}

interface ChangedItems {
  readonly changed: readonly ItemChange[];
  readonly skus: readonly string[];
  /** Of those that cannot be changed so, the first with the reason. */
  readonly failed: number;
  readonly firstFailed: { readonly sku: string; readonly message: string } | null;
}

/** All rows of a call are decided as one set. */
const LAST_PASS = 100;

/** @param attributes name → value; null: cleared */
export async function changeItems(
  trx: Knex.Transaction,
  { jobId, ...job }: ChangingJob,
  rules: ItemRules,
  skus: readonly string[],
  attributes: Readonly<Record<string, unknown>>,
): Promise<ChangedItems> {
  const input = Buffer.from(skus.map((sku) => JSON.stringify({ sku, attributes })).join('\n'));
  const options = { mode: 'update', onError: 'skip', validateOnly: false } as const;
  const applier = itemApplier({ ...job, options }, rules, null);
  const source = { bytes: input, firstRow: 1 };
  const read = await applier.read({ format: 'JSON', rows: parseLines(input), source }, { reader: 'plain' });
  const result = await applier.apply(trx, read, {
    jobId,
    duplicates: new Map(),
    siteWasEmpty: false,
    reserved: {},
    pass: passOf(LAST_PASS, OUTCOME.deferred.repeat(skus.length)),
    isWhole: true,
    guarded: true,
  });
  applier.done(read);
  return resultOf(skus, result);
}

function resultOf(skus: readonly string[], { outcomes, failures, changes }: AppliedRows): ChangedItems {
  const [first] = failures;
  const message = first?.problems[0]?.message;
  return {
    // Their rows are not those of the file.
    changed: (changes?.changed ?? []).map((change) => ({ ...change, row: null })),
    skus: skus.filter((_, index) => outcomes[index] === OUTCOME.updated),
    failed: failures.length,
    firstFailed: first === undefined ? null : { sku: first.key ?? '', message: message ?? '' },
  };
}
