/** The endpoint of the audit log. */
import { z } from 'zod';
import { AUDIT_ACTIONS, AUDIT_CURSOR, pageAudit } from '../../domain/access/audit.js';
import type { Route } from '../define-route.js';
import { defineRoute } from '../define-route.js';
import { pageParameters, refuseReversedTimes, searchText } from '../list-query.js';

const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

const entrySchema = z
  .object({
    id: z.int(),
    at: z.iso.datetime(),
    action: z.string(),
    actor: z.enum(['token', 'client', 'operator', 'admin', 'anonymous']).meta({
      description: 'admin: a command on the machine of the service; client: an OAuth client that asked for a token',
    }),
    actorId: z
      .string()
      .nullable()
      .meta({ description: 'The id of the token or the client, or the user of the command' }),
    address: z.string().nullable(),
    stage: z.string().nullable(),
    target: z.string().nullable().meta({ description: 'What the act concerned: a type and an id' }),
    result: z.string().meta({ description: 'DONE, or the code of the refusal' }),
    times: z.int().meta({ description: 'How often the same was refused within about a minute' }),
    requestId: z.string().nullable(),
  })
  .meta({ id: 'AuditEntry' });

const listAuditRoute = defineRoute({
  method: 'GET',
  path: '/api/v2/audit',
  operationId: 'listAuditEntries',
  family: 'oms',
  tag: 'Access',
  summary: 'List what was done in an account, the newest first',
  description:
    'Acts that administer or secure the account, in all its stages, and requests for them that were refused; neither rows nor events.',
  auth: { scope: 'audit:read' },
  siteContext: true,
  query: z
    .strictObject({
      since: time.optional(),
      until: time.optional().meta({ description: 'Only entries before this time' }),
      action: z.enum(AUDIT_ACTIONS).optional(),
      actorId: searchText.optional().meta({ description: 'The id of a token or an OAuth client' }),
      limit: pageParameters.limit,
      after: z
        .string()
        .regex(AUDIT_CURSOR, 'expected the `next` of the previous page')
        .optional()
        .meta({ description: 'The `next` of the previous page' }),
    })
    .superRefine(refuseReversedTimes),
  responses: {
    200: {
      description: 'A page of entries',
      schema: z.object({ data: z.array(entrySchema), limit: z.int(), next: z.string().optional() }),
    },
  },
  async handle({ query: { limit, after, ...filter }, site }, { db }) {
    const { rows, next } = await pageAudit(db, site.accountId, filter, { limit, after });
    const data = rows.map((row) => ({
      id: row.id,
      at: row.at.toISOString(),
      action: row.action,
      actor: row.actor_kind,
      actorId: row.actor_id,
      address: row.address,
      stage: row.stage,
      target: row.target,
      result: row.result,
      times: row.times,
      requestId: row.request_id,
    }));
    return { status: 200, body: { data, limit, ...(next === null ? {} : { next }) } };
  },
});

export const auditRoutes: readonly Route[] = [listAuditRoute];
