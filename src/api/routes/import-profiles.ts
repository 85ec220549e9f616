/** The endpoints of import profiles. */
import type { Route } from '../define-route.js';
import {
  createImportProfileRoute,
  deleteImportProfileRoute,
  renameImportProfileRoute,
  updateImportProfileRoute,
} from './import-profiles/change.js';
import {
  listImportProfilesRoute,
  listImportProfileVersionsRoute,
  readImportProfileRoute,
} from './import-profiles/read.js';

export const importProfileRoutes: readonly Route[] = [
  createImportProfileRoute,
  listImportProfilesRoute,
  readImportProfileRoute,
  listImportProfileVersionsRoute,
  updateImportProfileRoute,
  renameImportProfileRoute,
  deleteImportProfileRoute,
];
