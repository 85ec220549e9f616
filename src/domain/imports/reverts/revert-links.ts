/** Gives assignments of attributes to categories, and the roles of attributes, back what they were. */
import type { Knex } from 'knex';
import { writeAttributeMappings } from '../../catalog/attributes/set-attribute-mappings.js';
import type { AttributeMapping } from '../../catalog/model/attribute-definition.js';
import { scheduleStatusJob } from '../../catalog/status-job.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { writeAssignments } from '../categories/write-categories.js';
import { valuesSince } from './attribute-uses.js';
import { asRowProblem, type DueDefinition, type WriteDefinitions } from './definition-write.js';

interface AssignmentImage {
  readonly categoryId: string;
  readonly attributeId: string;
  readonly mandatory: boolean;
  readonly position: number;
}

export const revertAssignments: WriteDefinitions = async (trx, { siteId, ownJobs }, due) => {
  const problems = new Map<DueDefinition, readonly RowProblem[]>();
  const [removed, written] = [due.filter(isCreated), due.filter((one) => !isCreated(one))];
  const used = await valuesSince(
    trx,
    siteId,
    removed.map(({ definition: { key, after, at } }) => ({ ...imageOf(after), key, at })),
    ownJobs,
  );
  for (const one of removed) {
    const sku = used.get(one.definition.key);
    if (sku === undefined) continue;
    const message = `the item "${sku}" has got a value of the attribute since, so that the assignment is kept`;
    problems.set(one, [{ code: 'ATTRIBUTE_IN_USE', column: null, message, value: sku }]);
  }
  for (const [one, problem] of await missingEnds(trx, siteId, written)) problems.set(one, [problem]);
  const applied = due.filter((one) => !problems.has(one));
  const gone = applied.filter(isCreated).map(({ definition }) => imageOf(definition.after));
  const rows = applied.filter((one) => !isCreated(one)).map(({ definition }) => imageOf(definition.before));
  await trx.raw(
    `DELETE FROM category_attribute AS held USING jsonb_to_recordset(?::jsonb) AS gone ("categoryId" text, "attributeId" text)
     WHERE held.category_id = gone."categoryId" COLLATE "C" AND held.attribute_id = gone."attributeId" COLLATE "C"`,
    [JSON.stringify(gone)],
  );
  await writeAssignments(
    trx,
    rows.map(({ categoryId: c, attributeId: a, mandatory: m, position: p }) => ({ c, a, m, p })),
  );
  await updateStatuses(trx, siteId, applied);
  return { problems };
};

/** Assignments whose attribute or category is not there any more. */
async function missingEnds(
  trx: Knex.Transaction,
  siteId: number,
  written: readonly DueDefinition[],
): Promise<(readonly [DueDefinition, RowProblem])[]> {
  if (written.length === 0) return [];
  const images = written.map(({ definition }) => imageOf(definition.before));
  const find = async (table: 'attribute' | 'category', ids: readonly string[]) => {
    const rows: string[] = await trx(table)
      .where({ site_id: siteId })
      .whereRaw('id = ANY (?)', [[...ids]])
      .pluck('id');
    return new Set(rows);
  };
  const attributes = await find(
    'attribute',
    images.map(({ attributeId }) => attributeId),
  );
  const categories = await find(
    'category',
    images.map(({ categoryId }) => categoryId),
  );
  return written.flatMap((one): (readonly [DueDefinition, RowProblem])[] => {
    const { attributeId, categoryId } = imageOf(one.definition.before);
    if (!attributes.has(attributeId)) return [[one, notThere('ATTRIBUTE_NOT_FOUND', 'attribute', attributeId)]];
    if (!categories.has(categoryId)) return [[one, notThere('NODE_NOT_FOUND', 'category', categoryId)]];
    return [];
  });
}

function notThere(code: RowProblem['code'], what: string, id: string): RowProblem {
  return {
    code,
    column: null,
    message: `the ${what} ${id} was deleted since, so that nothing can refer to it`,
    value: id,
  };
}

async function updateStatuses(trx: Knex.Transaction, siteId: number, applied: readonly DueDefinition[]): Promise<void> {
  const concerned = applied.flatMap(({ definition: { before, after } }) => {
    const [was, is] = [before?.mandatory === true, after?.mandatory === true];
    return was === is ? [] : [imageOf(before ?? after).categoryId];
  });
  if (concerned.length === 0) return;
  const nodes = await trx('category').whereRaw('id = ANY (?)', [concerned]).pluck('node_id');
  await scheduleStatusJob(trx, siteId, nodes);
}

/** One after another: while the stage has items, each is refused. */
export const revertMappings: WriteDefinitions = async (trx, { siteId }, due) => {
  const problems = new Map<DueDefinition, readonly RowProblem[]>();
  for (const one of due) {
    const { key, before } = one.definition;
    const mapping = key as AttributeMapping;
    try {
      if (before === null) await writeAttributeMappings(trx, siteId, [], [mapping]);
      else {
        const attribute = { id: String(before.attributeId) };
        await writeAttributeMappings(trx, siteId, [{ mapping, attribute, required: before.required === true }]);
      }
    } catch (error) {
      problems.set(one, [asRowProblem(error)]);
    }
  }
  return { problems };
};

function isCreated({ definition }: DueDefinition): boolean {
  return definition.before === null;
}

function imageOf(image: unknown): AssignmentImage {
  return image as AssignmentImage;
}
