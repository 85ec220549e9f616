/** What somebody says of a feed, as it is sent, stored and shown. */
import { z } from 'zod';
import { isSafeFolder, isSafeName } from '../../../platform/remote/names.js';
import type { Connection } from '../../../platform/remote/remote-folder.js';
import { givenOptionsSchema } from '../../imports/given-options.js';
import { IMPORT_FILES } from '../../imports/model/import-jobs.js';
import { isStorable } from '../../kernel/characters.js';
import { scheduleProblem } from './schedule.js';

const MAX_TEXT = 1_000;
const CONTROL = 'contains a control character';

/** One line of text. */
function line(most: number) {
  return z
    .string()
    .min(1, 'is empty')
    .max(most)
    .refine((text) => isStorable(text) && !/\p{Cc}/u.test(text), CONTROL);
}

const feedName = line(100).refine((text) => text.trim() === text, 'begins or ends with a blank');

const httpsUrl = line(2_000)
  .refine((text) => URL.canParse(text) && new URL(text).protocol === 'https:', 'expected an address with https://')
  .refine(
    (text) => !URL.canParse(text) || (new URL(text).username === '' && new URL(text).password === ''),
    'contains a name or a password: give them as auth and secret',
  );

const https = z.strictObject({
  kind: z.literal('https'),
  url: httpsUrl,
  auth: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('basic'), user: line(200) }),
      z.strictObject({ type: z.literal('bearer') }),
      z.strictObject({
        type: z.literal('header'),
        name: z.string().regex(/^[A-Za-z0-9-]{1,100}$/, 'expected the name of a header'),
      }),
    ])
    .optional(),
});

const sftp = z.strictObject({
  kind: z.literal('sftp'),
  host: line(253),
  port: z.int().min(1).max(65_535).default(22),
  user: line(200),
  path: line(MAX_TEXT),
  hostKey: z
    .string()
    .regex(/^SHA256:[A-Za-z0-9+/]{43}=?$/, 'expected a fingerprint such as SHA256:…, as ssh-keygen -lf shows it')
    .nullable()
    .default(null)
    .meta({ description: 'The fingerprint of the server; null: the one that it has at the first use' }),
});

const s3 = z.strictObject({
  kind: z.literal('s3'),
  endpoint: httpsUrl.nullable().default(null).meta({ description: 'null: AWS' }),
  region: line(100),
  bucket: line(255),
  prefix: z
    .string()
    .max(MAX_TEXT)
    .refine((text) => isStorable(text) && !/\p{Cc}/u.test(text), CONTROL)
    .default(''),
  accessKeyId: line(200),
});

const folder = z.strictObject({
  kind: z.literal('folder'),
  path: line(MAX_TEXT).refine((text) => text.startsWith('/'), 'expected a path that begins with /'),
});

const connectionSchema = z.discriminatedUnion('kind', [folder, https, sftp, s3]).meta({
  description:
    'Where the files lie: a folder that the operator allows (FEED_FOLDERS), an https address, an SFTP server or an S3 bucket. Passwords and keys are sent as secret',
}) satisfies z.ZodType<Connection, unknown>;

const scheduleSchema = z
  .strictObject({
    cron: z
      .string()
      .max(200)
      .meta({ description: 'Five parts: minute, hour, day of the month, month, day of the week' }),
    timeZone: z.string().max(100).meta({ description: 'A name such as Europe/Berlin' }),
  })
  .check(({ value, issues }) => {
    const problem = scheduleProblem(value);
    if (problem === null) return;
    issues.push({ code: 'custom', input: value, path: [problem.member], message: problem.message });
  });

const wholeName = (what: string) => z.string().min(1, 'is empty').max(255).refine(isSafeName, what);

export const pickSchema = z.strictObject({
  pattern: wholeName('expected the name of a file with * and ?, without folders')
    .default('*')
    .meta({ description: '`*` stands for any text, `?` for one character. Names that begin with a dot are left out' }),
  take: z
    .enum(['all', 'newest'])
    .default('all')
    .meta({ description: 'all: every file, by name. newest: only the file that was changed last' }),
  doneMarker: wholeName('expected an ending such as .done')
    .nullable()
    .default(null)
    .meta({ description: 'A file is complete when there is another one with its name and this ending' }),
  settleSeconds: z.int().min(0).max(300).default(10).meta({
    description: 'Without a marker: a file is complete when its size and time are the same after so many seconds',
  }),
});

export const afterwardsSchema = z
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
  .meta({ description: 'What is done with a file when its job is accepted' });

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

/** A feed as it is saved. */
export const feedSettings = z.strictObject({
  name: feedName,
  direction: z.literal('SOURCE').default('SOURCE'),
  connection: connectionSchema,
  fileType: feedFileType,
  locale: localeSchema.nullable().default(null),
  options: feedOptions.prefault({}),
  pick: pickSchema.prefault({}),
  afterwards: afterwardsSchema.default('leave'),
  schedule: scheduleSchema.nullable().default(null).meta({ description: 'null: it runs on request only' }),
  expectWithinMinutes: expectSchema.nullable().default(null).meta({
    description: 'FEED_OVERDUE is emitted when no new file has come for so long; null: never',
  }),
  state: z.enum(FEED_STATES).default('ACTIVE'),
});
export type FeedSettings = z.output<typeof feedSettings>;

/** What may be changed: an absent member stays as it is, and each that is given replaces the whole. */
export const feedChange = z.strictObject({
  name: feedName.optional(),
  connection: connectionSchema.optional(),
  fileType: feedFileType.optional(),
  locale: localeSchema.nullable().optional(),
  options: feedOptions.optional(),
  pick: pickSchema.optional(),
  afterwards: afterwardsSchema.optional(),
  schedule: scheduleSchema.nullable().optional(),
  expectWithinMinutes: expectSchema.nullable().optional(),
  state: z
    .enum(FEED_STATES)
    .optional()
    .meta({ description: 'ACTIVE: a paused feed goes on, with the next time of its schedule' }),
});

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
