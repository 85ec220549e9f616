/** GET /docs: the API description as a page of Swagger UI, which loads nothing from other hosts. */
import { defineRoute } from '../../define-route.js';

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

export const docsPage = defineRoute({
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
