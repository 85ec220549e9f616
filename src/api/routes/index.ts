/** Every endpoint there is. A route that is not listed here does not exist. */
import type { Route } from '../define-route.js';
import { docsAsset } from './docs/docs-asset.js';
import { docsPage } from './docs/docs-page.js';
import { frontDoor } from './docs/front-door.js';
import { openapiDocument } from './docs/openapi-document.js';
import { alive } from './health/alive.js';
import { ready } from './health/ready.js';
import { issueToken } from './oauth/issue-token.js';

export const routes: readonly Route[] = [
  issueToken,

  alive,
  ready,
  openapiDocument(() => routes),
  docsPage,
  docsAsset,
  frontDoor,
];
