/** What the form of a feed holds, as texts, and what of it the API is sent. */
import { connectionOf, connectionValuesOf, NEW_CONNECTION, needsSecret } from './connection-values.js';
import type { FormValues, NewFeed } from './form-kind.js';
import { newSchedule, scheduleOf, valuesOfSchedule } from './schedule.js';
import { NO_SNAPSHOT, type SnapshotValues, snapshotOf, snapshotValuesOf } from './snapshot-values.js';
import type { Feed } from './use-feeds.js';

type FileType = NonNullable<Feed['fileType']>;

export const FILE_TYPES = ['ITEM_IMPORT', 'BUNDLE_IMPORT', 'ATTRIBUTE_IMPORT', 'CATEGORY_IMPORT'] as const;

export interface FeedValues extends FormValues {
  readonly fileType: FileType;
  /** `DEFAULT`: that of the site. `NONE`. Otherwise = and its name. */
  readonly profile: string;
  readonly mode: 'upsert' | 'insert' | 'update';
  readonly isAtomic: boolean;
  readonly asksApproval: boolean;
  readonly snapshot: SnapshotValues;
  readonly pattern: string;
  readonly take: 'all' | 'inOrder' | 'newest';
  readonly completes: 'settles' | 'marker';
  readonly doneMarker: string;
  readonly settleSeconds: string;
  readonly afterwards: 'leave' | 'move' | 'delete';
  readonly moveTo: string;
}

export const NO_SECRET = { secret: '', passphrase: '', isKey: false } as const;

export function newValues(timeZone: string): FeedValues {
  return {
    ...{ name: '', connection: NEW_CONNECTION, ...NO_SECRET, fileType: 'ITEM_IMPORT', profile: 'DEFAULT' },
    ...{ mode: 'upsert', isAtomic: false, asksApproval: false, snapshot: NO_SNAPSHOT },
    ...{ pattern: '*', take: 'all', completes: 'settles', doneMarker: '.done', settleSeconds: '10' },
    ...{ afterwards: 'leave', moveTo: 'done', schedule: newSchedule(timeZone), expectHours: '' },
  };
}

export function valuesOf(feed: Feed, timeZone: string): FeedValues {
  const { name, schedule, expectWithinMinutes: expects } = feed;
  const { fileType, options, pick, afterwards } = sourceMembers(feed);
  const { profile, mode } = options;
  return {
    ...{ name, fileType, ...NO_SECRET, connection: connectionValuesOf(feed.connection) },
    profile: profile === undefined ? 'DEFAULT' : typeof profile === 'string' ? `=${profile}` : 'NONE',
    mode: mode === 'insert' || mode === 'update' ? mode : 'upsert',
    isAtomic: options.onError === 'abort',
    asksApproval: options.requireApproval === true,
    snapshot: snapshotValuesOf(options.snapshot),
    ...{ pattern: pick.pattern, take: pick.take, completes: pick.doneMarker === null ? 'settles' : 'marker' },
    ...{ doneMarker: pick.doneMarker ?? '.done', settleSeconds: String(pick.settleSeconds) },
    afterwards: typeof afterwards === 'string' ? afterwards : 'move',
    moveTo: typeof afterwards === 'string' ? 'done' : afterwards.moveTo,
    schedule: valuesOfSchedule(schedule, timeZone),
    expectHours: hoursOf(expects),
  };
}

/** What only sources have. @throws Error when it is a destination */
export function sourceMembers({ fileType, options, pick, afterwards }: Feed) {
  if (fileType === null || options === null || pick === null || afterwards === null) {
    throw new Error('a destination takes no files');
  }
  return { fileType, options, pick, afterwards };
}

/** @param before what is saved: options that the form does not have stay. What is wrong with it, the API says. */
export function bodyOf(values: FeedValues, before: Feed | undefined): NewFeed {
  const { name, fileType, profile, mode, isAtomic, asksApproval, expectHours } = values;
  const {
    profile: _,
    mode: __,
    onError: ___,
    requireApproval: ____,
    snapshot: former,
    ...kept
  } = before?.options ?? {};
  const snapshot = snapshotOf(values.snapshot, former);
  return {
    ...{ name: name.trim(), ...sourceOf(values), fileType },
    options: {
      ...kept,
      ...(profile === 'DEFAULT' ? {} : { profile: profile === 'NONE' ? null : profile.slice(1) }),
      mode,
      onError: isAtomic ? 'abort' : 'skip',
      ...(asksApproval ? { requireApproval: true } : {}),
      ...(snapshot === undefined ? {} : { snapshot }),
    } as NonNullable<NewFeed['options']>,
    afterwards: afterwardsOf(values),
    schedule: scheduleOf(values.schedule),
    expectWithinMinutes: minutesOf(expectHours),
  };
}

/** Where files lie, and which are taken: what is tested. */
export function sourceOf({ connection, pattern, take, completes, doneMarker, settleSeconds }: FeedValues) {
  return {
    connection: connectionOf(connection) as NewFeed['connection'],
    pick: {
      pattern: pattern.trim(),
      take,
      doneMarker: completes === 'marker' ? doneMarker.trim() : null,
      settleSeconds: numberOf(settleSeconds),
    },
  };
}

/**
 * The secrets as they are sent: none where those that are stored stay.
 * @param staysStored the feed has a secret, and the connection leads to the same server and user
 */
export function secretsOf(
  { secret, passphrase, connection }: Pick<FeedValues, 'secret' | 'passphrase' | 'connection'>,
  staysStored: boolean,
) {
  if (!needsSecret(connection)) return staysStored ? {} : { secret: null };
  if (secret === '') return staysStored ? {} : { secret: null };
  return { secret, ...(passphrase === '' ? {} : { passphrase }) };
}

function afterwardsOf({ connection, afterwards, moveTo }: FeedValues): NonNullable<NewFeed['afterwards']> {
  if (connection.kind === 'https') return 'leave';
  return afterwards === 'move' ? { moveTo: moveTo.trim() } : afterwards;
}

/** What is no number is sent as it is: the API says so, and where. */
export function numberOf(text: string): number {
  const value = Number(text.trim().replace(',', '.'));
  return Number.isNaN(value) ? (text as unknown as number) : value;
}

/** Hours as they are typed; empty: none. */
export function hoursOf(minutes: number | null): string {
  return minutes === null ? '' : String(minutes / 60);
}

export function minutesOf(hours: string): number | null {
  if (hours.trim() === '') return null;
  const minutes = numberOf(hours);
  return typeof minutes === 'number' ? Math.round(minutes * 60) : minutes;
}
