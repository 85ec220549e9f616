/** How a file is imported: as it is, because its columns are ours or a profile says what they are, or as proposed. */
import { type Job, LongshoreError } from '@longshore/client';
import { clientOf } from '../access.js';
import { canAsk } from '../ask.js';
import { CommandError } from '../failure.js';
import type { ImportInput } from '../import-input.js';
import { firstColumns } from './first-columns.js';
import { formOptionsOf, type ImportOptions, TYPES, valueOptionsOf } from './options.js';
import { areOurs } from './own-columns.js';
import { readingOf } from './reading.js';

/** `as inspected`: only an inspection tells whether the columns are ours. */
type Way = 'as it is' | 'as proposed' | 'as inspected';

/** @throws CommandError when options contradict each other */
export async function wayOf(input: ImportInput, options: ImportOptions): Promise<Way> {
  const { profile, createMissing, decide } = options;
  const ofValues = valueOptionsOf(options);
  const isProposed = createMissing !== undefined || decide !== undefined;
  if (ofValues.length > 0 && (isProposed || typeof profile === 'string' || options.yes)) {
    throw new CommandError(`a profile says how values are written, and so does ${ofValues.join(', ')}: leave that out`);
  }
  if (typeof profile === 'string') {
    const isSaved = (await clientOf(options).profiles.find(profile)) !== undefined;
    const form = formOptionsOf(options);
    if (isSaved && form.length > 0) {
      const message = `the profile ${profile} says how the file is written, and so does ${form.join(', ')}: leave that out`;
      throw new CommandError(message);
    }
    return isSaved && !isProposed ? 'as it is' : 'as proposed';
  }
  // Only what is proposed can follow them.
  const { headerRow, headerRows, rowPath } = options;
  const isRead = [headerRow, headerRows, rowPath].some((one) => one !== undefined);
  if (isProposed || isRead) return 'as proposed';
  if (ofValues.length > 0 || options.retryOf !== undefined) return 'as it is';
  if (profile !== false && (await hasDefault(options))) return 'as it is';
  const columns = await columnsOf(input, options);
  // To inspect workbooks that are in our form would cost scripts as much as the import. A pipe is often a person's.
  const isAsking = canAsk() && !options.json;
  if (columns === undefined) return isAsking || input.isPiped || options.yes === true ? 'as inspected' : 'as it is';
  return (await areOurs(clientOf(options), options.type, columns)) ? 'as it is' : 'as proposed';
}

/** Reasons for which a file is rejected whose columns are its own. */
const FOREIGN: readonly (string | null)[] = [
  ...['UNKNOWN_COLUMN', 'MISSING_COLUMN', 'DUPLICATE_COLUMN'],
  ...['INVALID_HEADER', 'INVALID_ENCODING', 'NOT_AN_ARRAY', 'PROFILE_REQUIRED'],
];

/** Whether a file was rejected because its columns are not ours. */
export async function isForeign(
  input: ImportInput,
  { status, reason }: Pick<Job, 'status' | 'reason'>,
  options: ImportOptions,
): Promise<boolean> {
  if (status !== 'REJECTED' || !FOREIGN.includes(reason)) return false;
  if (valueOptionsOf(options).length > 0 || options.retryOf !== undefined) return false;
  const columns = await columnsOf(input, options);
  return columns === undefined || !(await areOurs(clientOf(options), options.type, columns));
}

function columnsOf({ source }: ImportInput, options: ImportOptions): Promise<readonly string[] | undefined> {
  const { delimiter, encoding } = readingOf(options);
  return firstColumns(source, source.name ?? '', { delimiter, encoding });
}

/** Whether files of this type are imported by a profile that the site names. */
async function hasDefault(options: ImportOptions): Promise<boolean> {
  try {
    const { defaultProfiles } = await clientOf(options).getSiteSettings();
    return defaultProfiles[TYPES[options.type]] !== undefined;
  } catch (error) {
    // Tokens that may not read it: on a terminal it is shown what would happen, and scripts go on as they were.
    if (error instanceof LongshoreError && error.status === 403) return !canAsk();
    throw error;
  }
}
