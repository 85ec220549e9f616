/** The endpoints that sum up what a job has changed or would change, and write it into a file. */
import { z } from 'zod';
import { shownKeys } from '../../../domain/catalog/items/named-changes.js';
import type { AttributeTypeName } from '../../../domain/catalog/model/attribute-definition.js';
import { CHANGE_OPERATIONS, JOB_CHANGE_KINDS } from '../../../domain/changes/change-entry.js';
import { summarizeChanges } from '../../../domain/changes/summarize-changes.js';
import { countSurroundings } from '../../../domain/changes/surrounding-entries.js';
import { findJob } from '../../../domain/jobs/read-job.js';
import { readableSurroundings } from '../../change-query.js';
import { defineRoute } from '../../define-route.js';
import { jobParams } from './params.js';

const numbersSchema = z
  .object({
    byMoreThan50Percent: z.int().meta({ description: 'In how many items the number was changed by more than a half' }),
    largest: z
      .array(
        z.object({
          sku: z.string(),
          before: z.unknown(),
          after: z.unknown(),
          percent: z.number().nullable().meta({ description: 'Below 0: it fell. null: it was 0 before' }),
        }),
      )
      .meta({ description: 'The largest relative changes first' }),
  })
  .meta({ id: 'ChangedNumbers' });

const changedNameSchema = z.object({
  name: z.string(),
  changed: z.int().meta({ description: 'In how many items that existed before' }),
  set: z.int().meta({ description: 'In how many of them there was nothing before' }),
  cleared: z.int().meta({ description: 'In how many of them there is nothing after' }),
  numbers: numbersSchema.optional().meta({ description: 'For attributes whose values are numbers' }),
});

const changedDefinitionsSchema = z
  .object({
    kind: z.enum(JOB_CHANGE_KINDS).exclude(['item']),
    created: z.int(),
    updated: z.int(),
    deleted: z.int(),
  })
  .meta({ id: 'ChangedDefinitions' });

const summarySchema = z
  .object({
    definitions: z.array(changedDefinitionsSchema).meta({
      description:
        'Kinds of which none was changed are left out, and settings and webhook definitions if the token may not read them',
    }),
    operations: z.object(Object.fromEntries(CHANGE_OPERATIONS.map((name) => [name, z.int()]))),
    attributes: z.array(changedNameSchema).meta({ description: 'What was changed in most items first' }),
    fields: z.array(changedNameSchema),
  })
  .meta({ id: 'ChangeSummary' });

export const summarizeJobChangesRoute = defineRoute({
  method: 'GET',
  path: '/jobs/:id/changes/summary',
  operationId: 'summarizeJobChanges',
  family: 'files',
  tag: 'Changes',
  summary: 'Sum up what a job has changed of definitions and items, or what a dry run would have changed',
  description:
    'How many definitions by kind, with import profiles, settings and webhook definitions, how many items by operation, how many by attribute, and the largest changes of numbers.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  params: jobParams,
  responses: { 200: { description: 'The summary', schema: summarySchema } },
  async handle({ params, site: { siteId }, principal }, { db }) {
    const job = await findJob(db, siteId, params.id);
    const numberIds: string[] = await db('attribute')
      .where({ site_id: siteId })
      .whereIn('type', NUMBER_TYPES)
      .pluck('id');
    const { definitions, operations, keys, numbers } = await summarizeChanges(db, job.id, numberIds);
    const around = await countSurroundings(db, job.id, readableSurroundings(principal));
    const shown = await shownKeys(
      db,
      siteId,
      keys.map(({ key }) => key),
    );
    const present = (kind: 'attribute' | 'field') =>
      keys.flatMap(({ key, changed, set, cleared }) => {
        const known = shown.get(key);
        if (known?.kind !== kind) return [];
        const own = numbers.find((one) => one.key === key);
        const largest = own?.largest.map(({ sku, before, after, part }) => ({
          ...{ sku, before: known.shown(before), after: known.shown(after) },
          percent: part === null ? null : Math.round(part * 10_000) / 100,
        }));
        const ofNumbers =
          own === undefined ? {} : { numbers: { byMoreThan50Percent: own.byMoreThanHalf, largest: largest ?? [] } };
        return [{ name: known.name, changed, set, cleared, ...ofNumbers }];
      });
    return {
      status: 200,
      body: {
        definitions: [...definitions, ...around],
        operations,
        attributes: present('attribute'),
        fields: present('field'),
      },
    };
  },
});

const NUMBER_TYPES: AttributeTypeName[] = ['INTEGER', 'DECIMAL'];
