/**
 * What a type of job is. A feature defines its types, each in one file; whoever serves several hands their table in.
 * The files of this folder ask the type, and know none by name.
 */
import { z } from 'zod';
import type { JobRow, JobStep } from '../../../db/models/job.js';

/** How messages name the rows of a job's input: by SKU, by an attribute's name, by a category's place; null: it has none. */
export type RowNaming = 'sku' | 'name' | 'place' | null;

/** What the result of a job shows: what became of each row, in the words of its catalog records, or the file written. */
export type ResultShape = 'items' | 'attributes' | 'categories' | 'file';

/**
 * What its jobs have to do with the definitions of their site. `kept`: they go by a snapshot, taken as they begin;
 * `present`: by those of the moment; `changed`: they change them, and record jobs within their transaction, which get
 * their places at its end.
 */
export type DefinitionsUse = 'kept' | 'present' | 'changed' | 'none';

/** What clients read of a job of a single step when it ends otherwise than by its own work. */
interface OneStepMessages {
  /** It failed by our own fault, as often as it is tried. */
  readonly failed: string;
  /** It was cancelled while it ran. @param processed the job's processed_count by then */
  readonly cancelled: (processed: number) => string;
}

/** What everyone may ask a type of job. */
export interface JobFacts<Kind extends string = string> {
  /** As the column `kind` names it; clients know the names of `names`. */
  readonly kind: Kind;
  /** The steps that its jobs take, in order; those that begin with `plan` have a place in the order of their site. */
  readonly steps: readonly [JobStep, ...JobStep[]];
  /** Absent: its rows are applied in chunks, and it ends by its `finish` however it ends. */
  readonly oneStep?: OneStepMessages;
  /** Jobs of one site that run at once, where they have no place in its order. */
  readonly siteWindow?: number;
  readonly definitions: DefinitionsUse;
  /** Small requests of one site may be carried out together. */
  readonly mayBeBatched: boolean;
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
  /** Null: not planned yet, or its type makes no plan. */
  readonly plan: Plan | null;
  readonly jobType: JobFacts<Kind>;
  /** Its chunks are applied in one transaction: all take effect, or none. Rows of a request always are. */
  readonly isAtomic: boolean;
  /** Nothing of what it does may stay. */
  readonly isDryRun: boolean;
}

/** A type of job as a table of types holds it. */
export interface JobType<Job extends LoadedJob = LoadedJob> extends JobFacts<Job['kind']> {
  /** @throws Error naming the job, when its options or its plan are not of this type */
  readonly parse: (row: JobRow) => Job;
  /** Keys in the file store that jobs of this type may have left there besides their recorded files. */
  readonly storedKeys: (row: Pick<JobRow, 'id' | 'plan'>) => readonly string[];
}

/** Types of jobs by their `kind`. */
export type JobTypes<Job extends LoadedJob = LoadedJob> = Readonly<Record<string, JobType<Job>>>;

/** The jobs of a table of types. */
export type JobOf<Types extends JobTypes> = ReturnType<Types[keyof Types]['parse']>;

/** What of a type its new jobs are made by. */
export interface AcceptedType<Name extends string, Options> {
  readonly kind: string;
  /** The names by which clients know its jobs. */
  readonly names: readonly Name[];
  readonly steps: readonly [JobStep, ...JobStep[]];
  /** Whether a job may run beside others of its site that may as well; all others run alone. */
  readonly isConcurrent: (options: Options) => boolean;
  /** Whether a job of a file takes effect as a whole or not at all. */
  readonly isAtomic: (options: Options) => boolean;
}

interface JobTypeSpec<Kind extends string, Name extends string, Options, Plan>
  extends Omit<JobFacts<Kind>, 'definitions' | 'mayBeBatched'> {
  readonly names: readonly Name[];
  /** How the job is to be carried out; kept with it. Releases add fields and take none away. */
  readonly options: z.ZodType<Options>;
  /** What its first step found out; null: its type makes no plan. */
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
  /** Default: false. */
  readonly mayBeBatched?: boolean;
}

/** Both sides of a type: new jobs are made by it, and rows parsed. */
type DefinedJobType<Kind extends string, Name extends string, Options, Plan> = JobType<
  LoadedJob<Kind, Name, Options, Plan>
> &
  AcceptedType<Name, Options>;

/** Options that any job may have. */
export const COMMON_OPTIONS = {
  /** Called when the job has ended. */
  callbackUrl: z.string().optional(),
} as const;

/** What of a plan the steps of chunks need: part of the plan of every type whose rows are applied in chunks. */
export const CHUNK_PLAN = {
  /** Chunks have to be applied one after another, in order. */
  ordered: z.boolean(),
  /** Rows that waited when the present wave began; absent in the first. */
  waiting: z.int().optional(),
} as const;

/** Ties a type together: everything about it that the job core asks. */
export function defineJobType<const Kind extends string, const Name extends string, Options, Plan>(
  spec: JobTypeSpec<Kind, Name, Options, Plan>,
): DefinedJobType<Kind, Name, Options, Plan> {
  const { options, plan, isAtomic = never, isDryRun = never, storedKeys = () => [], ...rest } = spec;
  const { kind, names, isConcurrent, ...others } = rest;
  const facts: JobFacts<Kind> = { definitions: 'none', mayBeBatched: false, ...others, kind };
  const parse = (row: JobRow): LoadedJob<Kind, Name, Options, Plan> => {
    const type = names.find((name) => name === row.type);
    if (row.kind !== kind || type === undefined) throw new Error(`${nameOf(row)} is no ${kind} job`);
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
    isAtomic,
    parse,
    // A plan that cannot be read is no reason to keep its job for ever.
    storedKeys: (row) => storedKeys(row.id, plan.nullable().safeParse(row.plan).data ?? null),
  };
}

/**
 * The one way from a row to a job: everything that reads a job's options or plan has it from here.
 * @throws Error naming the job, when it is of no type of the table, or its options or plan are not its type's
 */
export function parseJob<Job extends LoadedJob>(types: JobTypes<Job>, row: JobRow): Job {
  return typeOf(types, row).parse(row);
}

/** @throws Error naming the job, when it is of no type of the table */
export function typeOf<Job extends LoadedJob>(types: JobTypes<Job>, row: Pick<JobRow, 'id' | 'kind'>): JobType<Job> {
  const type = types[row.kind];
  if (type === undefined) throw new Error(`job ${row.id} is of a type that is not known here: ${row.kind}`);
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
