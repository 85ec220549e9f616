/** The endpoints by which the owner of a feed makes, shows and ends the address that triggers it. */
import { z } from 'zod';
import { deleteTrigger, type FeedTrigger, findTrigger, renewTrigger } from '../../../domain/feeds/triggers.js';
import { defineRoute } from '../../define-route.js';
import { feedParams, ofFeeds } from './common.js';

const triggerSchema = z
  .object({
    feedId: z.string(),
    url: z.string().nullable().meta({
      description:
        'POST it, and the feed runs, without a token: treat it as a secret. Null: what encrypted it is lost; it goes on working, but only a new one can be shown',
    }),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'FeedTrigger' });
const refusals = { 404: 'There is no such feed, or no address that triggers it' };

export const readTriggerRoute = defineRoute({
  ...ofFeeds,
  method: 'GET',
  path: '/feeds/:feedId/trigger',
  operationId: 'getFeedTrigger',
  summary: 'Read the address that triggers a feed',
  description: 'Whatever calls it has the feed run.',
  auth: { scope: 'feeds:read' },
  params: feedParams,
  refusals,
  responses: { 200: { description: 'The address', schema: triggerSchema } },
  async handle({ params: { feedId }, site }, { db, config, publicUrl }) {
    return { status: 200, body: present(publicUrl(), await findTrigger(db, site.siteId, feedId, config.secretsKeys)) };
  },
});

export const renewTriggerRoute = defineRoute({
  ...ofFeeds,
  method: 'POST',
  path: '/feeds/:feedId/actions/renew-trigger',
  operationId: 'renewFeedTrigger',
  summary: 'Make an address that triggers a feed, or another one',
  description: 'An address that it had answers 404 at once.',
  auth: { scope: 'feeds:write' },
  params: feedParams,
  responses: { 200: { description: 'The address', schema: triggerSchema } },
  audit: 'FEED_TRIGGER_RENEWED',
  async handle({ params: { feedId }, site, audit }, { db, config, publicUrl }) {
    const renew = (trx: Parameters<typeof renewTrigger>[0]) =>
      renewTrigger(trx, site.siteId, feedId, config.secretsKeys);
    return { status: 200, body: present(publicUrl(), await audit.change(db, renew, targetOf)) };
  },
});

export const deleteTriggerRoute = defineRoute({
  ...ofFeeds,
  method: 'DELETE',
  path: '/feeds/:feedId/trigger',
  operationId: 'deleteFeedTrigger',
  summary: 'Delete the address that triggers a feed',
  description: 'It answers 404 at once. The feed stays as it is.',
  auth: { scope: 'feeds:write' },
  params: feedParams,
  refusals,
  responses: { 200: { description: 'The address that was deleted', schema: triggerSchema } },
  audit: 'FEED_TRIGGER_DELETED',
  async handle({ params: { feedId }, site, audit }, { db, config, publicUrl }) {
    const remove = (trx: Parameters<typeof deleteTrigger>[0]) =>
      deleteTrigger(trx, site.siteId, feedId, config.secretsKeys);
    return { status: 200, body: present(publicUrl(), await audit.change(db, remove, targetOf)) };
  },
});

function targetOf({ feedId }: FeedTrigger): string {
  return `feed/${feedId}`;
}

function present(publicUrl: string, { feedId, key, createdAt }: FeedTrigger): z.output<typeof triggerSchema> {
  const url = key === null ? null : `${publicUrl}/feed-triggers/${key}`;
  return { feedId, url, createdAt: createdAt.toISOString() };
}
