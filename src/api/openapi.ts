/** Describes the routes as an OpenAPI 3.1 document, from the schemas that check their requests. */
import { EXAMPLE_ID, type Route } from './define-route.js';
import { createSchemaWriter } from './json-schema.js';
import { errorSchemas } from './openapi/errors.js';
import { operationOf } from './openapi/operation.js';
import { openapiPath } from './openapi/path.js';
import { schemesOf } from './openapi/security.js';
import { groupsOf } from './openapi/tasks.js';
import { webhooksOf } from './openapi/webhooks.js';

interface OpenapiDocument {
  readonly openapi: '3.1.0';
  readonly info: Record<string, unknown>;
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Record<string, Record<string, unknown>>;
  /** Requests that are sent to receivers. */
  readonly webhooks: Record<string, unknown>;
  readonly components: Record<string, unknown>;
}

/** What /docs opens with. The link is relative, so that it is correct behind a path prefix too. */
const DESCRIPTION = `Longshore imports attributes, categories and items in bulk, as JSON or from files. Workers execute the jobs; each row
is applied, unchanged, or in the job's errors.

**New here?** The [guide](guide) has one page for each task, from the first import to webhooks.

1. Send \`Authorization: Bearer <token>\`. The button *Authorize* does it for this page; \`npm start\` writes a token to
   \`.data/credentials.json\`.
2. Name the data set with \`x-site-context: {"account": "<id of your account>"}\` in the operations of the catalog,
   files and jobs; \`"stage"\` in it names another data set than \`production\`.
3. Set up a catalog in this order: attributes, their mapping, categories with their attributes, items. The examples can
   be sent to an empty account as they are, in this order. \`${EXAMPLE_ID}\` stands for an id of yours.

JSON bodies may be sent with \`Content-Encoding: gzip\`.`;

/** Relative to the address of the description, so that it is correct behind a path prefix too. */
const SERVERS = [{ url: '.', description: 'The system that has answered this description' }];

/** The OpenAPI document of these routes. */
export function openapiOf(routes: readonly Route[]): OpenapiDocument {
  const documented = routes.filter((route) => route.undocumented !== true);
  const writer = createSchemaWriter();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of documented) {
    const path = openapiPath(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, writer) };
  }
  return {
    openapi: '3.1.0',
    info: {
      ...{ title: 'Longshore', version: '1', description: DESCRIPTION, license: { name: 'MIT', identifier: 'MIT' } },
      contact: { name: 'The operator of this system' },
    },
    servers: SERVERS,
    tags: groupsOf(documented),
    paths,
    webhooks: webhooksOf(writer),
    components: { schemas: { ...errorSchemas, ...writer.components }, securitySchemes: schemesOf(documented) },
  };
}
