/** Applies definitions that no request has brought, by the code that executes requests for them. */
import type { Knex } from 'knex';
import type { JsonRow } from '../../formats/json/json-rows.js';
import type { ChunkResult } from '../../outcomes/model/chunk-result.js';
import { FIRST_PASS } from '../../outcomes/model/passes.js';
import type { RowApplier } from '../rows/row-applier.js';

/** The options of the requests that the elements would have come in. */
export const DEFINITION_REQUEST = { mode: 'upsert', onError: 'abort', validateOnly: false } as const;

const CONTEXT = { duplicates: new Map(), siteWasEmpty: false, reserved: {}, pass: FIRST_PASS, guarded: false } as const;

export async function applyElements<Read>(
  trx: Knex.Transaction,
  applier: RowApplier<Read>,
  rows: readonly JsonRow[],
  jobId: string,
): Promise<ChunkResult> {
  const read = await applier.read({ format: 'JSON', rows }, { reader: 'plain' });
  return applier.apply(trx, read, { ...CONTEXT, jobId });
}

/** The most problems that one message spells out. */
const MAX_SHOWN = 50;

/** One problem behind a sentence, or a list of them below it. @param problems at least one */
export function listedProblems(sentence: string, problems: readonly string[]): string {
  if (problems.length === 1) return `${sentence}: ${problems[0]}`;
  const shown = problems.slice(0, MAX_SHOWN).map((problem, index) => `(${index + 1}) ${problem}`);
  const more = problems.length - shown.length;
  return [`${sentence}:`, ...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
}
