/** The endpoints of published files: addresses at which the last export is always found. */
import type { Route } from '../define-route.js';
import { fetchPublishedFileRoute } from './published-files/fetch.js';
import {
  createPublishedFileRoute,
  deletePublishedFileRoute,
  listPublishedFilesRoute,
  readPublishedFileRoute,
  renewPublishedFileRoute,
} from './published-files/manage.js';

export const publishedFileRoutes: readonly Route[] = [
  listPublishedFilesRoute,
  readPublishedFileRoute,
  createPublishedFileRoute,
  renewPublishedFileRoute,
  deletePublishedFileRoute,
  fetchPublishedFileRoute,
];
