/** Creates the definitions that a job's file needs, by the code that executes requests for them. */
import type { Knex } from 'knex';
import { setItemAttributes } from '../../catalog/categories/set-item-attributes.js';
import { loadDefinitions, snapshotDefinitions } from '../../catalog/definition-snapshot.js';
import { lockDefinitions } from '../../catalog/definitions-version.js';
import { noteChanger } from '../../changes/definition-changes.js';
import { RejectedInput } from '../../formats/model/rejected-input.js';
import type { ChunkResult } from '../../jobs/model/chunk-result.js';
import { FIRST_PASS } from '../../jobs/model/passes.js';
import { attributeApplier } from '../attributes/attribute-applier.js';
import { categoryApplier } from '../categories/category-applier.js';
import { DEFINITIONS_NOT_CREATED, type MissingDefinitions } from '../kept/missing-definitions.js';
import type { ImportJob } from '../model/import-jobs.js';
import type { ImportOptions } from '../model/import-options.js';
import type { ApplyContext, RowApplier } from '../rows/row-applier.js';
import { decideMissing } from './decide-missing.js';

/** What was created, and the version of the definitions after it. */
export interface Creation {
  readonly created: NonNullable<ImportOptions['created']>;
  readonly version: number;
}

/** What creates the definitions that a job's file needs. Steps of imports are given it: see rows-of-jobs.ts. */
export type CreateMissing = typeof createMissing;

/** The most problems that one message spells out. */
const MAX_SHOWN = 50;
/** The requests that the elements would have come in. */
const REQUEST: ImportOptions = { mode: 'upsert', onError: 'abort', validateOnly: false };

/**
 * Creates what the site still lacks of the definitions, and a snapshot of all of them. What exists already is left as it
 * is, so that it makes no difference how often this is done.
 * @throws RejectedInput DEFINITIONS_NOT_CREATED with all that is in the way; `trx` must be undone then
 */
export async function createMissing(
  trx: Knex.Transaction,
  { id: jobId, site_id: siteId, actor }: Pick<ImportJob, 'id' | 'site_id' | 'actor'>,
  missing: MissingDefinitions,
): Promise<Creation> {
  // The lock of a change, before the shared one of the snapshot: in the other order two transactions would deadlock.
  await lockDefinitions(trx, siteId);
  await noteChanger(trx, { jobId, actor });
  const present = await loadDefinitions(trx, siteId, await snapshotDefinitions(trx, siteId));
  const { attributes, categories, assigned, created, problems } = decideMissing(present, missing);
  refuse(problems);
  const job = { siteId, actor, options: REQUEST, fromFile: false };
  const context = { ...CONTEXT, jobId };
  await applyElements(trx, attributeApplier(job, null), attributes, context);
  await applyElements(trx, categoryApplier(job, null), categories, context);
  for (const { nodeId, attributes: names } of assigned) {
    const changes = names.map((name) => ({ action: 'SET', attribute: { name } }) as const);
    await setItemAttributes(trx, siteId, { nodeId }, changes);
  }
  return { created, version: await snapshotDefinitions(trx, siteId) };
}

const CONTEXT = { duplicates: new Map(), siteWasEmpty: false, reserved: {}, pass: FIRST_PASS, guarded: false } as const;

async function applyElements<Read>(
  trx: Knex.Transaction,
  applier: RowApplier<Read>,
  elements: readonly object[],
  context: ApplyContext,
): Promise<void> {
  if (elements.length === 0) return;
  const rows = elements.map((element, index) => ({
    row: index + 1,
    text: JSON.stringify(element),
    element,
    problem: null,
  }));
  const read = await applier.read({ format: 'JSON', rows }, { reader: 'plain' });
  refuse(problemsOf(await applier.apply(trx, read, context)));
}

function problemsOf({ failures }: ChunkResult): string[] {
  return failures.flatMap(({ key, problems }) =>
    problems.map(({ message }) => (key === null ? message : `"${key}" cannot be created: ${message}`)),
  );
}

/** @throws RejectedInput when there is a problem */
function refuse(problems: readonly string[]): void {
  const [first] = problems;
  if (first === undefined) return;
  const shown = problems.slice(0, MAX_SHOWN).map((problem, index) => `(${index + 1}) ${problem}`);
  const more = problems.length - shown.length;
  const listed = [
    'definitions that the file needs cannot be created:',
    ...shown,
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
  const message =
    problems.length === 1 ? `definitions that the file needs cannot be created: ${first}` : listed.join('\n');
  throw new RejectedInput(DEFINITIONS_NOT_CREATED, message);
}
