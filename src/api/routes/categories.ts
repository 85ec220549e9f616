import type { Route } from '../define-route.js';
import { bulkUpsertCategoriesRoute } from './categories/bulk.js';
import { createCategoryRoute, deleteCategoryRoute, updateCategoryRoute } from './categories/change.js';
import { listChildCategoriesRoute } from './categories/children.js';
import { listCategoriesRoute, readCategoryTreeRoute } from './categories/read.js';

export const categoryRoutes: readonly Route[] = [
  createCategoryRoute,
  updateCategoryRoute,
  deleteCategoryRoute,
  bulkUpsertCategoriesRoute,
  listCategoriesRoute,
  readCategoryTreeRoute,
  listChildCategoriesRoute,
];
