/** What imports of archives have changed that is not in the change log, and that their revert therefore leaves. */
import type { Knex } from 'knex';
import type { ErrorSummaryLine } from '../../../../db/models/job.js';
import { type ArchiveReport, archiveReport } from '../../jobs/model/archive-report.js';
import { counted } from '../../kernel/counted.js';
import type { WarningCode } from '../../kernel/row-problem.js';

const CODE: WarningCode = 'STAYS_AFTER_REVERT';

/** A warning for each part of a job that its revert leaves as the job has made it. */
export async function staysAfterRevert(trx: Knex, jobIds: readonly string[]): Promise<ErrorSummaryLine[]> {
  const rows: { id: string; archive: unknown }[] = await trx('job')
    .whereIn('id', [...jobIds])
    .whereRaw("options -> 'archive' IS NOT NULL")
    .orderBy('id')
    .select('id', trx.raw("options -> 'archive' AS archive"));
  return rows.flatMap(({ id, archive }) =>
    partsOf(archiveReport.parse(archive)).map(({ path, count, what }) => {
      const example = `job ${id} has ${what}, which no revert takes back`;
      return { code: CODE, path, count, rows: '', example };
    }),
  );
}

interface Part {
  readonly path: keyof ArchiveReport;
  readonly count: number;
  readonly what: string;
}

function partsOf({ profiles, webhooks, settings }: ArchiveReport): Part[] {
  const parts = [
    { path: 'profiles', noun: 'import profile', cure: 'delete them, or save their former versions again', ...profiles },
    {
      path: 'webhooks',
      noun: 'webhook definition',
      cure: 'delete the new ones, which are disabled, or change them back',
      ...webhooks,
    },
  ] as const;
  return [
    ...parts.flatMap(({ path, noun, cure, created, updated }): Part[] => {
      const done = [
        ...(created > 0 ? [`created ${counted(created, noun)}`] : []),
        ...(updated > 0 ? [`changed ${counted(updated, noun)}`] : []),
      ];
      return done.length === 0 ? [] : [{ path, count: created + updated, what: `${done.join(' and ')} (${cure})` }];
    }),
    ...(settings === 'CHANGED'
      ? [
          {
            path: 'settings',
            count: 1,
            what: 'changed the settings of the stage (set them again as they were)',
          } as const,
        ]
      : []),
  ];
}
