/**
 * Keeps which columns of a site's files have values that could be read in two ways. A later import of such a column warns
 * of them although it does not read unchanged rows again.
 */
import type { Db } from '../../../../db/connection.js';
import type { ErrorSummaryLine } from '../../../../db/models/job.js';
import { attributeKey } from '../../kernel/attribute-key.js';

const CODES = ['NUMBER_AMBIGUOUS', 'DATE_AMBIGUOUS'];

interface FileOfItems {
  readonly site: number;
  readonly version: number;
  /** The names of the columns; null for JSON. */
  readonly header: readonly string[] | null;
  readonly separator: string | null;
  readonly format: string | null;
  readonly dry: boolean;
}

interface KeptDoubt {
  readonly name: string;
  readonly code: string;
  readonly version: number;
  readonly warning: ErrorSummaryLine;
  readonly job_id: string;
  /** Whether a refused number with the other separator has cast it: then no number of the column settles it. */
  readonly contrary: boolean;
}

/**
 * Adds what earlier jobs have found out about the columns of the job's file, and keeps what this one has. The job ends in
 * the same transaction.
 * @param decided the columns in which a number tells how the others are meant
 * @param contrary whether a refused number of the job has the other separator, which casts doubt on decided columns, too
 * @param unchanged how many rows are as an earlier job has applied them
 */
export async function withKeptDoubts(
  db: Db,
  jobId: string,
  warnings: readonly ErrorSummaryLine[],
  {
    decided,
    contrary,
    unchanged,
  }: { readonly decided: ReadonlySet<string>; readonly contrary: boolean; readonly unchanged: number },
): Promise<readonly ErrorSummaryLine[]> {
  const file = await fileOf(db, jobId);
  if (file === undefined || file.header === null) return warnings;
  const own = warnings.filter(({ code }) => CODES.includes(code));
  const found = own.flatMap((warning) => {
    return warning.path === null ? [] : [{ name: attributeKey(warning.path), code: warning.code, warning, contrary }];
  });
  const columns = new Set(file.header.map(attributeKey));
  const decidedNames = new Set([...decided].map(attributeKey));
  const kept: KeptDoubt[] = await db('column_doubt')
    .where({ site_id: file.site })
    .select('name', 'code', 'version', 'warning', 'job_id', 'contrary');
  const doubts = kept.filter(({ name, code }) => {
    return columns.has(name) && !found.some((own) => own.name === name && own.code === code);
  });
  const isSettled = ({ name, code, version, contrary }: KeptDoubt) =>
    code === 'DATE_AMBIGUOUS'
      ? file.format !== null || version !== file.version
      : file.separator !== null || (!contrary && unchanged > 0 && decidedNames.has(name));
  if (!file.dry) {
    await forget(db, file.site, doubts.filter(isSettled));
    await keep(db, jobId, file, found);
  }
  if (unchanged === 0) return warnings;
  const open = doubts.filter((doubt) => !isSettled(doubt));
  return [
    ...warnings,
    ...open.map(({ warning, job_id }) => ({ ...warning, rows: 'unchanged', example: said(warning, job_id) })),
  ];
}

function said({ example, rows }: ErrorSummaryLine, jobId: string): string {
  return `job ${jobId} has warned of it in its rows ${rows}, and unchanged rows may hold it still: ${example}`;
}

async function fileOf(db: Db, jobId: string): Promise<FileOfItems | undefined> {
  const result = await db.raw<{ rows: FileOfItems[] }>(
    `SELECT site_id AS site, coalesce(definitions_version, 0) AS version, coalesce(plan->'sourceNames', plan->'headerCells') AS header,
       options->>'decimalSeparator' AS separator, options->>'dateFormat' AS format,
       coalesce((options->>'validateOnly')::boolean, false) AS dry
     FROM job WHERE id = ? AND type IN ('ITEM_IMPORT', 'BUNDLE_IMPORT')`,
    [jobId],
  );
  const [file] = result.rows;
  return file === undefined || Array.isArray(file.header) ? file : { ...file, header: null };
}

async function forget(db: Db, siteId: number, doubts: readonly KeptDoubt[]): Promise<void> {
  for (const { name, code } of doubts) await db('column_doubt').where({ site_id: siteId, name, code }).delete();
}

/** In the order of their names, so that two jobs do not wait for each other. */
async function keep(
  db: Db,
  jobId: string,
  { site, version }: FileOfItems,
  found: readonly Pick<KeptDoubt, 'name' | 'code' | 'warning' | 'contrary'>[],
): Promise<void> {
  const sorted = [...found].sort((a, b) => (`${a.name} ${a.code}` < `${b.name} ${b.code}` ? -1 : 1));
  for (const { name, code, warning, contrary } of sorted) {
    // Rows on which an earlier job's refused number casts doubt may still be unchanged.
    await db('column_doubt')
      .insert({ site_id: site, name, code, version, warning: JSON.stringify(warning), job_id: jobId, contrary })
      .onConflict(['site_id', 'name', 'code'])
      .merge({
        ...{ version, warning: JSON.stringify(warning), job_id: jobId },
        contrary: db.raw('column_doubt.contrary OR excluded.contrary'),
      });
  }
}
