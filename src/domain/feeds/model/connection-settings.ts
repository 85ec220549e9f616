/** The connection of a feed as it is sent: which members belong to which kind. */
import { z } from 'zod';
import type { Connection } from '../../../platform/remote/remote-folder.js';
import { isStorable } from '../../kernel/characters.js';

const MAX_TEXT = 1_000;
const DEFAULT_SFTP_PORT = 22;
const CONTROL = 'contains a control character';

/** Where the files of a feed lie: with somebody else, or, of a destination, at the address of a published file of ours. */
export type FeedConnection = Connection | { readonly kind: 'published'; readonly name: string };

/** Kind → the members that it needs, and those that it may have. */
const MEMBERS: Readonly<Record<FeedConnection['kind'], { needed: readonly Member[]; allowed: readonly Member[] }>> = {
  folder: { needed: ['path'], allowed: [] },
  https: { needed: ['url'], allowed: ['auth'] },
  sftp: { needed: ['host', 'user', 'path'], allowed: ['port', 'hostKey'] },
  s3: { needed: ['region', 'bucket', 'accessKeyId'], allowed: ['endpoint', 'prefix'] },
  published: { needed: ['name'], allowed: [] },
};
/** Type of authentication → the member that it needs. */
const MEMBER_OF_AUTH = { basic: 'user', bearer: null, header: 'name' } as const;

/** One line of text. */
export function lineOf(most: number) {
  return z
    .string()
    .min(1, 'is empty')
    .max(most, `is longer than ${most} characters`)
    .refine((text) => isStorable(text) && !/\p{Cc}/u.test(text), CONTROL);
}

function httpsUrl() {
  return lineOf(2_000)
    .refine((text) => URL.canParse(text) && new URL(text).protocol === 'https:', 'expected an address with https://')
    .refine(
      (text) => !URL.canParse(text) || (new URL(text).username === '' && new URL(text).password === ''),
      'contains a name or a password: give them as auth and secret',
    );
}

const auth = z
  .strictObject({
    type: z.enum(['basic', 'bearer', 'header']),
    user: lineOf(200).optional().meta({ description: 'Of basic' }),
    name: z
      .string()
      .regex(/^[A-Za-z0-9-]{1,100}$/, 'expected the name of a header')
      .optional()
      .meta({ description: 'Of header: its name; the secret is its value' }),
  })
  .transform(({ type, ...given }, context) => {
    const needed = MEMBER_OF_AUTH[type];
    for (const member of ['user', 'name'] as const) {
      const isGiven = given[member] !== undefined;
      if (isGiven === (member === needed)) continue;
      const message = isGiven ? `does not belong to ${type}: leave it out` : `is missing: ${type} needs it`;
      context.addIssue({ code: 'custom', path: [member], message });
    }
    const { user = '', name = '' } = given;
    if (type === 'bearer') return { type };
    return type === 'basic' ? { type, user } : { type, name };
  });

const given = z.strictObject({
  kind: z.enum(['folder', 'https', 'sftp', 's3', 'published']),
  path: lineOf(MAX_TEXT).optional().meta({ description: 'Of folder and sftp' }),
  url: httpsUrl().optional().meta({
    description:
      'Of https: the address of the file; of a destination, that to which each file is put, or, if it ends with /, behind which each is put under its name',
  }),
  auth: auth.optional().meta({ description: 'Of https' }),
  host: lineOf(253).optional().meta({ description: 'Of sftp' }),
  port: z
    .int()
    .min(1)
    .max(65_535)
    .optional()
    .meta({ description: `Of sftp. Default: ${DEFAULT_SFTP_PORT}` }),
  user: lineOf(200).optional().meta({ description: 'Of sftp' }),
  hostKey: z
    .string()
    .regex(/^SHA256:[A-Za-z0-9+/]{43}=?$/, 'expected a fingerprint such as SHA256:…, as ssh-keygen -lf shows it')
    .nullable()
    .optional()
    .meta({ description: 'Of sftp: the fingerprint of the server; null: the one that it has at the first use' }),
  endpoint: httpsUrl().nullable().optional().meta({ description: 'Of s3; null: AWS' }),
  region: lineOf(100).optional().meta({ description: 'Of s3' }),
  bucket: lineOf(255).optional().meta({ description: 'Of s3' }),
  prefix: z
    .string()
    .max(MAX_TEXT)
    .refine((text) => isStorable(text) && !/\p{Cc}/u.test(text), CONTROL)
    .optional()
    .meta({
      description:
        'Of s3: the folder in the bucket, such as exports/; empty: its top. A slash is added at its end. Keys such as exports/2026-1.csv: exports/ and the pattern 2026-*',
    }),
  accessKeyId: lineOf(200).optional().meta({ description: 'Of s3' }),
  name: lineOf(100).optional().meta({ description: 'Of published: the name of a published file of the stage' }),
});
type Given = z.output<typeof given>;
type Member = Exclude<keyof Given, 'kind'>;

export const connectionSchema = given
  .transform((sent, context): FeedConnection => {
    for (const { member, message } of problemsOf(sent)) context.addIssue({ code: 'custom', path: [member], message });
    return connectionOf(sent);
  })
  .meta({
    description:
      'Where the files lie: a folder that the operator allows (FEED_FOLDERS), an https address, an SFTP server, an S3 bucket, or (of destinations) a published file. Passwords and keys are sent as secret',
  });

function* problemsOf(sent: Given): Iterable<{ readonly member: Member; readonly message: string }> {
  const { kind, ...members } = sent;
  const { needed, allowed } = MEMBERS[kind];
  for (const member of Object.keys(members) as Member[]) {
    if (members[member] === undefined || [...needed, ...allowed].includes(member)) continue;
    yield { member, message: `does not belong to a connection of the kind ${kind}: leave it out` };
  }
  for (const member of needed) {
    if (members[member] === undefined) {
      yield { member, message: `is missing: a connection of the kind ${kind} needs it` };
    }
  }
  if (kind === 'folder' && members.path?.startsWith('/') === false) {
    yield { member: 'path', message: 'expected a path that begins with /' };
  }
}

/** What is missing was noted as a problem: nothing is made of such a connection. */
function connectionOf(sent: Given): FeedConnection {
  const { kind, path = '', url = '', host = '', user = '', region = '', bucket = '', accessKeyId = '' } = sent;
  const { port = DEFAULT_SFTP_PORT, hostKey = null, endpoint = null, prefix = '' } = sent;
  switch (kind) {
    case 'folder':
      return { kind, path };
    case 'https':
      return sent.auth === undefined ? { kind, url } : { kind, url, auth: sent.auth };
    case 'sftp':
      return { kind, host, port, user, path, hostKey };
    case 's3':
      return { kind, endpoint, region, bucket, prefix, accessKeyId };
    case 'published':
      return { kind, name: sent.name ?? '' };
  }
}
