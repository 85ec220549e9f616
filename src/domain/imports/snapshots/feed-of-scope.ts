/** Finds the feed that the scope of a snapshot names: by its name when it is accepted, and by its id afterwards. */
import type { Db } from '../../../../db/connection.js';
import { attributeKey } from '../../kernel/attribute-key.js';
import { storable } from '../../kernel/characters.js';
import type { Snapshot } from '../kept/snapshot.js';
import { feedOf } from './feed-items.js';
import type { SnapshotProblem } from './resolve-snapshot.js';

/** The feed whose file is imported, to which the scope "feed" refers. */
export interface OwnFeed {
  readonly id: string;
  readonly name: string;
}

/** @param own undefined: the file is none of a feed */
export async function withFeed(
  db: Db,
  siteId: number,
  snapshot: Snapshot,
  own: OwnFeed | undefined,
): Promise<Snapshot | SnapshotProblem> {
  const { scope } = snapshot;
  if (scope === 'feed') {
    if (own !== undefined) return { ...snapshot, scope: { feed: own.name, id: own.id } };
    const message = '"feed" is for the options of a feed, which it stands for: name one, as in {"feed": "ERP"}';
    return { path: 'scope', code: 'FIELD_INVALID', message };
  }
  if (typeof scope !== 'object' || !('feed' in scope)) return snapshot;
  const key = { site_id: siteId, name_key: attributeKey(scope.feed) };
  const found: OwnFeed | undefined = await db('feed').where(key).first('id', 'name');
  if (found !== undefined) return { ...snapshot, scope: { feed: found.name, id: found.id } };
  const message = `there is no feed "${storable(scope.feed, 60)}" in this stage: GET /feeds lists them; in the options of a feed, "feed" stands for itself`;
  return { path: 'scope.feed', code: 'FEED_NOT_FOUND', message };
}

/** Why the feed of a snapshot that was accepted has no items any more; undefined: it is there, or the scope is another one. */
export async function goneFeedOf(db: Db, siteId: number, snapshot: Snapshot): Promise<SnapshotProblem | undefined> {
  const id = feedOf(snapshot);
  if (id === undefined || (await db('feed').where({ id, site_id: siteId }).first('id')) !== undefined) return undefined;
  return { path: 'scope.feed', code: 'FEED_NOT_FOUND', message: 'the feed was deleted' };
}
