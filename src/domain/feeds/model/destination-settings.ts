/** What somebody says of a destination besides what all feeds have: which files it writes, and when. */
import { z } from 'zod';
import { isFolderAddress } from '../../../platform/remote/https-target.js';
import type { FeedConnection } from './connection-settings.js';
import { FEED_CONTENTS } from './feed-run-job.js';
import { fileNameProblemOf, isNumbered } from './file-name-template.js';

const MOST_KEPT = 1_000;

const fileName = z
  .string()
  .min(1, 'is empty')
  .max(500)
  .check(({ value, issues }) => {
    const message = fileNameProblemOf(value);
    if (message !== null) issues.push({ code: 'custom', input: value, message });
  })
  .meta({
    description:
      'The name of each file. {date}, {time} (of the time zone of the schedule, or UTC), {sequence} and {content} (whole or delta) are filled in',
  });

/** The members that only destinations have, but for the export. */
export const destinationMembers = {
  content: z.enum(FEED_CONTENTS).optional().meta({
    description:
      'Of destinations. WHOLE: all that the export selects, each time. DELTA: the first file is whole, each later one has what changed since. Default WHOLE',
  }),
  fileName: fileName.optional().meta({ description: 'Of destinations, which need it' }),
  keep: z.int().min(1).max(MOST_KEPT).nullable().optional().meta({
    description: 'Of destinations: so many files stay, and older ones that it has written are removed; null: all',
  }),
  whenEmpty: z.enum(['SKIP', 'WRITE']).optional().meta({
    description: 'Of destinations: whether a file without rows is written. Default WRITE',
  }),
  after: z
    .strictObject({ feed: z.string().min(1).max(100) })
    .nullable()
    .optional()
    .meta({ description: 'Of destinations: it also runs when imports of this source have ended; null: it does not' }),
};

export interface DestinationMembers {
  readonly content: (typeof FEED_CONTENTS)[number];
  readonly fileName: string;
  readonly keep: number | null;
  readonly whenEmpty: 'SKIP' | 'WRITE';
}

/** What an export of a destination is asked for, as far as the members of the destination depend on it. */
interface AskedExport {
  readonly type: string;
  readonly profile?: unknown;
}

interface Problem {
  readonly path: string;
  readonly message: string;
}

/** What does not go together; null: nothing. */
export function destinationProblem(
  connection: FeedConnection,
  asked: AskedExport,
  { content, fileName, keep }: DestinationMembers,
): Problem | null {
  if (connection.kind === 'https') {
    if (keep !== null) {
      const message = 'what was sent to an address behind https can be neither seen nor removed there: leave it out';
      return { path: 'keep', message };
    }
    if (content === 'DELTA' && !isFolderAddress(connection.url)) {
      const message =
        'DELTA needs an address that ends with /, behind which each file has its own name: otherwise a file could replace one that nobody has read yet';
      return { path: 'connection.url', message };
    }
  }
  if (content === 'WHOLE') return null;
  if (connection.kind === 'published') {
    return { path: 'content', message: 'a published file is always whole: choose WHOLE' };
  }
  if (asked.profile !== undefined) {
    const message = 'DELTA does not go together with a profile, which has no form for deleted items: choose WHOLE';
    return { path: 'content', message };
  }
  if (isNumbered(fileName)) return null;
  const message =
    'needs {sequence} when the content is DELTA: otherwise a file could replace one that nobody has read yet';
  return { path: 'fileName', message };
}
