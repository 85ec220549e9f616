/** The endpoints of exports. */
import type { Route } from '../define-route.js';
import {
  exportFilteredAttributesRoute,
  exportFilteredCategoriesRoute,
  exportNamedAttributesRoute,
  exportNamedCategoriesRoute,
} from './exports/definitions.js';
import {
  exportFilteredBundlesRoute,
  exportFilteredItemsRoute,
  exportNamedBundlesRoute,
  exportNamedItemsRoute,
} from './exports/items.js';

export const exportRoutes: readonly Route[] = [
  exportNamedItemsRoute,
  exportFilteredItemsRoute,
  exportNamedBundlesRoute,
  exportFilteredBundlesRoute,
  exportNamedAttributesRoute,
  exportFilteredAttributesRoute,
  exportNamedCategoriesRoute,
  exportFilteredCategoriesRoute,
];
