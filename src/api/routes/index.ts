/** Every endpoint there is. A route that is not listed here does not exist. */
import type { Route } from '../define-route.js';
import { listAttributesRoute } from './attributes/list-attributes.js';
import { createCategoryRoute } from './categories/create-category.js';
import { listCategoriesRoute } from './categories/list-categories.js';
import { listItemAttributesRoute } from './categories/list-item-attributes.js';
import { readCategoryTreeRoute } from './categories/read-category-tree.js';
import { setCategoryItemsRoute } from './categories/set-category-items.js';
import { setItemAttributesRoute } from './categories/set-item-attributes.js';
import { docsAsset } from './docs/docs-asset.js';
import { docsPage } from './docs/docs-page.js';
import { frontDoor } from './docs/front-door.js';
import { openapiDocument } from './docs/openapi-document.js';
import { alive } from './health/alive.js';
import { ready } from './health/ready.js';
import { listItemsRoute } from './items/list-items.js';
import { readItemRoute } from './items/read-item.js';
import { listAttributeMappingsRoute } from './mappings/list-attribute-mappings.js';
import { setAttributeMappingsRoute } from './mappings/set-attribute-mappings.js';
import { issueToken } from './oauth/issue-token.js';
import { createAttributeTemplateRoute } from './templates/create-attribute-template.js';
import { createItemTemplateRoute } from './templates/create-item-template.js';

export const routes: readonly Route[] = [
  issueToken,

  listAttributesRoute,
  setAttributeMappingsRoute,
  listAttributeMappingsRoute,
  createCategoryRoute,
  listCategoriesRoute,
  readCategoryTreeRoute,
  setCategoryItemsRoute,
  setItemAttributesRoute,
  listItemAttributesRoute,
  listItemsRoute,
  readItemRoute,
  createItemTemplateRoute,
  createAttributeTemplateRoute,

  alive,
  ready,
  openapiDocument(() => routes),
  docsPage,
  docsAsset,
  frontDoor,
];
