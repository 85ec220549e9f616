/** What somebody says of a feed, as it is sent, stored and shown. */
import { z } from 'zod';
import { isSafeFolder, isSafeName } from '../../../platform/remote/names.js';
import { givenOptionsSchema } from '../../imports/given-options.js';
import { IMPORT_FILES } from '../../imports/model/import-jobs.js';
import { isStorable } from '../../kernel/characters.js';
import { connectionSchema, lineOf } from './connection-settings.js';
import { type Schedule, scheduleProblem } from './schedule.js';

const MAX_TEXT = 1_000;

const feedName = lineOf(100).refine((text) => text.trim() === text, 'begins or ends with a blank');

const scheduleSchema = z
  .strictObject({
    cron: z
      .string()
      .max(200)
      .optional()
      .meta({ description: 'Five parts: minute, hour, day of the month, month, day of the week' }),
    timeZone: z.string().max(100).optional().meta({ description: 'Of cron: a name such as Europe/Berlin' }),
    everySeconds: z.int().min(15).max(3_600).optional().meta({
      description: 'In place of cron: it is looked at so often, and runs only when something new has arrived',
    }),
  })
  .transform(({ cron, timeZone, everySeconds }, context): Schedule => {
    const problem = (member: string, message: string) => {
      context.addIssue({ code: 'custom', path: [member], message });
      return z.NEVER;
    };
    if (everySeconds !== undefined) {
      if (cron === undefined && timeZone === undefined) return { everySeconds };
      return problem('everySeconds', 'does not belong to a schedule with cron: leave cron and timeZone out, or this');
    }
    if (cron === undefined) return problem('cron', 'is missing: give cron and timeZone, or everySeconds');
    if (timeZone === undefined) return problem('timeZone', 'is missing: cron needs it, such as Europe/Berlin or UTC');
    const wrong = scheduleProblem({ cron, timeZone });
    return wrong === null ? { cron, timeZone } : problem(wrong.member, wrong.message);
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
