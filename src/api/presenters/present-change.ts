/** A change of an item as the API shows it. */
import { z } from 'zod';
import type { NamedChange } from '../../domain/catalog/items/named-changes.js';
import { CHANGE_OPERATIONS } from '../../domain/changes/change-entry.js';

const differenceSchema = z
  .object({
    before: z.unknown().optional().meta({ description: 'Absent: there was none' }),
    after: z.unknown().optional().meta({ description: 'Absent: there is none' }),
  })
  .meta({ id: 'Difference' });

export const changeSchema = z
  .object({
    sku: z.string(),
    operation: z.enum(CHANGE_OPERATIONS).meta({
      description: 'STATUS: only its status changed, and that follows from a change of another item or of a definition',
    }),
    at: z.iso.datetime(),
    jobId: z.string().nullable().meta({ description: 'null: it was changed by a request that is no job' }),
    actor: z.string().nullable().meta({ description: 'Who asked for it: `token:` and the id of the token' }),
    row: z.int().nullable().meta({ description: 'The row of the file, or the element of the request' }),
    attributes: z.record(z.string(), differenceSchema).meta({
      description:
        'By name, what differs only. Empty for a created item: its first values are the present ones with later changes undone',
    }),
    fields: z.record(z.string(), differenceSchema).meta({
      description: 'What differs besides: nodeId, parentSku, channels, alternateCategories, bundleItems, status',
    }),
  })
  .meta({ id: 'Change' });

export function presentChange({ entry, attributes, fields }: NamedChange): z.output<typeof changeSchema> {
  const { sku, operation, at, jobId, actor, row } = entry;
  return {
    ...{ sku, operation, at: at.toISOString(), jobId, actor, row },
    attributes: { ...attributes },
    fields: { ...fields },
  };
}
