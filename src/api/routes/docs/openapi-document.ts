/** GET /openapi.json: the description of this API, generated from the schemas that check its requests. */
import { defineRoute, type Route } from '../../define-route.js';
import { openapiOf } from '../../openapi.js';

/** @param registry returns all routes. It is a function because the list contains this route itself */
export function openapiDocument(registry: () => readonly Route[]): Route {
  let document: Buffer | undefined;
  return defineRoute({
    method: 'GET',
    path: '/openapi.json',
    family: 'operator',
    tag: 'Operations',
    summary: 'This description',
    auth: { public: true },
    siteContext: false,
    responses: { 200: { description: 'OpenAPI 3.1', contentType: 'application/json' } },
    handle: () => {
      document ??= Buffer.from(JSON.stringify(openapiOf(registry())));
      return { status: 200, body: document, headers: { 'Content-Type': 'application/json; charset=utf-8' } };
    },
  });
}
