/** GET /docs/{asset}: the files of Swagger UI that the page needs, and the script that starts it. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { defineRoute } from '../../define-route.js';
import { HttpProblem } from '../../http-problem.js';

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

export const docsAsset = defineRoute({
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
