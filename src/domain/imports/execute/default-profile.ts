/** Says of a file that was refused by the default profile of its type that it was read by that. */
import { RejectedInput } from '../../formats/model/rejected-input.js';
import { quoted } from '../../kernel/value-problem.js';
import type { ImportJob } from '../model/import-jobs.js';
import type { ImportOptions } from '../model/import-options.js';

/** Reasons that tell of a header that the profile is not for. */
const OF_HEADERS: readonly string[] = [
  'MISSING_COLUMN',
  'UNKNOWN_COLUMN',
  'DUPLICATE_COLUMN',
  'INVALID_HEADER',
  'NO_ROWS',
];

/** Nobody has named the profile in the request: how to do without it is what the client needs to know. */
export function besideDefault({ options }: ImportJob, error: RejectedInput): RejectedInput {
  const { profile, implied = [] }: Partial<ImportOptions> = options;
  if (!OF_HEADERS.includes(error.reason) || !implied.includes('profile') || !profile) return error;
  const name = profile.name === null ? 'a profile' : `the profile ${quoted(profile.name)}`;
  const said = `The file was read by ${name}, the default of such files. If its columns are those of Longshore itself, send "profile": null.`;
  return new RejectedInput(error.reason, `${error.message.trimEnd()} ${said}`);
}
