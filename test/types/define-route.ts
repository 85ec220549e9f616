/** What must not compile about endpoints. Checked by the compiler; never run. */
import { z } from 'zod';
import { defineRoute } from '../../src/api/define-route.js';

const common = {
  path: '/x/:id',
  family: 'catalog',
  tag: 'Types',
  summary: 'A guarantee',
  operationId: 'getX',
  auth: { scope: 'catalog:read' },
  responses: { 200: { description: 'x' } },
} as const;

defineRoute({
  ...common,
  method: 'POST',
  siteContext: true,
  params: z.object({ id: z.string() }),
  query: z.object({ n: z.coerce.number() }),
  body: { schema: z.object({ q: z.string() }), required: false },
  handle({ params, query, body, site }) {
    // @ts-expect-error the path has no such parameter
    params.sku;
    // @ts-expect-error it was made a number
    query.n.length;
    // @ts-expect-error the body may be absent
    body.q;
    return { status: 200, body: [params.id, query.n.toFixed(), body?.q.length, site.siteId] };
  },
});

defineRoute({
  ...common,
  method: 'POST',
  siteContext: false,
  body: { raw: 'bulk', elementSchema: z.object({}), maxBytes: 1, maxElements: 1 },
  handle({ body, site }) {
    // @ts-expect-error the route asks for no site
    site.siteId;
    return { status: 200, body: body.byteLength };
  },
});

defineRoute({
  ...common,
  method: 'GET',
  siteContext: 'tenant-key',
  handle: ({ site }) => ({ status: 200, body: site.siteId }),
});

defineRoute({
  ...common,
  method: 'GET',
  // @ts-expect-error no header of this name names a data set
  siteContext: 'account-key',
  handle: () => ({ status: 200 }),
});

defineRoute({
  ...common,
  method: 'GET',
  siteContext: false,
  // @ts-expect-error no token has this scope
  auth: { scope: 'catalog:delete' },
  handle: () => ({ status: 200 }),
});
