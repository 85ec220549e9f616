/** GET /openapi.json: the description of this API, generated from the schemas that check its requests. */
import type { Route } from '../../define-route.js';
import { defineRoute } from '../../define-route.js';
import { openapiOf } from '../../openapi.js';

/** @param registry returns all routes. It is a function because the list contains this route itself */
export function openapiDocument(registry: () => readonly Route[]): Route {
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
