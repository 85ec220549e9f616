/** The description of the API: as OpenAPI, and as a page of Swagger UI. */
import { builtDescription } from '../built-description.js';
import { defineRoute, type Route } from '../define-route.js';
import { docsAsset } from './docs/assets.js';
import { docsPage } from './docs/page.js';

const openapiDocument = defineRoute({
  method: 'GET',
  path: '/openapi.json',
  operationId: 'getOpenapi',
  family: 'operator',
  tag: 'Operations',
  summary: 'This description',
  description: 'The OpenAPI description of all operations, from which clients can be generated.',
  auth: { public: true },
  siteContext: false,
  responses: { 200: { description: 'OpenAPI 3.1', contentType: 'application/json' } },
  handle: async () => ({
    status: 200,
    body: await builtDescription(),
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
  }),
});

/** GET /: redirects browsers to the documentation. */
const redirectToDocs = defineRoute({
  method: 'GET',
  path: '/',
  operationId: 'redirectToDocs',
  family: 'operator',
  tag: 'Operations',
  summary: 'Redirect to the documentation',
  undocumented: true,
  auth: { public: true },
  siteContext: false,
  responses: { 302: { description: 'A redirect to /docs' } },
  handle: () => ({ status: 302, headers: { Location: 'docs' } }),
});

export const docsRoutes: readonly Route[] = [openapiDocument, docsPage, docsAsset, redirectToDocs];
