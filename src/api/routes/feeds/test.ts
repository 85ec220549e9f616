/** The endpoint that tries a feed before it is saved, or as it is. */
import { z } from 'zod';
import { feedEnvironment, requireAllowed } from '../../../domain/feeds/feed-environment.js';
import { secretsFor } from '../../../domain/feeds/feed-secrets.js';
import { findFeed } from '../../../domain/feeds/feeds.js';
import { FEED_DIRECTIONS, feedChange, givenSecrets, pickSchema } from '../../../domain/feeds/model/feed-settings.js';
import { testDestination } from '../../../domain/feeds/test-destination.js';
import { testFeed } from '../../../domain/feeds/test-feed.js';
import { DomainError } from '../../../domain/kernel/errors.js';
import { defineRoute } from '../../define-route.js';
import { destinationExport } from '../../export-body.js';
import { feedTestSchema, presentTest } from '../../presenters/present-feed.js';
import { clientGone } from '../../waiting-client.js';
import { EXAMPLE_CONNECTION, ofFeeds, requireOwnMembers, secretsOf } from './common.js';

/** Tests of one account that a process executes at the same time: a server may take long to answer. */
const MAX_TESTS = 3;
const RETRY_AFTER_SECONDS = 5;
/** Tests under way, by account. */
const underWay = new Map<string, number>();
const NOTHING_SEEN = { failure: null, hostKey: null, seen: 0, more: false, files: [], writable: null, left: null };

export const testFeedRoute = defineRoute({
  ...ofFeeds,
  method: 'POST',
  path: '/feeds/actions/test',
  operationId: 'testFeed',
  summary: 'Try a feed',
  description:
    'Of a source: connects, lists what it sees, and says of each file whether a run would take it; nothing is taken. Of a destination: connects, writes a small file with a hidden name, and removes it again. With `feedId` a saved feed, with the members of the body in place of its own. The body of a feed that is to be saved can be sent as it is. With a schedule alone it connects to nothing, and answers its next times.',
  auth: { scope: 'feeds:write' },
  body: {
    schema: feedChange
      .extend({
        ...givenSecrets,
        feedId: z.string().optional().meta({ description: 'A saved feed' }),
        direction: z.enum(FEED_DIRECTIONS).optional(),
        export: destinationExport.optional(),
      })
      .refine(
        ({ feedId, connection, schedule }) => feedId !== undefined || connection !== undefined || schedule != null,
        { path: ['connection'], message: 'is missing: give the connection, the feedId of a saved feed, or a schedule' },
      ),
    example: {
      connection: EXAMPLE_CONNECTION,
      secret: 'a password or a private key',
      pick: { pattern: 'items-*.csv' },
    },
  },
  refusals: { 429: 'Too many tests of the account wait for the answers of servers' },
  responses: { 200: { description: 'What was seen, or why not', schema: feedTestSchema } },
  async handle({ body, site, endTurn, koa }, { db, config, stopping }) {
    const { siteId, accountId } = site;
    const environment = feedEnvironment(config);
    const stored = body.feedId === undefined ? null : await findFeed(db, siteId, body.feedId);
    const connection = body.connection ?? stored?.connection;
    const schedule = body.schedule === undefined ? (stored?.schedule ?? null) : body.schedule;
    if (connection === undefined) return { status: 200, body: presentTest(NOTHING_SEEN, false, schedule) };
    const direction = stored?.direction ?? body.direction ?? 'SOURCE';
    requireOwnMembers(direction, body);
    requireAllowed(environment, accountId, connection);
    const given = secretsOf(body);
    const secrets =
      stored === null ? (given ?? { secret: null }) : secretsFor(stored, connection, given, config.secretsKeys);
    // The server decides how long this takes.
    endTurn();
    const signal = AbortSignal.any([clientGone(koa.res), stopping]);
    const test = await limited(accountId, () => {
      if (direction === 'DESTINATION') {
        return testDestination(db, environment, { accountId, siteId, connection, secrets }, signal);
      }
      if (connection.kind === 'published') throw new Error('the members were checked');
      const pick = body.pick ?? (stored?.direction === 'SOURCE' ? stored.pick : pickSchema.parse({}));
      const saved = stored?.direction === 'SOURCE' ? stored : null;
      return testFeed(db, environment, { accountId, saved, connection, pick, secrets }, signal);
    });
    return { status: 200, body: presentTest(test, test.failure === null, schedule) };
  },
});

/** @throws DomainError busy when too many tests of the account are under way */
async function limited<T>(accountId: string, work: () => Promise<T>): Promise<T> {
  const count = underWay.get(accountId) ?? 0;
  if (count >= MAX_TESTS) {
    const message = `${MAX_TESTS} tests of this account wait for the answers of servers; test again when one of them has ended`;
    throw new DomainError('busy', 'TOO_MANY_TESTS', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
  underWay.set(accountId, count + 1);
  try {
    return await work();
  } finally {
    const left = (underWay.get(accountId) ?? 1) - 1;
    if (left > 0) underWay.set(accountId, left);
    else underWay.delete(accountId);
  }
}
