/**
 * Defines what a job type is. A feature defines its job types, each in one file; callers pass a table of types.
 * `domain/jobs` reads these definitions and names no job type.
 */
import { z } from 'zod';
import type { JobRow, JobStep } from '../../../db/models/job.js';
import { EXPECTED_WEB_ADDRESS, isWebAddress, MAX_WEB_ADDRESS_CHARACTERS } from '../kernel/web-address.js';
import { approvalOption } from './approval.js';

/** How messages name the rows of a job's input: by SKU, attribute name or place of a category; null: no input rows. */
type RowNaming = 'sku' | 'name' | 'place' | null;

/** What the result of a job shows: the outcome of each row for one type of catalog record, or the file written. */
type ResultShape = 'items' | 'attributes' | 'categories' | 'file';

/**
 * How jobs of a type use the definitions of their site. `kept`: they use a snapshot taken when they begin; `present`:
 * they use the current ones; `changed`: they change them, and record follow-up jobs in their transaction, which are
 * placed when the job has ended.
 */
type DefinitionsUse = 'kept' | 'present' | 'changed' | 'none';

/** Status messages of a job of a single step that is ended from outside. */
interface OneStepMessages {
  /** All attempts failed by an internal error. */
  readonly failed: string;
  /** It was cancelled while it ran. @param processed the job's processed_count by then */
  readonly cancelled: (processed: number) => string;
  /** Present if such a job is not repeated as it was: what to do instead. */
  readonly notRepeated?: string;
}

/** The facts about a job type that all code may read. */
interface JobFacts<Kind extends string = string> {
  /** Its name in the column `kind`; clients know the names in `names`. */
  readonly kind: Kind;
  /** The steps of its jobs, in order. Jobs that begin with `plan` have a position in the ordering queue of a site. */
  readonly steps: readonly [JobStep, ...JobStep[]];
  /** Present for jobs of a single step. Absent: rows are applied in chunks, and the `finish` step ends a begun job. */
  readonly oneStep?: OneStepMessages;
  /** The most jobs of one site that run at once, for types without a position in the ordering queue. */
  readonly siteWindow?: number;
  /** The same of one account, whatever its stages are. */
  readonly accountWindow?: number;
  readonly definitions: DefinitionsUse;
  readonly rowNaming: RowNaming;
  readonly result: ResultShape;
}

/** A job whose row was parsed. */
export interface LoadedJob<
  Kind extends string = string,
  Name extends string = string,
  Options = unknown,
  Plan = unknown,
> extends Omit<JobRow, 'kind' | 'type' | 'options' | 'plan'> {
  readonly kind: Kind;
  readonly type: Name;
  readonly options: Options;
  /** Null when the job is not planned yet, or jobs of its type have no plan. */
  readonly plan: Plan | null;
  readonly jobType: JobFacts<Kind>;
  /** All its chunks are applied in one transaction, or none is. False for rows of a request, which are one chunk. */
  readonly isAtomic: boolean;
  /** A dry run: none of its changes may stay. */
  readonly isDryRun: boolean;
}

/** A job type as a table of types contains it. */
interface JobType<Job extends LoadedJob = LoadedJob> extends JobFacts<Job['kind']> {
  /** @throws Error naming the job, when its options or its plan are not of this type */
  readonly parse: (row: JobRow) => Job;
  /** File store keys that jobs of this type may have written in addition to their recorded files. */
  readonly storedKeys: (row: Pick<JobRow, 'id' | 'plan'>) => readonly string[];
  /** The names of the type in the API. */
  readonly names: readonly string[];
}

/** Job types by their `kind`. */
export type JobTypes<Job extends LoadedJob = LoadedJob> = Readonly<Record<string, JobType<Job>>>;

/** The jobs of a table of types. */
export type JobOf<Types extends JobTypes> = ReturnType<Types[keyof Types]['parse']>;

/** What accepting a new job, and answering the client that waits for it, need from its type. */
export interface AcceptedType<Name extends string, Options> extends Pick<JobFacts, 'rowNaming' | 'result'> {
  readonly kind: string;
  /** The names of the type in the API. */
  readonly names: readonly Name[];
  readonly steps: readonly [JobStep, ...JobStep[]];
  /** Whether a job may run at the same time as other concurrent jobs of its site; if not, it runs exclusively. */
  readonly isConcurrent: (options: Options) => boolean;
  /** Whether a small request may be executed together with others of its site. */
  readonly mayBeBatched: (options: Options) => boolean;
  /** Whether the job of a file is atomic: either all its rows take effect or none. */
  readonly isAtomic: (options: Options) => boolean;
}

interface JobTypeSpec<Kind extends string, Name extends string, Options, Plan>
  extends Omit<JobFacts<Kind>, 'definitions'> {
  readonly names: readonly Name[];
  /** How to execute the job; stored with it. Releases may add fields but never remove one. */
  readonly options: z.ZodType<Options>;
  /** The result of its first step; null when jobs of the type have no plan. */
  readonly plan: z.ZodType<Plan>;
  readonly isConcurrent: (options: Options) => boolean;
  /** Default: never. */
  readonly isAtomic?: (options: Options) => boolean;
  /** Default: never. */
  readonly isDryRun?: (options: Options) => boolean;
  /** Default: none. */
  readonly storedKeys?: (id: string, plan: Plan | null) => readonly string[];
  /** Default: none. */
  readonly definitions?: DefinitionsUse;
  /** Default: never. */
  readonly mayBeBatched?: (options: Options) => boolean;
}

/** Both sides of a job type: it accepts new jobs, and parses their rows. */
type DefinedJobType<Kind extends string, Name extends string, Options, Plan> = JobType<
  LoadedJob<Kind, Name, Options, Plan>
> &
  AcceptedType<Name, Options>;

/** Options that any job may have. */
export const COMMON_OPTIONS = {
  approval: approvalOption.optional(),
  /** Called when the job has ended. */
  callbackUrl: z.string().optional(),
  /** The job that is repeated, or whose options were used where the announcement left them out. */
  retryOf: z.string().optional(),
} as const;

/** How a job repeats the rows of another one; see retryJob. */
export const retrySchema = z
  .object({
    /** Only rows are executed whose outcome in the job `of` was one of these letters. Absent: all rows. */
    only: z.string().optional(),
    of: z.string().optional(),
    /** A row fails if its record was changed since then. Absent: it is applied whatever happened. */
    since: z.string().optional(),
  })
  .readonly();

/** The address that is called when a job has ended. Its target is checked elsewhere, at acceptance and at each call. */
export const callbackUrlSchema = z
  .string()
  .max(MAX_WEB_ADDRESS_CHARACTERS)
  .refine(isWebAddress, EXPECTED_WEB_ADDRESS)
  .meta({
    description: "Called by POST when the job has ended, whatever its outcome; signed with your account's secret",
  });

/** The part of a plan that the chunk steps need: every type whose rows are applied in chunks includes it. */
export const CHUNK_PLAN = {
  /** Chunks have to be applied one after another, in order. */
  ordered: z.boolean(),
  /** The step between the last chunk and the end of a job that is not atomic; absent: none. */
  after: z.literal('apply-all').optional(),
  /** Rows that were deferred when the current pass began; absent in the first pass. */
  waiting: z.int().optional(),
  /** Warnings about the input as a whole, which hold whatever becomes of its rows. */
  warnings: z
    .array(
      z.object({
        code: z.string(),
        path: z.string().nullable(),
        count: z.int(),
        rows: z.string(),
        example: z.string(),
      }),
    )
    .readonly()
    .optional(),
} as const;

/** Defines a job type: everything about it that the job core reads. */
export function defineJobType<const Kind extends string, const Name extends string, Options, Plan>(
  spec: JobTypeSpec<Kind, Name, Options, Plan>,
): DefinedJobType<Kind, Name, Options, Plan> {
  const { options, plan, isAtomic = never, isDryRun = never, storedKeys = () => [], ...rest } = spec;
  const { kind, names, isConcurrent, mayBeBatched = never, ...others } = rest;
  const facts: JobFacts<Kind> = { definitions: 'none', ...others, kind };
  const parse = (row: JobRow): LoadedJob<Kind, Name, Options, Plan> => {
    const type = names.find((name) => name === row.type);
    if (row.kind !== kind || type === undefined) throw new Error(`${nameOf(row)} is not of the type ${kind}`);
    const parsed = parsedBy(options, row, 'options');
    return {
      ...row,
      kind,
      type,
      options: parsed,
      plan: parsedBy(plan.nullable(), row, 'plan'),
      jobType: facts,
      isAtomic: row.input_file_id !== null && isAtomic(parsed),
      isDryRun: isDryRun(parsed),
    };
  };
  return {
    ...facts,
    names,
    isConcurrent,
    mayBeBatched,
    isAtomic,
    parse,
    // A plan that cannot be parsed must not prevent the deletion of its job.
    storedKeys: (row) => storedKeys(row.id, plan.nullable().safeParse(row.plan).data ?? null),
  };
}

/**
 * The only way from a row to a job: all code that reads a job's options or plan gets them from here.
 * @throws Error naming the job, when its type is not in the table, or its options or plan do not match its type
 */
export function parseJob<Job extends LoadedJob>(types: JobTypes<Job>, row: JobRow): Job {
  return typeOf(types, row).parse(row);
}

/** @throws Error naming the job, when its type is not in the table */
export function typeOf<Job extends LoadedJob>(types: JobTypes<Job>, row: Pick<JobRow, 'id' | 'kind'>): JobType<Job> {
  const type = types[row.kind];
  if (type === undefined) throw new Error(`job ${row.id} has a type that is not known here: ${row.kind}`);
  return type;
}

function parsedBy<T>(
  schema: z.ZodType<T>,
  row: Pick<JobRow, 'id' | 'options' | 'plan'>,
  column: 'options' | 'plan',
): T {
  const { success, data, error } = schema.safeParse(row[column]);
  if (success) return data;
  throw new Error(`the ${column} of job ${row.id} cannot be read: ${z.prettifyError(error)}`);
}

function nameOf({ id, kind, type }: JobRow): string {
  return `job ${id} (${kind}, ${type})`;
}

function never(): boolean {
  return false;
}
