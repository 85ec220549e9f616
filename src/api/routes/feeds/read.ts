/** The endpoints that read feeds, their runs and their files. */
import { z } from 'zod';
import { findFeed, listFeeds } from '../../../domain/feeds/feeds.js';
import { listTakenFiles } from '../../../domain/feeds/known-files.js';
import { listRuns } from '../../../domain/feeds/list-runs.js';
import { defineRoute } from '../../define-route.js';
import { pageParameters } from '../../list-query.js';
import {
  feedFileSchema,
  feedRunSchema,
  feedSchema,
  presentFeed,
  presentRun,
  presentTakenFile,
} from '../../presenters/present-feed.js';
import { pageSchema, presentPage } from '../../presenters/present-page.js';
import { feedParams, ofFeeds } from './common.js';

const reading = { ...ofFeeds, method: 'GET', auth: { scope: 'feeds:read' } } as const;

export const listFeedsRoute = defineRoute({
  ...reading,
  path: '/feeds',
  operationId: 'listFeeds',
  summary: 'List feeds by name',
  description: 'Those of the stage, with the state of their last runs. Secrets are never answered.',
  query: z.strictObject(pageParameters),
  responses: { 200: { description: 'The feeds', schema: pageSchema(feedSchema) } },
  async handle({ query: { offset, limit }, site }, { db }) {
    const page = await listFeeds(db, site.siteId, { offset, limit });
    return { status: 200, body: presentPage(page, { offset, limit }, presentFeed) };
  },
});

export const readFeedRoute = defineRoute({
  ...reading,
  path: '/feeds/:feedId',
  operationId: 'getFeed',
  summary: 'Read a feed',
  description: 'With its next times, why its last run has failed, and why it is paused.',
  params: feedParams,
  responses: { 200: { description: 'The feed', schema: feedSchema } },
  async handle({ params: { feedId }, site }, { db }) {
    return { status: 200, body: presentFeed(await findFeed(db, site.siteId, feedId)) };
  },
});

export const listFeedRunsRoute = defineRoute({
  ...reading,
  path: '/feeds/:feedId/runs',
  operationId: 'listFeedRuns',
  summary: 'List the runs of a feed, newest first',
  description:
    'Each run is a job of the type FEED_RUN; its report says what it has found, its delivery what it has sent.',
  params: feedParams,
  query: z.strictObject(pageParameters),
  responses: { 200: { description: 'The runs', schema: pageSchema(feedRunSchema) } },
  async handle({ params: { feedId }, query: { offset, limit }, site }, { db }) {
    const { id } = await findFeed(db, site.siteId, feedId);
    return { status: 200, body: presentPage(await listRuns(db, id, { offset, limit }), { offset, limit }, presentRun) };
  },
});

export const listFeedFilesRoute = defineRoute({
  ...reading,
  path: '/feeds/:feedId/files',
  operationId: 'listFeedFiles',
  summary: 'List the files that a source has taken, newest first',
  description:
    'A file is taken once, and again when it has another content than what was taken last under its name. What a destination has sent is said by its runs.',
  params: feedParams,
  query: z.strictObject(pageParameters),
  responses: { 200: { description: 'The files', schema: pageSchema(feedFileSchema) } },
  async handle({ params: { feedId }, query: { offset, limit }, site }, { db }) {
    const { id } = await findFeed(db, site.siteId, feedId);
    const page = await listTakenFiles(db, id, { offset, limit });
    return { status: 200, body: presentPage(page, { offset, limit }, presentTakenFile) };
  },
});
