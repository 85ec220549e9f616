/** The description of the API: as OpenAPI, and as a page of Swagger UI. */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Route } from '../define-route.js';
import { defineRoute } from '../define-route.js';
import { HttpProblem } from '../http-problem.js';
import { openapiOf } from '../openapi.js';

// GET /openapi.json: the description of this API, generated from the schemas that check its requests.

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

// GET /docs: the API description as a page of Swagger UI, which loads nothing from other hosts.

/** The addresses are relative, so that the page also works behind a path prefix. */
const PAGE = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Longshore API</title>
<link rel="icon" type="image/png" href="docs/favicon-32x32.png">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`;

/** Swagger UI sets styles on elements and has icons with `data:` addresses. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const docsPage = defineRoute({
  method: 'GET',
  path: '/docs',
  operationId: 'getDocs',
  family: 'operator',
  tag: 'Operations',
  summary: 'This description as a page',
  description: 'A page that shows all operations with their schemas, and sends requests.',
  auth: { public: true },
  siteContext: false,
  responses: { 200: { description: 'A page that works offline', contentType: 'text/html' } },
  handle: ({ koa }) => {
    // The relative addresses of the page need a path without a slash at its end.
    if (koa.path.endsWith('/')) return { status: 302, headers: { Location: '../docs' } };
    return {
      status: 200,
      body: Buffer.from(PAGE),
      headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': CONTENT_SECURITY_POLICY },
    };
  },
});

// GET /docs/{asset}: the files of Swagger UI that the page needs, and the script that starts it.

const START = `SwaggerUIBundle({
  url: new URL('openapi.json', document.baseURI).href,
  dom_id: '#swagger-ui',
  deepLinking: true,
  tryItOutEnabled: true,
  persistAuthorization: false,
  validatorUrl: null,
});
`;

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
  'start.js': 'text/javascript; charset=utf-8',
};

interface Asset {
  readonly bytes: Buffer;
  readonly etag: string;
}

const loaded = new Map<string, Promise<Asset>>();

async function load(name: string): Promise<Asset> {
  const bytes = name === 'start.js' ? Buffer.from(START) : await readFile(join(packageDirectory(), name));
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
}

function packageDirectory(): string {
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
}

const docsAsset = defineRoute({
  method: 'GET',
  path: '/docs/:asset',
  operationId: 'getDocsAsset',
  family: 'operator',
  tag: 'Operations',
  summary: 'A file of the documentation page',
  undocumented: true,
  auth: { public: true },
  siteContext: false,
  params: z.object({ asset: z.string() }),
  responses: { 200: { description: 'The file' } },
  async handle({ params: { asset: name }, headers }) {
    const contentType = Object.hasOwn(CONTENT_TYPES, name) ? CONTENT_TYPES[name] : undefined;
    if (contentType === undefined) throw new HttpProblem(404, 'PATH_NOT_FOUND', 'the documentation has no such file');
    const pending = loaded.get(name) ?? load(name);
    loaded.set(name, pending);
    const { bytes, etag } = await pending;
    const caching = { ETag: etag, 'Cache-Control': 'public, max-age=3600' };
    if (headers['if-none-match'] === etag) return { status: 304, headers: caching };
    return { status: 200, body: bytes, headers: { ...caching, 'Content-Type': contentType } };
  },
});

// GET /: redirects browsers to the documentation.

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
