/** The endpoints that save, change and delete a feed. */
import { z } from 'zod';
import { feedEnvironment, requireAllowed, requireClearable } from '../../../domain/feeds/feed-environment.js';
import { createFeed, deleteFeed, findFeed, settingsOf, updateFeed } from '../../../domain/feeds/feeds.js';
import { checkImportOptions } from '../../../domain/feeds/import-options.js';
import {
  type FeedSettings,
  feedChange,
  feedSettings,
  givenSecrets,
} from '../../../domain/feeds/model/feed-settings.js';
import { defineRoute } from '../../define-route.js';
import { feedSchema, presentFeed } from '../../presenters/present-feed.js';
import type { ApiServices } from '../../services.js';
import { EXAMPLE_CONNECTION, feedParams, ofFeeds, saverOf, secretsOf, targetOf } from './common.js';

export const createFeedRoute = defineRoute({
  ...ofFeeds,
  method: 'POST',
  path: '/feeds',
  operationId: 'createFeed',
  summary: 'Save a feed',
  description:
    'It takes files from somewhere and imports each once. It may do at most what the token may that saves it, and pauses when that token is revoked. `POST /feeds/actions/test` tries it before.',
  auth: { scope: 'feeds:write' },
  body: {
    schema: z.strictObject({ ...feedSettings.shape, ...givenSecrets }),
    example: {
      name: 'ERP, every night',
      connection: EXAMPLE_CONNECTION,
      secret: 'a password or a private key',
      fileType: 'ITEM_IMPORT',
      options: { mode: 'upsert' },
      pick: { pattern: 'items-*.csv', take: 'all' },
      afterwards: { moveTo: 'done' },
      schedule: { cron: '30 2 * * *', timeZone: 'Europe/Berlin' },
      expectWithinMinutes: 1_500,
    },
  },
  refusals: {
    404: 'There is no import profile of this name',
    409: 'There is a feed of this name, or there are too many feeds; or the default profile of such files was deleted',
  },
  responses: { 200: { description: 'The feed', schema: feedSchema } },
  audit: 'FEED_CREATED',
  async handle({ body, site, principal, audit }, services) {
    const { secret: _, passphrase: __, ...settings } = body;
    const { db, config } = services;
    await check(services, site, settings);
    const secrets = secretsOf(body) ?? { secret: null };
    const saver = saverOf(principal);
    const created = await audit.change(
      db,
      (trx) => createFeed(trx, site, settings, secrets, saver, config.secretsKeys),
      targetOf,
    );
    return { status: 200, body: presentFeed(created) };
  },
});

export const updateFeedRoute = defineRoute({
  ...ofFeeds,
  method: 'PATCH',
  path: '/feeds/:feedId',
  operationId: 'updateFeed',
  summary: 'Change, pause or resume a feed',
  description:
    'Members that are left out stay as they are. Who changes a feed has saved it from then on. For another server or user, the secret has to be sent again.',
  auth: { scope: 'feeds:write' },
  params: feedParams,
  body: {
    schema: feedChange.extend({
      ...givenSecrets,
      version: z.int().min(1).optional().meta({
        description: 'The version that you have read: if another one is the newest by now, the answer is 409',
      }),
    }),
    example: { schedule: { cron: '0 */2 * * *', timeZone: 'Europe/Berlin' } },
  },
  refusals: {
    404: 'There is no such feed, or no import profile of this name',
    409: 'It was changed since the version that the body names, or another feed has this name; or the default profile of such files was deleted',
  },
  responses: { 200: { description: 'The feed', schema: feedSchema } },
  audit: 'FEED_UPDATED',
  async handle({ params: { feedId }, body, site, principal, audit }, services) {
    const { secret: _, passphrase: __, version = null, ...change } = body;
    const { db, config } = services;
    const before = settingsOf(await findFeed(db, site.siteId, feedId));
    const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
    // A feed that is only paused, or gets another name, need not be as it could be saved today.
    if (
      ['connection', 'fileType', 'options', 'pick', 'afterwards', 'state'].some((member) => member in given) &&
      body.state !== 'PAUSED'
    )
      await check(services, site, { ...before, ...given });
    const saver = saverOf(principal);
    const updated = await audit.change(
      db,
      (trx) => updateFeed(trx, site.siteId, feedId, change, secretsOf(body), saver, config.secretsKeys, version),
      targetOf,
    );
    return { status: 200, body: presentFeed(updated) };
  },
});

export const deleteFeedRoute = defineRoute({
  ...ofFeeds,
  method: 'DELETE',
  path: '/feeds/:feedId',
  operationId: 'deleteFeed',
  summary: 'Delete a feed',
  description: 'What it has taken is forgotten with it. Jobs that were accepted go on.',
  auth: { scope: 'feeds:write' },
  params: feedParams,
  responses: { 200: { description: 'The feed that was deleted', schema: feedSchema } },
  audit: 'FEED_DELETED',
  async handle({ params: { feedId }, site, audit }, { db }) {
    const deleted = await audit.change(db, (trx) => deleteFeed(trx, site.siteId, feedId), targetOf);
    return { status: 200, body: presentFeed(deleted) };
  },
});

/** @throws DomainError when the folder is not allowed, or files could not be imported so */
async function check(
  { db, config }: Pick<ApiServices, 'db' | 'config'>,
  { siteId, accountId }: { readonly siteId: number; readonly accountId: string },
  { connection, fileType, options, pick, afterwards }: FeedSettings,
): Promise<void> {
  requireAllowed(feedEnvironment(config), accountId, connection);
  requireClearable(connection, afterwards);
  await checkImportOptions(db, { site_id: siteId, file_type: fileType, options, pick });
}
