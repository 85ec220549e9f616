/** Applies rows of a revert that are about definitions: each gives one back what it was before the jobs. */
import type { Knex } from 'knex';
import type { OutboxEntry } from '../../../queues/outbox.js';
import { bumpDefinitions } from '../../catalog/definitions-version.js';
import { type DefinitionChanger, definitionChangers } from '../../changes/changes-by-others.js';
import type { Image } from '../../changes/model/definition-image.js';
import { surroundingChangers } from '../../changes/surrounding-changes.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { OUTCOME, type Outcome, type RowFailure } from '../../outcomes/model/chunk-result.js';
import type { AppliedRows } from '../rows/row-applier.js';
import { completedRows } from './carried-definitions.js';
import { type DefinitionRow, isAsBefore, isAsLeft, isSurrounding } from './definition-row.js';
import type { DefinitionSite, DueDefinition, WriteDefinitions } from './definition-write.js';
import { presentDefinitions } from './present-definitions.js';
import { revertAttributes } from './revert-attributes.js';
import { revertCategories } from './revert-categories.js';
import { revertAssignments, revertMappings } from './revert-links.js';
import { revertingSurroundings } from './revert-surroundings.js';

const WRITERS: Readonly<Record<DefinitionRow['kind'], WriteDefinitions>> = {
  attribute: revertAttributes,
  category: revertCategories,
  assignment: revertAssignments,
  mapping: revertMappings,
  profile: revertingSurroundings('profile'),
  settings: revertingSurroundings('settings'),
  webhook: revertingSurroundings('webhook'),
};

/** Judges rows that are not made of the change log: which of them are not applied, and why. */
export type DefinitionJudge = (
  trx: Knex.Transaction,
  rows: readonly DefinitionRow[],
  presentOf: (row: DefinitionRow) => DueDefinition['present'],
) => Promise<Iterable<readonly [DefinitionRow, readonly RowProblem[]]>>;

interface ApplyDefinitions {
  /** Absent: the rows are made of the change log. */
  readonly judge?: DefinitionJudge | undefined;
  /** Whether no pass follows. Until then rows that cannot be written wait for items that another pass moves or deletes. */
  readonly isLast: boolean;
}

/** A row, and its number. */
export interface ReadDefinition {
  readonly row: number;
  readonly item: DefinitionRow;
  /** Why it is not to be applied, whatever it says. */
  readonly refused?: RowProblem | undefined;
}

/**
 * The rows come in an order in which most can be applied. Those that cannot are tried again as long as others make room for
 * them, such as a category whose last child is deleted after it.
 */
export async function applyDefinitions(
  trx: Knex.Transaction,
  site: DefinitionSite,
  given: readonly ReadDefinition[],
  { judge, isLast }: ApplyDefinitions,
): Promise<AppliedRows> {
  if (given.some(({ item }) => !isSurrounding(item.kind))) await bumpDefinitions(trx, site.siteId);
  const items = given.map(({ item }) => item);
  const present = await presentDefinitions(trx, site.siteId, items, true);
  const presentOf = ({ kind, key }: DefinitionRow) => present.get(`${kind} ${key}`);
  const rows = await completedRows(trx, site.siteId, items, present);
  const read = given.map(({ row }, index): ReadDefinition => ({ row, item: rows[index] as DefinitionRow }));
  const problems = new Map<DefinitionRow, readonly RowProblem[]>(
    judge === undefined
      ? await changedSince(
          trx,
          site,
          rows.filter((row) => !isAsLeft(row, presentOf(row))),
          presentOf,
        )
      : await judge(trx, rows, presentOf),
  );
  for (const [index, { refused }] of given.entries()) {
    const row = rows[index];
    if (refused !== undefined && row !== undefined) problems.set(row, [refused]);
  }
  const judged = new Set(problems.keys());
  const outcomes = new Map<DefinitionRow, Outcome>();
  const outboxEntries: OutboxEntry[] = [];
  let due = rows.flatMap((definition): DueDefinition[] => {
    if (problems.has(definition)) return [];
    if (!isAsBefore(definition, presentOf(definition))) return [{ definition, present: presentOf(definition) }];
    outcomes.set(definition, OUTCOME.unchanged);
    return [];
  });
  while (due.length > 0) {
    const failed: DueDefinition[] = [];
    for (const group of groupsOf(due)) {
      const [first] = group;
      if (first === undefined) continue;
      const written = await WRITERS[first.definition.kind](trx, site, group);
      outboxEntries.push(...(written.outboxEntries ?? []));
      for (const one of group) {
        const problem = written.problems.get(one);
        if (problem === undefined) {
          problems.delete(one.definition);
          outcomes.set(one.definition, outcomeOf(one));
        } else {
          problems.set(one.definition, problem);
          failed.push(one);
        }
      }
    }
    if (failed.length === due.length) break;
    due = failed;
  }
  for (const [row] of problems) {
    const waits = !isLast && !judged.has(row);
    outcomes.set(row, waits ? OUTCOME.deferred : isImplied(row) ? OUTCOME.unchanged : OUTCOME.failed);
  }
  const failures = read.flatMap(({ row, item }): RowFailure[] =>
    outcomes.get(item) === OUTCOME.failed ? [{ row, key: item.sku, problems: problems.get(item) ?? [] }] : [],
  );
  return { outcomes: rows.map((row) => outcomes.get(row) ?? OUTCOME.failed), failures, outboxEntries };
}

async function changedSince(
  trx: Knex.Transaction,
  { siteId, ownJobs }: DefinitionSite,
  kept: readonly DefinitionRow[],
  presentOf: (row: DefinitionRow) => DueDefinition['present'],
): Promise<(readonly [DefinitionRow, RowProblem[]])[]> {
  const [since = ''] = kept.map(({ at }) => at).sort();
  const around = kept.flatMap(({ kind, key }) => (isSurrounding(kind) ? [key] : []));
  const changers = new Map([
    ...(await definitionChangers(trx, siteId, kept, ownJobs, new Date(since))),
    ...(await surroundingChangers(trx, siteId, around, ownJobs, new Date(since))),
  ]);
  return kept.map((row) => [row, [definitionChanged(row, presentOf(row), changers.get(`${row.kind} ${row.key}`))]]);
}

/** Rows that follow each other and are written together. */
function groupsOf(due: readonly DueDefinition[]): DueDefinition[][] {
  const groups: DueDefinition[][] = [];
  let last = '';
  for (const one of due) {
    const { kind, before } = one.definition;
    const name = `${kind} ${before === null}`;
    if (name === last) groups.at(-1)?.push(one);
    else groups.push([one]);
    last = name;
  }
  return groups;
}

function outcomeOf({ definition, present }: DueDefinition): Outcome {
  if (definition.before === null) return OUTCOME.deleted;
  return present === undefined ? OUTCOME.created : OUTCOME.updated;
}

/** The root of the primary tree is created with the first category, without a row of its own, and stays as long as it is needed. */
function isImplied({ kind, before, after }: DefinitionRow): boolean {
  return kind === 'category' && before === null && after?.parentId === null && after.tree === 'PRIMARY';
}

const NOUNS: Readonly<Record<DefinitionRow['kind'], string>> = {
  attribute: 'the attribute',
  category: 'the category',
  assignment: 'the assignment',
  mapping: 'the mapping',
  profile: 'the import profile',
  settings: 'the settings',
  webhook: 'the webhook definition',
};

/** @param changer who has changed it last; undefined: it is not known */
function definitionChanged(
  { kind, after }: DefinitionRow,
  present: Image | undefined,
  changer: DefinitionChanger | undefined,
): RowProblem {
  const how = present === undefined ? 'deleted' : after === null ? 'created again' : 'changed again';
  const jobId = changer?.jobId ?? null;
  const whom = changer === undefined ? '' : jobId === null ? ' by a request' : ` by job ${jobId}`;
  const advice = jobId === null ? '' : '; revert that job first, or both together';
  const [was, it] = kind === 'settings' ? ['were', 'they are'] : ['was', 'it is'];
  const message = `${NOUNS[kind]} ${was} ${how}${whom} afterwards, so that ${it} kept as ${it}${advice}`;
  return { code: 'CHANGED_SINCE', column: null, message, ...(jobId === null ? {} : { value: jobId }) };
}
