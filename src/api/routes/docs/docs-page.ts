/** GET /docs: the API's description for people, by Swagger UI, with nothing fetched from anywhere else. */
import { defineRoute } from '../../define-route.js';

/** Relative addresses, so that the page also works behind a path prefix. */
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

/** Swagger UI sets styles on elements and draws its icons from data: addresses. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export const docsPage = defineRoute({
  method: 'GET',
  path: '/docs',
  family: 'operator',
  tag: 'Operations',
  summary: 'This description, for people',
  auth: { public: true },
  siteContext: false,
  responses: { 200: { description: 'A page that works offline', contentType: 'text/html' } },
  handle: ({ koa }) => {
    // The page's relative addresses need the path without a slash at its end.
    if (koa.path.endsWith('/')) return { status: 302, headers: { Location: '../docs' } };
    return {
      status: 200,
      body: Buffer.from(PAGE),
      headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': CONTENT_SECURITY_POLICY },
    };
  },
});
