/** GET /openapi.json: this API, described by the schemas that check its requests. */
import { defineRoute, type Route } from '../../define-route.js';
import { openapiOf } from '../../openapi.js';

/** @param registry gives all routes; asked late, because the list contains this one */
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
