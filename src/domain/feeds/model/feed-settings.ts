/** What somebody says of a feed, as it is sent, stored and shown. */
import { z } from 'zod';
import { isSafeFolder, isSafeName } from '../../../platform/remote/names.js';
import type { Connection } from '../../../platform/remote/remote-folder.js';
import type { ExportSpec } from '../../exports/model/export-spec.js';
import { givenOptionsSchema } from '../../imports/given-options.js';
import { IMPORT_FILES } from '../../imports/model/import-jobs.js';
import { isStorable } from '../../kernel/characters.js';
import { connectionSchema, type FeedConnection, lineOf } from './connection-settings.js';
import { type DestinationMembers, destinationMembers } from './destination-settings.js';
import { scheduleSchema } from './schedule-settings.js';

const MAX_TEXT = 1_000;

const feedName = lineOf(100).refine((text) => text.trim() === text, 'begins or ends with a blank');

const wholeName = (what: string) => z.string().min(1, 'is empty').max(255).refine(isSafeName, what);

export const TAKES = ['all', 'inOrder', 'newest'] as const;

export const pickSchema = z.strictObject({
  pattern: wholeName('expected the name of a file with * and ?, without folders')
    .default('*')
    .meta({ description: '`*` stands for any text, `?` for one character. Names that begin with a dot are left out' }),
  take: z.enum(TAKES).default('all').meta({
    description:
      'all: every file that can be taken, by name. inOrder: the same, but files behind one that cannot be taken wait for it: each builds on those before it. newest: only the file that was changed last, and none that is older than the one that was taken last',
  }),
  doneMarker: wholeName('expected an ending such as .done')
    .nullable()
    .default(null)
    .meta({ description: 'A file is complete when there is another one with its name and this ending' }),
  settleSeconds: z.int().min(0).max(300).default(10).meta({
    description: 'Without a marker: a file is complete when its size and time are the same after so many seconds',
  }),
});

const afterwardsSchema = z
  .union(
    [
      z.enum(['leave', 'delete']),
      z.strictObject({
        moveTo: z
          .string()
          .max(MAX_TEXT)
          .refine(isSafeFolder, 'expected a folder within that of the feed, such as done'),
      }),
    ],
    'expected "leave", "delete" or {"moveTo": "…"}',
  )
  .meta({ description: 'Of sources: what is done with a file when its job is accepted' });

/** Archives of whole stages are nothing that comes every night, and need more rights. */
const FEED_FILES = IMPORT_FILES.filter((type) => type !== 'SITE_IMPORT');
export const feedFileType = z.enum(FEED_FILES);

/** The options of an announcement but those that belong to one file alone, and secrets. */
const feedOptions = givenOptionsSchema.omit({ callbackUrl: true, missing: true, profile: true }).extend({
  profile: z.string().min(1).max(100).nullable().optional().meta({
    description: 'The name of an import profile; null: none. Default: the default of the site at that moment',
  }),
});

const localeSchema = z
  .string()
  .regex(/^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$/, 'expected a locale such as de or de-DE');

const MINUTES_OF_A_YEAR = 366 * 24 * 60;
const expectSchema = z.int().min(1).max(MINUTES_OF_A_YEAR);

export const FEED_STATES = ['ACTIVE', 'PAUSED'] as const;

export const FEED_DIRECTIONS = ['SOURCE', 'DESTINATION'] as const;

const schedule = scheduleSchema.nullable().optional().meta({ description: 'null: it runs on request only' });
const expectWithinMinutes = expectSchema.nullable().optional().meta({
  description: 'FEED_OVERDUE is emitted when no new file was taken or sent for so long; null: never',
});

/** The members that only sources have. */
const sourceMembers = {
  fileType: feedFileType.optional().meta({ description: 'Of sources, which need it' }),
  locale: localeSchema.nullable().optional(),
  options: feedOptions.optional().meta({ description: 'Of sources' }),
  pick: pickSchema.optional().meta({ description: 'Of sources' }),
  afterwards: afterwardsSchema.optional(),
};

/** A feed as it is sent, but for the export of a destination, which the API knows. Absent members have their defaults. */
export const feedBody = z.strictObject({
  name: feedName,
  direction: z.enum(FEED_DIRECTIONS).default('SOURCE').meta({
    description: 'SOURCE: it takes files and imports them. DESTINATION: it exports, and sends the file',
  }),
  connection: connectionSchema,
  ...sourceMembers,
  ...destinationMembers,
  schedule,
  expectWithinMinutes,
  state: z.enum(FEED_STATES).default('ACTIVE'),
});
type FeedBody = z.output<typeof feedBody>;

/** What may be changed: an absent member stays as it is, and each that is given replaces the whole. */
export const feedChange = z.strictObject({
  name: feedName.optional(),
  connection: connectionSchema.optional(),
  ...sourceMembers,
  ...destinationMembers,
  schedule,
  expectWithinMinutes,
  state: z
    .enum(FEED_STATES)
    .optional()
    .meta({ description: 'ACTIVE: a paused feed goes on, with the next time of its schedule' }),
});

interface SharedSettings {
  readonly name: string;
  readonly schedule: z.output<typeof scheduleSchema> | null;
  readonly expectWithinMinutes: number | null;
  readonly state: (typeof FEED_STATES)[number];
}

export interface SourceSettings extends SharedSettings {
  readonly direction: 'SOURCE';
  readonly connection: Connection;
  readonly fileType: z.output<typeof feedFileType>;
  readonly locale: string | null;
  readonly options: z.output<typeof feedOptions>;
  readonly pick: z.output<typeof pickSchema>;
  readonly afterwards: z.output<typeof afterwardsSchema>;
}

export interface DestinationSettings extends SharedSettings, DestinationMembers {
  readonly direction: 'DESTINATION';
  readonly connection: FeedConnection;
  /** As it was sent. */
  readonly export: GivenExport;
  /** The same, resolved. */
  readonly spec: ExportSpec;
  /** The source after whose imports it runs. */
  readonly after: { readonly feed: string } | null;
}

export type FeedSettings = SourceSettings | DestinationSettings;

/** An export as it was sent; the API has checked it. */
export type GivenExport = Readonly<Record<string, unknown>> & { readonly type: string };

const OF_SOURCES = Object.keys(sourceMembers);
const OF_DESTINATIONS = ['export', ...Object.keys(destinationMembers)];

interface MemberProblem {
  readonly member: string;
  readonly message: string;
}

/** Members that belong to feeds of the other direction. */
export function strayMembers(direction: FeedSettings['direction'], given: object): MemberProblem[] {
  const strays = direction === 'SOURCE' ? OF_DESTINATIONS : OF_SOURCES;
  const isGiven = (member: string) => (given as Readonly<Record<string, unknown>>)[member] !== undefined;
  const other = direction === 'SOURCE' ? 'destinations' : 'sources';
  const message = `belongs to ${other}, and this feed is a ${direction}: leave it out`;
  const problems = strays.filter(isGiven).map((member) => ({ member, message }));
  const { connection, schedule } = given as Partial<Pick<FeedSettings, 'connection' | 'schedule'>>;
  if (direction === 'DESTINATION' && schedule && 'everySeconds' in schedule) {
    const why = 'belongs to sources, which look for new files: give cron and timeZone, or after';
    return [...problems, { member: 'schedule.everySeconds', message: why }];
  }
  if (direction === 'DESTINATION' || connection?.kind !== 'published') return problems;
  return [
    ...problems,
    { member: 'connection', message: 'a published file can only be written: its direction has to be DESTINATION' },
  ];
}

/** Members that belong to feeds of the other direction, and those that are missing. */
export function memberProblems(given: { readonly direction: FeedSettings['direction'] }): MemberProblem[] {
  const { direction } = given;
  const needed = direction === 'SOURCE' ? ['fileType'] : ['export', 'fileName'];
  const isMissing = (member: string) => (given as Readonly<Record<string, unknown>>)[member] === undefined;
  const message = `is missing: a ${direction} needs it`;
  return [...strayMembers(direction, given), ...needed.filter(isMissing).map((member) => ({ member, message }))];
}

/** The settings of a body whose members were checked. */
export function settingsOfBody(
  body: FeedBody & { readonly export?: GivenExport | undefined },
  spec: ExportSpec | null,
) {
  const { name, connection, schedule = null, expectWithinMinutes = null, state } = body;
  const shared = { name, schedule, expectWithinMinutes, state };
  return spec === null || body.export === undefined
    ? sourceOf(shared, connection, body)
    : destinationOf(shared, connection, body, body.export, spec);
}

function sourceOf(shared: SharedSettings, connection: FeedConnection, body: FeedBody): SourceSettings {
  const { fileType, locale = null, options, pick, afterwards = 'leave' } = body;
  if (fileType === undefined || connection.kind === 'published') throw new Error('the members were not checked');
  const filled = { options: options ?? feedOptions.parse({}), pick: pick ?? pickSchema.parse({}) };
  return { ...shared, direction: 'SOURCE', connection, fileType, locale, afterwards, ...filled };
}

function destinationOf(
  shared: SharedSettings,
  connection: FeedConnection,
  { content = 'WHOLE', fileName, keep = null, whenEmpty = 'WRITE', after = null }: FeedBody,
  given: GivenExport,
  spec: ExportSpec,
): DestinationSettings {
  if (fileName === undefined) throw new Error('the members were not checked');
  const files = { content, fileName, keep, whenEmpty, after };
  return { ...shared, direction: 'DESTINATION', connection, export: given, spec, ...files };
}

const secretText = z.string().min(1, 'is empty').max(20_000).refine(isStorable, 'contains a NUL character');

/** What a connection needs to be used. It is stored encrypted, and never shown. */
export const givenSecrets = {
  secret: secretText.nullable().optional().meta({
    description:
      'The password, token, private key or secret key; null: none. It is stored encrypted and never answered',
  }),
  passphrase: secretText.nullable().optional().meta({ description: 'Of a private key, if it has one' }),
};

/** The secrets as they are sealed. */
export const secretsSchema = z.object({ secret: z.string().nullable(), passphrase: z.string().nullable() });
