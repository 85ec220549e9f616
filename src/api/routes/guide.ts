/** The guide: one page for each task, the reference beside it, and their style. */
import { z } from 'zod';
import type { ApiResponse, Route } from '../define-route.js';
import { defineRoute } from '../define-route.js';
import { GUIDE_STYLE } from '../guide/style.js';
import type { GuidePage } from '../guide/tagged-page.js';
import { guidePageAt } from '../guide-pages.js';
import { HttpProblem } from '../http-problem.js';

/** The pages have no scripts. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const ofGuide = {
  method: 'GET',
  family: 'operator',
  tag: 'Operations',
  undocumented: true,
  auth: { public: true },
  siteContext: false,
} as const;

const guideIndex = defineRoute({
  ...ofGuide,
  path: '/guide',
  operationId: 'getGuide',
  summary: 'The guide: one page for each task',
  responses: {
    200: { description: 'A page that works offline', contentType: 'text/html' },
    304: { description: 'The page is that of If-None-Match' },
  },
  handle: ({ koa, headers }) => {
    // The relative addresses of the page need a path without a slash at its end.
    if (koa.path.endsWith('/')) return { status: 302, headers: { Location: '../guide' } };
    return answerPage('guide', headers['if-none-match']);
  },
});

const guidePage = defineRoute({
  ...ofGuide,
  path: '/guide/:page',
  operationId: 'getGuidePage',
  summary: 'A page of the guide',
  params: z.object({ page: z.string() }),
  responses: { 200: { description: 'A page that works offline', contentType: 'text/html' } },
  handle: ({ params: { page }, headers }) => answerPage(`guide/${page}`, headers['if-none-match']),
});

const referencePage = defineRoute({
  ...ofGuide,
  path: '/guide/use/:page',
  operationId: 'getReferencePage',
  summary: 'A page of the reference',
  params: z.object({ page: z.string() }),
  responses: { 200: { description: 'A page that works offline', contentType: 'text/html' } },
  handle: ({ params: { page }, headers }) => answerPage(`guide/use/${page}`, headers['if-none-match']),
});

const guidePicture = defineRoute({
  ...ofGuide,
  path: '/guide/pictures/:picture',
  operationId: 'getGuidePicture',
  summary: 'A picture of the guide',
  params: z.object({ picture: z.string() }),
  responses: { 200: { description: 'The picture', contentType: 'image/png' } },
  handle: ({ params: { picture }, headers }) => answerPage(`guide/pictures/${picture}`, headers['if-none-match']),
});

const guideStyle = defineRoute({
  ...ofGuide,
  path: '/guide/style.css',
  operationId: 'getGuideStyle',
  summary: 'The style of the guide',
  responses: { 200: { description: 'The file' } },
  handle: ({ headers }) => answer(GUIDE_STYLE, headers['if-none-match']),
});

async function answerPage(address: string, known: string | undefined): Promise<ApiResponse> {
  const page = await guidePageAt(address);
  if (page === undefined) throw new HttpProblem(404, 'PATH_NOT_FOUND', 'the guide has no such page; /guide lists them');
  return answer(page, known);
}

/** Browsers ask each time whether the page has changed, because a new release may have changed it. */
function answer({ bytes, etag, type }: GuidePage, known: string | undefined): ApiResponse {
  const caching = { ETag: etag, 'Cache-Control': 'no-cache' };
  if (known === etag) return { status: 304, headers: caching };
  const isText = type.startsWith('text/');
  const headers = {
    'Content-Type': isText ? `${type}; charset=utf-8` : type,
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  };
  return { status: 200, body: bytes, headers: { ...caching, ...headers } };
}

export const guideRoutes: readonly Route[] = [guideIndex, guidePage, referencePage, guidePicture, guideStyle];
