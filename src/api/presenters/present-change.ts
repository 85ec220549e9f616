/** A change of an item or a definition as the API shows it. */
import { z } from 'zod';
import type { NamedChange } from '../../domain/catalog/items/named-changes.js';
import { CHANGE_OPERATIONS, JOB_CHANGE_KINDS } from '../../domain/changes/change-entry.js';
import type { ChangeApproval } from '../../domain/changes/item-history.js';

const differenceSchema = z
  .object({
    before: z.unknown().optional().meta({ description: 'Absent: there was none' }),
    after: z.unknown().optional().meta({ description: 'Absent: there is none' }),
  })
  .meta({ id: 'Difference' });

const image = z.record(z.string(), z.unknown()).nullable();

const definitionSchema = z
  .object({
    id: z.string().meta({
      description:
        'The id; of an assignment those of the attribute and the category with a slash between, of a mapping its name, of the settings `settings`',
    }),
    name: z.string().meta({
      description:
        'What it is called today, or was called last: `Colour`, the path of a category, `Colour to Paper->A4` of an assignment, `title` of a mapping, the target of a webhook definition',
    }),
    before: image.meta({ description: 'All that defined it; null: there was none' }),
    after: image.meta({ description: 'All that defines it; null: there is none' }),
  })
  .meta({ id: 'DefinitionChange' });

export const changeSchema = z
  .object({
    kind: z.enum(JOB_CHANGE_KINDS).meta({
      description:
        'An assignment is that of an attribute to a category. An import profile, the settings and a webhook definition are only among the changes of a job',
    }),
    sku: z.string().nullable().meta({ description: 'null for a definition' }),
    operation: z.enum(CHANGE_OPERATIONS).meta({
      description: 'STATUS: only its status changed, and that follows from a change of another item or of a definition',
    }),
    at: z.iso.datetime(),
    jobId: z.string().nullable().meta({ description: 'null: it was changed by a request that is no job' }),
    actor: z.string().nullable().meta({
      description:
        'Who asked for it: `token:` and the id of the token, or `feed:` and that of the feed; null: not known',
    }),
    row: z.int().nullable().meta({ description: 'The row of the file, or the element of the request' }),
    attributes: z.record(z.string(), differenceSchema).meta({
      description:
        'By name, what differs only. Empty for a created item: its first values are the present ones with later changes undone',
    }),
    fields: z.record(z.string(), differenceSchema).meta({
      description:
        'What differs besides: nodeId, parentSku, channels, alternateCategories, bundleItems, status; of a deleted item its type and createdOn too',
    }),
    definition: definitionSchema.nullable().meta({ description: 'null for an item' }),
  })
  .meta({ id: 'Change' });

export function presentChange({ entry, attributes, fields, definition }: NamedChange): z.output<typeof changeSchema> {
  const { kind, sku, operation, at, jobId, actor, row } = entry;
  const shownSku = definition === null ? sku : null;
  return { kind, sku: shownSku, operation, at: at.toISOString(), jobId, actor, row, attributes, fields, definition };
}

export const changePageSchema = z.object({
  data: z.array(changeSchema),
  limit: z.int(),
  next: z.string().optional().meta({ description: 'The value of `after` for the next page' }),
});

/** @param next where the next page begins; null: this is the last one */
export function presentChangePage(
  changes: readonly NamedChange[],
  limit: number,
  next: string | null,
): z.output<typeof changePageSchema> {
  return { data: changes.map(presentChange), limit, ...(next === null ? {} : { next }) };
}

const historyEntrySchema = changeSchema
  .extend({
    approval: z
      .object({
        by: z.string().nullable().meta({
          description: '`token:` and the id of the token; null: the rule of the stage, because little would change',
        }),
        at: z.iso.datetime().nullable().meta({ description: 'null where `by` is' }),
        note: z.string().nullable().meta({ description: 'What was said to it' }),
      })
      .nullable()
      .meta({ description: 'Of the job that has changed it; null: it needed none, or the job is no longer kept' }),
  })
  .meta({ id: 'HistoryEntry' });

export const historyPageSchema = changePageSchema.extend({ data: z.array(historyEntrySchema) });

/** @param approvals by the ids of jobs */
export function presentHistoryPage(
  changes: readonly NamedChange[],
  approvals: ReadonlyMap<string | null, ChangeApproval>,
  limit: number,
  next: string | null,
): z.output<typeof historyPageSchema> {
  const page = presentChangePage(changes, limit, next);
  return { ...page, data: page.data.map((change) => ({ ...change, approval: approvals.get(change.jobId) ?? null })) };
}
