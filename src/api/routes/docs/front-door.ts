/** GET /: leads people who open the bare address to the documentation. */
import { defineRoute } from '../../define-route.js';

export const frontDoor = defineRoute({
  method: 'GET',
  path: '/',
  family: 'operator',
  tag: 'Operations',
  summary: 'Leads to the documentation',
  undocumented: true,
  auth: { public: true },
  siteContext: false,
  responses: { 302: { description: 'To /docs' } },
  handle: () => ({ status: 302, headers: { Location: 'docs' } }),
});
