import assert from 'node:assert/strict';
import { z } from 'zod';
import { defineRoute, type Route } from '../../../src/api/define-route.js';
import { isObject } from '../../../src/api/json-schema.js';
import { openapiPath } from '../../../src/api/openapi/path.js';
import { openapiOf } from '../../../src/api/openapi.js';
import { routes } from '../../../src/api/routes/index.js';
import { parseAttributeInput } from '../../../src/domain/catalog/attributes/parse-attribute-input.js';
import { EVENT_TYPES } from '../../../src/domain/webhooks/model/event-types.js';

type Tree = { readonly name: string; readonly children: readonly Tree[] };
const tree: z.ZodType<Tree> = z.object({ name: z.string(), children: z.lazy(() => z.array(tree)) });

const probe = defineRoute({
  method: 'POST',
  path: '/things/:thing/parts',
  operationId: 'postThingsThingParts',
  family: 'catalog',
  tag: 'Things',
  summary: 'A probe',
  auth: { scope: 'catalog:write' },
  siteContext: true,
  idempotent: true,
  params: z.object({ thing: z.string() }),
  query: z.object({ limit: z.coerce.number().int().default(10).describe('How many'), q: z.string() }),
  body: { schema: tree },
  responses: { 200: { description: 'Done', schema: tree } },
  handle: () => ({ status: 200 }),
});

const document = openapiOf([...routes, probe]);

function routeOf(method: string, path: string): Route {
  const found = routes.find((route) => route.method === method && route.path === path);
  assert.ok(found, `${method} ${path} does not exist`);
  return found;
}

function operation(route: Route): Record<string, unknown> {
  const found = document.paths[openapiPath(route.path)]?.[route.method.toLowerCase()];
  assert.ok(isObject(found), `${route.method} ${route.path} is not described`);
  return found;
}

function referencesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, child]) =>
    key === '$ref' && typeof child === 'string' ? [child] : referencesIn(child),
  );
}

describe('the OpenAPI document', () => {
  it('is OpenAPI 3.1 and survives JSON', () => {
    assert.equal(document.openapi, '3.1.0');
    assert.deepEqual(JSON.parse(JSON.stringify(document)), document);
  });

  it('describes every documented route with a summary, a sentence, a tag, its responses and who may call', () => {
    for (const route of routes.filter(({ undocumented }) => undocumented !== true)) {
      const { summary, description, tags, responses, security } = operation(route);
      assert.ok(typeof summary === 'string' && summary.length > 3, route.path);
      assert.match(String(description ?? ''), /^.{20,}\.$/s, `${route.method} ${route.path}`);
      assert.equal(Array.isArray(tags) && tags.length, 1, route.path);
      assert.ok(isObject(responses) && Object.keys(responses).some((status) => /^[23]/.test(status)), route.path);
      assert.equal(Array.isArray(security) && security.length > 0, 'scope' in route.auth || route.family === 'oauth');
    }
  });

  it('says which operations tokens that may only propose may call too', () => {
    const proposing = routes.filter(({ auth }) => 'scope' in auth && auth.orProposing === true);
    assert.ok(proposing.length > 5);
    for (const route of proposing) {
      const scopes = [{ bearer: ['catalog:write'] }, { bearer: ['catalog:propose'] }, { session: [] }];
      assert.deepEqual(operation(route).security, scopes, `${route.method} ${route.path}`);
    }
  });

  it('groups the operations by task, each with a description, and opens with a link to the guide', () => {
    const { tags, info } = openapiOf(routes);
    const used = Object.values(openapiOf(routes).paths).flatMap((operations) =>
      Object.values(operations).flatMap((one) => (isObject(one) && Array.isArray(one.tags) ? one.tags : [])),
    );
    assert.deepEqual(new Set(tags.map(({ name }) => name)), new Set(used));
    assert.deepEqual(
      tags.filter(({ description = '' }) => description.length < 10),
      [],
    );
    assert.equal(tags[0]?.name, 'Set up the catalog');
    assert.match(String(info.description), /The \[guide\]\(guide\) has one page for each task/);
  });

  it('shows a schema for every body and every JSON answer', () => {
    for (const route of routes.filter(({ undocumented }) => undocumented !== true)) {
      assert.equal('requestBody' in operation(route), route.body !== undefined, route.path);
      for (const [status, spec] of Object.entries(route.responses)) {
        const empty = ['204', '302', '304'].includes(status);
        assert.ok(
          empty || spec.schema !== undefined || spec.contentType !== undefined,
          `${route.method} ${route.path} ${status}`,
        );
      }
    }
  });

  it('shows the bytes of an upload as a body of any type', () => {
    const { requestBody, responses } = operation(routeOf('PUT', '/uploads/:fileId'));
    assert.deepEqual(requestBody, { required: true, content: { 'application/octet-stream': { schema: {} } } });
    assert.ok(isObject(responses) && '413' in responses && !('415' in responses));
  });

  it('names every parameter of a path, and only those', () => {
    for (const [path, operations] of Object.entries(document.paths)) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
      for (const one of Object.values(operations)) {
        assert.ok(isObject(one) && Array.isArray(one.parameters));
        const named = one.parameters.filter((parameter) => parameter.in === 'path').map((parameter) => parameter.name);
        assert.deepEqual(named.sort(), inPath, path);
      }
    }
  });

  it('gives every operation an id of its own', () => {
    const ids = Object.values(document.paths).flatMap((operations) =>
      Object.values(operations).map((one) => (isObject(one) ? one.operationId : undefined)),
    );
    assert.equal(new Set(ids).size, ids.length);
  });

  it('refers only to what it contains', () => {
    for (const reference of referencesIn(document)) {
      const target = reference
        .replace(/^#\//, '')
        .split('/')
        .reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), document);
      assert.ok(isObject(target), reference);
    }
  });

  it('describes what receivers get: every event type, with its payload and an example', () => {
    assert.deepEqual(
      Object.keys(document.webhooks),
      EVENT_TYPES.map(({ name }) => name),
    );
    const shown = JSON.stringify(document.webhooks.CATEGORY_DELETED);
    assert.match(shown, /"nodeId":{"type":"integer"}/);
    assert.match(shown, /"examples":\[{"event":"CATEGORY_DELETED","source":"CATALOG",.*"payload":{/);
  });

  it('writes a schema that refers to itself', () => {
    assert.ok(JSON.stringify(operation(probe).requestBody).includes('#/components/schemas/'));
  });

  it('shows no bounds that every whole number has', () => {
    assert.doesNotMatch(JSON.stringify(document), /9007199254740991/);
  });

  it('gives an example of an attribute that can be sent as it is', () => {
    const body = z
      .object({
        content: z.object({
          'application/json': z.object({ schema: z.object({ items: z.object({ $ref: z.string() }) }) }),
        }),
      })
      .parse(operation(routeOf('POST', '/api-product/v1/product/attribute/bulk')).requestBody);
    const { items } = body.content['application/json'].schema;
    const { schemas } = z.object({ schemas: z.record(z.string(), z.unknown()) }).parse(document.components);
    const { examples } = z
      .object({ examples: z.array(z.unknown()).min(1) })
      .parse(schemas[items.$ref.replace('#/components/schemas/', '')]);
    for (const example of examples) assert.ok(!Array.isArray(parseAttributeInput(example)));
  });

  it('lists headers, defaults and what is required', () => {
    const { parameters } = operation(probe);
    assert.ok(Array.isArray(parameters));
    const required = Object.fromEntries(parameters.map(({ name, required: needed }) => [name, needed]));
    assert.deepEqual(required, {
      thing: true,
      limit: false,
      q: true,
      'x-site-context': true,
      'Idempotency-Key': false,
      'X-Request-Id': false,
    });
    assert.equal(parameters.find(({ name }) => name === 'limit').description, 'How many');
  });
});
