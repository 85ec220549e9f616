/** Gives attributes back their former definitions, by what writes attributes for rows of imports. */
import type { Knex } from 'knex';
import { definitionFromColumns } from '../../catalog/attribute-record.js';
import { AttributeSet } from '../../catalog/attributes/attribute-set.js';
import { type AttributeChange, decideFormerAttribute } from '../../catalog/attributes/decide-attribute-change.js';
import type { AttributeDefinition } from '../../catalog/model/attribute-definition.js';
import type { Image } from '../../changes/model/definition-image.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { withReservations } from '../attributes/reserve-values.js';
import { SiteMappings } from '../attributes/site-mappings.js';
import { countUsage, loadAttributes, storeAttributes } from '../attributes/store-attributes.js';
import { assignedTo, heldOptions } from './attribute-uses.js';
import type { DueDefinition, WriteDefinitions } from './definition-write.js';

interface FormerAttribute {
  readonly one: DueDefinition;
  readonly present: AttributeDefinition | undefined;
  readonly former: AttributeDefinition | undefined;
}

/** All of them together: names may have been swapped. */
export const revertAttributes: WriteDefinitions = async (trx, { siteId }, due) => {
  const all = due.map((one): FormerAttribute => {
    const { key, before } = one.definition;
    return { one, present: definitionOf(key, one.present), former: definitionOf(key, before) };
  });
  const problems = new Map<DueDefinition, readonly RowProblem[]>(await barred(trx, siteId, all));
  const usage = await countUsage(
    trx,
    siteId,
    all.flatMap(({ present, former }) => (present !== undefined && present.type !== former?.type ? [present.id] : [])),
  );
  const stored = (await loadAttributes(trx, siteId)).definitions();
  for (;;) {
    const left = all.filter(({ one }) => !problems.has(one));
    const decided = decideAll(stored, left, (id) => usage.get(id) ?? 0);
    for (const [one, problem] of decided.problems) problems.set(one, problem);
    // What is kept has a name that another one may want.
    if (decided.problems.size > 0) continue;
    await trx.raw('SAVEPOINT before_attributes');
    const failed = await store(trx, siteId, decided.changes);
    if (failed !== null) await trx.raw('ROLLBACK TO SAVEPOINT before_attributes');
    await trx.raw('RELEASE SAVEPOINT before_attributes');
    if (failed === null) break;
    problems.set(failed.one, failed.problems);
  }
  return { problems };
};

interface Decided {
  readonly changes: ReadonlyMap<DueDefinition, AttributeChange>;
  readonly problems: ReadonlyMap<DueDefinition, readonly RowProblem[]>;
}

function decideAll(
  stored: readonly AttributeDefinition[],
  left: readonly FormerAttribute[],
  usageOf: (id: string) => number,
): Decided {
  const changing = new Set(left.map(({ present }) => present?.id));
  const others = new AttributeSet(stored.filter(({ id }) => !changing.has(id)));
  const changes = new Map<DueDefinition, AttributeChange>();
  const problems = new Map<DueDefinition, readonly RowProblem[]>();
  for (const { one, present, former } of left) {
    const decided = decideFormerAttribute(others, { present, former }, usageOf);
    if (Array.isArray(decided)) {
      problems.set(one, decided);
    } else if (decided !== undefined) {
      changes.set(one, decided);
      if (former !== undefined) others.put(former);
    }
  }
  return { changes, problems };
}

/** @returns the first that cannot be written, for which all of them have to be undone; null: all are written */
async function store(
  trx: Knex.Transaction,
  siteId: number,
  changes: Decided['changes'],
): Promise<{ readonly one: DueDefinition; readonly problems: readonly RowProblem[] } | null> {
  const mappings = await SiteMappings.load(trx, siteId);
  for (const [one, change] of changes) {
    const mapped = mappings.check({ action: 'UPDATE', draft: {} }, change);
    const reserved = Array.isArray(mapped) ? mapped : await withReservations(trx, siteId, mapped);
    if (Array.isArray(reserved)) return { one, problems: reserved };
  }
  const nextSerials = new Map(
    [...changes.keys()].flatMap(({ definition: { key, before } }) =>
      typeof before?.serialNext === 'number' ? [[key, before.serialNext] as const] : [],
    ),
  );
  await storeAttributes(trx, siteId, [...changes.values()], { nextSerials, withPositions: true });
  return null;
}

/** Why definitions that the jobs have added are kept: something uses them that is not reverted. */
async function barred(
  trx: Knex.Transaction,
  siteId: number,
  all: readonly FormerAttribute[],
): Promise<(readonly [DueDefinition, RowProblem[]])[]> {
  const created = all.filter(({ former }) => former === undefined);
  const categories = await assignedTo(
    trx,
    created.flatMap(({ present }) => present?.id ?? []),
  );
  const barredNow = created.flatMap(({ one }): (readonly [DueDefinition, RowProblem[]])[] => {
    const category = categories.get(one.definition.key);
    if (category === undefined) return [];
    const message = `the attribute is assigned to the category "${category}", so that it is kept`;
    return [[one, [{ code: 'ATTRIBUTE_IN_USE', column: null, message }]]];
  });
  for (const { one, present, former } of all) {
    const added = addedOptions(present, former);
    const held =
      present === undefined || added.length === 0 ? undefined : await heldOptions(trx, siteId, present, added);
    if (held === undefined) continue;
    const message = `the item "${held.sku}" has the option "${held.value}", which would be gone, so that the attribute is kept as it is`;
    barredNow.push([one, [{ code: 'ATTRIBUTE_IN_USE', column: null, message, value: held.sku }]]);
  }
  return barredNow;
}

/** The options that the former definition did not have. */
function addedOptions(present: AttributeDefinition | undefined, former: AttributeDefinition | undefined): string[] {
  if (present?.options === undefined || former?.type !== present.type) return [];
  const own = new Set(former.options?.map(String));
  return present.options.map(String).filter((option) => !own.has(option));
}

function definitionOf(id: string, image: Image | null | undefined): AttributeDefinition | undefined {
  if (image === null || image === undefined) return undefined;
  const { name, type, position, definition } = image as Omit<Parameters<typeof definitionFromColumns>[0], 'id'>;
  return definitionFromColumns({ id, name, type, position, definition });
}
