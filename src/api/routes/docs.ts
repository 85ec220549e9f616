/** The description of the API: as OpenAPI, and as a page of Swagger UI. */
import { defineRoute, type Route } from '../define-route.js';
import { openapiOf } from '../openapi.js';
import { docsAsset } from './docs/assets.js';
import { docsPage } from './docs/page.js';

/** @param registry returns all routes. It is a function because the list contains this route itself */
function openapiDocument(registry: () => readonly Route[]): Route {
  let document: Buffer | undefined;
  return defineRoute({
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
    handle: () => {
      document ??= Buffer.from(JSON.stringify(openapiOf(registry())));
      return { status: 200, body: document, headers: { 'Content-Type': 'application/json; charset=utf-8' } };
    },
  });
}

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

/** @param registry returns all routes. It is a function because the list contains these routes themselves */
export function docsRoutes(registry: () => readonly Route[]): readonly Route[] {
  return [openapiDocument(registry), docsPage, docsAsset, redirectToDocs];
}
