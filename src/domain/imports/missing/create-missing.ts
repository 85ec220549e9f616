/** Creates the definitions that a job's file needs, by the code that executes requests for them. */
import type { Knex } from 'knex';
import { setItemAttributes } from '../../catalog/categories/set-item-attributes.js';
import { loadDefinitions, snapshotDefinitions } from '../../catalog/definition-snapshot.js';
import { lockDefinitions } from '../../catalog/definitions-version.js';
import { noteChanger } from '../../changes/definition-changes.js';
import { RejectedInput } from '../../formats/model/rejected-input.js';
import type { ChunkResult } from '../../outcomes/model/chunk-result.js';
import { attributeApplier } from '../attributes/attribute-applier.js';
import { categoryApplier } from '../categories/category-applier.js';
import { DEFINITIONS_NOT_CREATED, type MissingDefinitions } from '../kept/missing-definitions.js';
import type { ImportJob } from '../model/import-jobs.js';
import type { ImportOptions } from '../model/import-options.js';
import { applyElements, DEFINITION_REQUEST, listedProblems } from '../pipeline/apply-elements.js';
import type { RowApplier } from '../rows/row-applier.js';
import { decideMissing } from './decide-missing.js';

/** What was created, and the version of the definitions after it. */
export interface Creation {
  readonly created: NonNullable<ImportOptions['created']>;
  readonly version: number;
}

/** What creates the definitions that a job's file needs. Steps of imports are given it: see rows-of-jobs.ts. */
export type CreateMissing = typeof createMissing;

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
  const job = { siteId, actor, options: DEFINITION_REQUEST, fromFile: false };
  await create(trx, attributeApplier(job, null), attributes, jobId);
  await create(trx, categoryApplier(job, null), categories, jobId);
  for (const { nodeId, attributes: names } of assigned) {
    const changes = names.map((name) => ({ action: 'SET', attribute: { name } }) as const);
    await setItemAttributes(trx, siteId, { nodeId }, changes);
  }
  return { created, version: await snapshotDefinitions(trx, siteId) };
}

async function create<Read>(
  trx: Knex.Transaction,
  applier: RowApplier<Read>,
  elements: readonly object[],
  jobId: string,
): Promise<void> {
  if (elements.length === 0) return;
  const rows = elements.map((element, index) => ({
    row: index + 1,
    text: JSON.stringify(element),
    element,
    problem: null,
  }));
  refuse(problemsOf(await applyElements(trx, applier, rows, jobId)));
}

function problemsOf({ failures }: ChunkResult): string[] {
  return failures.flatMap(({ key, problems }) =>
    problems.map(({ message }) => (key === null ? message : `"${key}" cannot be created: ${message}`)),
  );
}

/** @throws RejectedInput when there is a problem */
function refuse(problems: readonly string[]): void {
  if (problems.length === 0) return;
  const sentence = 'definitions that the file needs cannot be created';
  throw new RejectedInput(DEFINITIONS_NOT_CREATED, listedProblems(sentence, problems));
}
