/** GET /: redirects browsers to the documentation. */
import { defineRoute } from '../../define-route.js';

export const redirectToDocs = defineRoute({
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
