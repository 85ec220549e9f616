/** The endpoints that save, change and delete a feed. */
import { z } from 'zod';
import { settingsOf } from '../../../domain/feeds/feed-rows.js';
import { createFeed, deleteFeed, findFeed, updateFeed } from '../../../domain/feeds/feeds.js';
import {
  feedBody,
  feedChange,
  givenSecrets,
  memberProblems,
  settingsOfBody,
} from '../../../domain/feeds/model/feed-settings.js';
import { defineRoute } from '../../define-route.js';
import { destinationExport } from '../../export-body.js';
import { feedSchema, presentFeed } from '../../presenters/present-feed.js';
import { checkDestination, checkSource, exportAsSent, specOf } from './check.js';
import { EXAMPLE_CONNECTION, feedParams, ofFeeds, requireOwnMembers, saverOf, secretsOf, targetOf } from './common.js';

const CHECKED_OF_SOURCES = ['connection', 'fileType', 'options', 'pick', 'afterwards', 'state'];
const CHECKED_OF_DESTINATIONS = ['connection', 'export', 'content', 'fileName', 'state'];

export const createFeedRoute = defineRoute({
  ...ofFeeds,
  method: 'POST',
  path: '/feeds',
  operationId: 'createFeed',
  summary: 'Save a feed',
  description:
    'A source takes files from somewhere and imports each once; a destination exports, and sends the file somewhere. It may do at most what the token may that saves it, and pauses when that token is revoked. `POST /feeds/actions/test` tries it before.',
  auth: { scope: 'feeds:write' },
  body: {
    schema: z
      .strictObject({ ...feedBody.shape, export: destinationExport.optional(), ...givenSecrets })
      .check(({ value, issues }) => {
        for (const { member, message } of memberProblems(value)) {
          issues.push({ code: 'custom', input: value, path: [member], message });
        }
      }),
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
    404: 'There is no import profile, or no published file, of this name',
    409: 'There is a feed of this name, or there are too many feeds; or the default profile of such files was deleted',
  },
  responses: { 200: { description: 'The feed', schema: feedSchema } },
  audit: 'FEED_CREATED',
  async handle({ body, site, principal, audit }, services) {
    const { db, config } = services;
    const given = body.export === undefined ? undefined : exportAsSent(body.export);
    const spec = given === undefined ? null : await specOf(db, site.siteId, given);
    const settings = settingsOfBody({ ...body, export: given }, spec);
    if (settings.direction === 'SOURCE') await checkSource(services, site, settings);
    else await checkDestination(services, site, settings);
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
      export: destinationExport.optional(),
      ...givenSecrets,
      version: z.int().min(1).optional().meta({
        description: 'The version that you have read: if another one is the newest by now, the answer is 409',
      }),
    }),
    example: { schedule: { cron: '0 */2 * * *', timeZone: 'Europe/Berlin' } },
  },
  refusals: {
    404: 'There is no such feed, or no import profile or published file of this name',
    409: 'It was changed since the version that the body names, or another feed has this name; or the default profile of such files was deleted',
  },
  responses: { 200: { description: 'The feed', schema: feedSchema } },
  audit: 'FEED_UPDATED',
  async handle({ params: { feedId }, body, site, principal, audit }, services) {
    const { secret: _, passphrase: __, version = null, export: read, ...others } = body;
    const change = { ...others, export: read === undefined ? undefined : exportAsSent(read) };
    const { db, config } = services;
    const before = settingsOf(await findFeed(db, site.siteId, feedId));
    requireOwnMembers(before.direction, change);
    const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
    const wanted = { ...before, ...given };
    const checked = wanted.direction === 'SOURCE' ? CHECKED_OF_SOURCES : CHECKED_OF_DESTINATIONS;
    // A feed that is only paused, or gets another name, need not be as it could be saved today.
    const isChecked = checked.some((member) => member in given) && body.state !== 'PAUSED';
    // The export is resolved anew: attributes may have other types by now.
    const spec =
      wanted.direction === 'DESTINATION' && (isChecked || change.export !== undefined)
        ? await specOf(db, site.siteId, wanted.export)
        : undefined;
    if (isChecked && wanted.direction === 'SOURCE') await checkSource(services, site, wanted);
    if (isChecked && wanted.direction === 'DESTINATION') await checkDestination(services, site, wanted);
    const saver = saverOf(principal);
    const updated = await audit.change(
      db,
      (trx) =>
        updateFeed(trx, site.siteId, feedId, { ...change, spec }, secretsOf(body), saver, config.secretsKeys, version),
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
  description: 'What it has taken or sent is forgotten with it. Jobs that were accepted go on.',
  auth: { scope: 'feeds:write' },
  params: feedParams,
  refusals: { 409: 'A destination runs after its imports' },
  responses: { 200: { description: 'The feed that was deleted', schema: feedSchema } },
  audit: 'FEED_DELETED',
  async handle({ params: { feedId }, site, audit }, { db }) {
    const deleted = await audit.change(db, (trx) => deleteFeed(trx, site.siteId, feedId), targetOf);
    return { status: 200, body: presentFeed(deleted) };
  },
});
