/** The options of imports as they are stored with the job. */
import { z } from 'zod';
import { archiveReport } from '../../job-model/archive-report.js';
import { createdDefinitions } from '../../job-model/created-definitions.js';
import { COMMON_OPTIONS, retrySchema } from '../../job-model/job-type.js';
import { removalReport } from '../../job-model/removal-report.js';
import { keptProfile } from '../../profiles/model/kept-profile.js';
import { keptCreateMissing, keptMissing } from '../kept/missing-definitions.js';
import { keptSnapshot } from '../kept/snapshot.js';

export const WRITE_MODES = ['insert', 'upsert', 'update'] as const;
export type WriteMode = (typeof WRITE_MODES)[number];

/** How an import is executed: checked when it is accepted, and stored with its job. */
export const keptOptions = z
  .object({
    ...COMMON_OPTIONS,
    mode: z.enum(WRITE_MODES),
    /** Whether the other rows are applied when one row fails. */
    onError: z.enum(['skip', 'abort']),
    validateOnly: z.boolean(),
    /** Whether the request asked for an approval; the rule of the site may do so too. */
    requireApproval: z.boolean().optional(),
    /** For files only, like the following options. */
    delimiter: z.string().optional(),
    decimalSeparator: z.enum(['.', ',']).optional(),
    dateFormat: z.string().optional(),
    encoding: z.string().optional(),
    /** For workbooks only: the sheet's name. */
    sheet: z.string().optional(),
    /** For the error files of CSV and TSV. */
    escapeFormulas: z.boolean().optional(),
    /** How the file becomes one of ours; null: it is one, whatever the default of the site is. */
    profile: keptProfile.nullable().optional(),
    /** What of `missing` was asked for, for clients. */
    createMissing: keptCreateMissing.optional(),
    /** What is to be created before the rows; taken away when it was. */
    missing: keptMissing.optional(),
    /** What was created, or would be by a job that is a dry run. */
    created: createdDefinitions.optional(),
    /** Present if the file is the whole truth within a scope. */
    snapshot: keptSnapshot.optional(),
    /** The client whose token has sent a job that may wait for an approval of its removals. */
    sentBy: z.string().optional(),
    /** What became of the items that such a file lacks. */
    removal: removalReport.optional(),
    /** What the scope of the snapshot meant then, in whichever way it is named. */
    scopeKey: z.string().optional(),
    /** What the import of an archive did besides its items, or would do. */
    archive: archiveReport.optional(),
    /** Present if the job repeats the rows of the job `retryOf`. */
    retry: retrySchema.optional(),
    /** The options that the announcement left out, whose values here are defaults. */
    implied: z.array(z.string()).readonly().optional(),
  })
  .readonly();
export type ImportOptions = z.output<typeof keptOptions>;

/** Whether the job is atomic: everything that it writes is committed together, or undone after its last row. */
export function importsAtomically({ onError, validateOnly }: Pick<ImportOptions, 'onError' | 'validateOnly'>): boolean {
  return onError === 'abort' || validateOnly;
}
