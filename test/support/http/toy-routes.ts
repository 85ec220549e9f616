/** Small routes that show what the request pipeline does, one for each kind of body. */
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { defineRoute, type Route } from '../../../src/api/define-route.js';
import { runOnce } from '../../../src/domain/access/accept-once.js';
import { newId } from '../../../src/domain/kernel/identifier.js';

const common = { tag: 'Toys', summary: 'A toy', siteContext: true } as const;

/** Answers its body and its site. */
const echo = defineRoute({
  ...common,
  method: 'POST',
  path: '/api-product/toy/echo',
  operationId: 'postApiProductToyEcho',
  family: 'catalog',
  auth: { scope: 'catalog:write' },
  query: z.object({ n: z.coerce.number().int().optional() }),
  body: { schema: z.object({ text: z.string() }) },
  responses: { 200: { description: 'The same', schema: z.object({}) } },
  handle: ({ body, site, query }) => ({ status: 200, body: { ...body, ...query, site } }),
});

/** Needs no body. */
const optional = defineRoute({
  ...common,
  method: 'POST',
  path: '/jobs/toy/optional',
  operationId: 'postJobsToyOptional',
  family: 'files',
  auth: { scope: 'catalog:read' },
  body: { schema: z.object({ text: z.string() }), required: false },
  responses: { 200: { description: 'The same', schema: z.object({}) } },
  handle: ({ body }) => ({ status: 200, body: { body: body ?? null } }),
});

const one = defineRoute({
  ...common,
  method: 'GET',
  path: '/api-product/toy/:sku',
  operationId: 'getApiProductToySku',
  family: 'catalog',
  auth: { scope: 'catalog:read' },
  params: z.object({ sku: z.string() }),
  query: z.looseObject({}),
  responses: { 200: { description: 'Its SKU', schema: z.object({}) } },
  handle: ({ params }) => ({ status: 200, body: params }),
});

/** Says how many bytes it was sent. */
const bulk = defineRoute({
  ...common,
  method: 'POST',
  path: '/api-product/toy/bulk',
  operationId: 'postApiProductToyBulk',
  family: 'catalog',
  auth: { scope: 'catalog:write' },
  body: { raw: 'bulk', elementSchema: z.object({}), maxBytes: 32 * 1_048_576, maxElements: 10_000 },
  responses: { 200: { description: 'The size', schema: z.object({}) } },
  handle: ({ body }) => ({ status: 200, body: { bytes: body.length } }),
});

/** Fails in the way that its query asks for. */
const fail = defineRoute({
  ...common,
  method: 'GET',
  path: '/api/v2/toy/fail',
  operationId: 'getApiVToyFail',
  family: 'oms',
  auth: { scope: 'webhooks:read' },
  query: z.object({ how: z.enum(['throw', 'throw-text', 'nul', 'stream']) }),
  responses: { 200: { description: 'Never', schema: z.object({}) } },
  handle: async ({ query: { how } }, { db, fileStore }) => {
    if (how === 'throw') throw new Error('secret detail');
    if (how === 'throw-text') throw 'secret detail';
    if (how === 'nul') await db.raw('SELECT ?::text', ['a\u0000b']);
    return { status: 200, stream: await fileStore.read('nothing-here') };
  },
});

/** Makes a job: a row of the table `toy_job`, which the test makes. */
const accept = defineRoute({
  ...common,
  method: 'POST',
  path: '/api-product/toy/accept',
  operationId: 'postApiProductToyAccept',
  family: 'catalog',
  auth: { scope: 'catalog:write' },
  idempotent: true,
  query: z.looseObject({}),
  body: { raw: 'bulk', elementSchema: z.object({}), maxBytes: 1_048_576, maxElements: 10 },
  responses: { 202: { description: 'Accepted', schema: z.object({}) } },
  handle: async ({ idempotency, body }, { db }) => {
    const { answer } = await runOnce(db, idempotency, async (trx) => {
      const jobId = newId();
      await trx('toy_job').insert({ id: jobId });
      await setImmediate();
      if (body.toString().includes('boom')) throw new Error('boom');
      return { status: 202, body: { jobId, list: [1] }, jobId };
    });
    return { status: answer.status, body: answer.body };
  },
});

export const toyRoutes: readonly Route[] = [one, echo, optional, bulk, fail, accept];
