/** Feeds as rows: what was said of a stored one, and the columns in which it is stored. */
import type { Db } from '../../../db/connection.js';
import { exportSpecSchema } from '../exports/model/export-spec.js';
import { attributeKey } from '../kernel/attribute-key.js';
import type { FeedRow } from './model/feed.js';
import type { DestinationSettings, FeedSettings, SourceSettings } from './model/feed-settings.js';

/** Who saves a feed: it may do at most what they may. */
export interface FeedSaver {
  readonly tokenId: string;
  /** The client to which the token was granted; null: to none. */
  readonly clientId: string | null;
  readonly scopes: readonly string[];
}

/** What was said of a stored feed. The name of the source after which a destination runs is known of those that were found. */
export function settingsOf(feed: FeedRow & { readonly after_name?: string | null }): FeedSettings {
  const { name, schedule, state } = feed;
  const shared = { name, schedule, state, expectWithinMinutes: feed.expect_within_minutes };
  if (feed.direction === 'SOURCE') {
    const { direction, connection, file_type: fileType, locale, options, pick, afterwards } = feed;
    return { ...shared, direction, connection, fileType, locale, options, pick, afterwards };
  }
  const { direction, connection, destination, after_name: after = null } = feed;
  const spec = exportSpecSchema.parse(feed.export_spec);
  return { ...shared, direction, connection, ...destination, spec, after: after === null ? null : { feed: after } };
}

export function columnsOf(settings: FeedSettings, { tokenId, clientId, scopes }: FeedSaver) {
  const { name, direction, connection, schedule, state } = settings;
  return {
    ...{ name, name_key: attributeKey(name), direction, state },
    connection: JSON.stringify(connection),
    schedule: schedule === null ? null : JSON.stringify(schedule),
    expect_within_minutes: settings.expectWithinMinutes,
    ...(settings.direction === 'SOURCE' ? sourceColumns(settings) : destinationColumns(settings)),
    ...{ saved_by: tokenId, saved_by_client: clientId, scopes: [...scopes] },
  };
}

function sourceColumns({ fileType, locale, options, pick, afterwards }: SourceSettings) {
  return {
    ...{ file_type: fileType, locale },
    options: JSON.stringify(options),
    pick: JSON.stringify(pick),
    afterwards: JSON.stringify(afterwards),
  };
}

function destinationColumns(settings: DestinationSettings) {
  const { export: given, spec, content, fileName, keep, whenEmpty } = settings;
  return {
    destination: JSON.stringify({ export: given, content, fileName, keep, whenEmpty }),
    export_spec: JSON.stringify(spec),
  };
}

/** The time of the database, by which feeds are due; in a transaction, when it began. */
export async function readNow(db: Db): Promise<Date> {
  const { rows } = await db.raw<{ rows: { now: Date }[] }>('SELECT now() AS now');
  return rows[0]?.now ?? new Date();
}
