/**
 * What imports of archives have changed around the catalog without keeping what was before, as releases did that had no table for
 * it: their revert leaves that.
 */
import type { Knex } from 'knex';
import type { ErrorSummaryLine } from '../../../../db/models/job.js';
import type { SurroundingKind } from '../../changes/model/surrounding-image.js';
import { surroundingChangesBy } from '../../changes/surrounding-changes.js';
import { type ArchiveReport, archiveReport } from '../../job-model/archive-report.js';
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
  const kept = new Set((await surroundingChangesBy(trx, jobIds)).map(({ jobId, kind }) => `${jobId} ${kind}`));
  return rows.flatMap(({ id, archive }) =>
    partsOf(archiveReport.parse(archive)).flatMap(({ path, kind, count, what }) => {
      if (kept.has(`${id} ${kind}`)) return [];
      const example = `job ${id} has ${what}, of which nothing was kept, so that no revert takes it back`;
      return [{ code: CODE, path, count, rows: '', example }];
    }),
  );
}

interface Part {
  readonly path: keyof ArchiveReport;
  readonly kind: SurroundingKind;
  readonly count: number;
  readonly what: string;
}

function partsOf({ profiles, webhooks, settings }: ArchiveReport): Part[] {
  const parts = [
    {
      path: 'profiles',
      kind: 'profile',
      noun: 'import profile',
      cure: 'delete them, or save their former versions again',
      ...profiles,
    },
    {
      path: 'webhooks',
      kind: 'webhook',
      noun: 'webhook definition',
      cure: 'delete the new ones, which are disabled, or change them back',
      ...webhooks,
    },
  ] as const;
  return [
    ...parts.flatMap(({ path, kind, noun, cure, created, updated }): Part[] => {
      const done = [
        ...(created > 0 ? [`created ${counted(created, noun)}`] : []),
        ...(updated > 0 ? [`changed ${counted(updated, noun)}`] : []),
      ];
      return done.length === 0
        ? []
        : [{ path, kind, count: created + updated, what: `${done.join(' and ')} (${cure})` }];
    }),
    ...(settings === 'CHANGED'
      ? [
          {
            path: 'settings',
            kind: 'settings',
            count: 1,
            what: 'changed the settings of the stage (set them again as they were)',
          } as const,
        ]
      : []),
  ];
}
