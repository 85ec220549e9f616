/** The plan of a job's input, stored with the job so that every chunk is read in the same way. */
import { z } from 'zod';
import { CHUNK_PLAN } from '../../job-model/job-type.js';

/** Serial numbers reserved for a job before its first row is applied: attribute id → number. */
const reserved = z.record(z.string(), z.number()).readonly();
export type Reserved = z.output<typeof reserved>;

export const inputPlan = z
  .object({
    ...CHUNK_PLAN,
    /** Where the rows are: in the chunk itself, in the upload, or in a normalised copy of it. */
    source: z.enum(['inline', 'upload', 'spool']),
    bodyFormat: z.enum(['CSV', 'JSONL']),
    delimiter: z.string().nullable(),
    headerCells: z.array(z.string()).readonly().nullable(),
    /** Index of the key column; -1 for JSON. */
    keyColumn: z.int(),
    /** Whether the site had no items when the job began. */
    siteWasEmpty: z.boolean(),
    /** Empty when the job is atomic, because it reserves in its own transaction. */
    reserved,
    /** For a file with a profile: what the source of each column is called in the file. */
    sourceNames: z.array(z.string()).readonly().optional(),
    /** How the rows of a file with a profile are written that the copy has behind those of each chunk. */
    originals: z
      .object({
        /** Null: as a list of texts in JSON, one for each column of ours. */
        delimiter: z.string().nullable(),
        quote: z.enum(['"', "'", '']),
        /** For each column of ours: the indexes of its columns in the file. */
        columns: z.array(z.array(z.int()).readonly()).readonly(),
      })
      .readonly()
      .optional(),
    /** Where the rows of JSON or XML were. */
    rowPath: z.string().optional(),
    /** The number of the first row of a file with a profile, whose rows need not begin behind a header. */
    firstRow: z.int().optional(),
    /** The highest row number that may occur. */
    lastRow: z.int(),
  })
  .readonly();
export type InputPlan = z.output<typeof inputPlan>;
