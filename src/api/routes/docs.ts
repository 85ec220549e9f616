/** The description of the API: as OpenAPI, and as a page of Swagger UI. */
import type { Route } from '../define-route.js';
import { docsAsset } from './docs/assets.js';
import { openapiDocument } from './docs/openapi-document.js';
import { docsPage } from './docs/page.js';
import { redirectToDocs } from './docs/redirect.js';

/** @param registry returns all routes. It is a function because the list contains these routes themselves */
export function docsRoutes(registry: () => readonly Route[]): readonly Route[] {
  return [openapiDocument(registry), docsPage, docsAsset, redirectToDocs];
}
