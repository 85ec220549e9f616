/** Examines what the database contains: privileges, sealed secrets, heartbeats of processes, and jobs. */
import type { Db } from '../../../db/connection.js';
import { seenProcesses } from '../../../db/heartbeats.js';
import { unknownMigrations } from '../../../db/migrate.js';
import { isBefore, oldestRelease } from '../../../db/oldest-release.js';
import type { Config } from '../../config/config.js';
import { isSealedWithNewest } from '../../domain/access/sealed-secret.js';
import { allUnreferredJobs } from '../../domain/jobs/reconcile/unreferred-jobs.js';
import { VERSION } from '../../platform/version.js';
import { SEALED_COLUMNS } from '../sealed-columns.js';
import { CHECK_MS, type Finding } from './finding.js';

export async function examinePermissions(config: Config, db: Db): Promise<Finding[]> {
  const schemas = ['public', ...(config.redisUrl === undefined ? [config.queuePrefix] : [])];
  const { rows } = await db.raw<{ rows: { name: string; missing: string }[] }>(
    `SELECT relation.name, string_agg(privilege, ', ' ORDER BY privilege) AS missing
     FROM (SELECT c.oid, format('%I.%I', n.nspname, c.relname) AS name, c.relkind FROM pg_class AS c
           JOIN pg_namespace AS n ON n.oid = c.relnamespace
           WHERE n.nspname = ANY(?) AND c.relkind IN ('r', 'p', 'S')) AS relation
     CROSS JOIN unnest(CASE relkind WHEN 'S' THEN ARRAY['USAGE'] ELSE ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE'] END)
       AS privilege
     WHERE NOT CASE relkind WHEN 'S' THEN has_sequence_privilege(oid, privilege) ELSE has_table_privilege(oid, privilege) END
     GROUP BY relation.name ORDER BY relation.name`,
    [schemas],
  );
  const check = 'permissions';
  if (rows.length === 0) return [{ check, status: 'ok', found: 'the role of DATABASE_URL may use all tables' }];
  const [first] = rows;
  const others = rows.length > 1 ? `, and privileges on ${rows.length - 1} more` : '';
  const found = `the role of DATABASE_URL lacks ${first?.missing} on ${first?.name}${others}`;
  return [
    {
      check,
      status: 'wrong',
      found,
      cure: 'let it own the tables, or GRANT it SELECT, INSERT, UPDATE, DELETE on them',
    },
  ];
}

export async function examineSecrets(config: Config, db: Db): Promise<Finding[]> {
  const all = SEALED_COLUMNS.map(({ table, column }) => `SELECT '${table}' AS of, ${column} AS sealed FROM ${table}`);
  // A sealed text says which key has sealed it.
  const { rows } = await db.raw<{ rows: { of: string; sealed: string; count: number }[] }>(
    `SELECT of, min(sealed) AS sealed, count(*)::integer AS count FROM (${all.join(' UNION ALL ')}) AS secret
     WHERE sealed IS NOT NULL GROUP BY of, split_part(sealed, '.', 2) ORDER BY of`,
  );
  const unopened = rows.filter(({ sealed }) => !config.secretsKeys.some((key) => isSealedWithNewest([key], sealed)));
  const check = 'secrets';
  if (unopened.length === 0) return [{ check, status: 'ok', found: 'SECRETS_KEY opens all stored secrets' }];
  const found = `SECRETS_KEY does not open stored secrets: ${unopened.map(({ of, count }) => `${count} of ${of}`).join(', ')}`;
  const forgotten = unopened.some(({ of }) => of === 'surrounding_change')
    ? '; those of surrounding_change, with which deleted definitions can be taken back, go with the change log'
    : '';
  const cure = `add the key that encrypted them to the list in SECRETS_KEY; if it is lost, they have to be set again${forgotten}`;
  return [{ check, status: 'wrong', found, cure }];
}

export async function examineProcesses(db: Db): Promise<Finding[]> {
  const [newer, processes, oldest] = await Promise.all([unknownMigrations(db), seenProcesses(db), oldestRelease(db)]);
  const findings: Finding[] = [];
  const isTooOld = (version: string) => oldest !== null && isBefore(version, oldest.version);
  const refused = processes.filter(({ isLiving, version }) => isLiving && isTooOld(version));
  if (refused.length > 0) {
    const are = refused.length === 1 ? '1 process is' : `${refused.length} processes are`;
    findings.push({
      check: 'processes',
      status: 'wrong',
      found: `${are} of a release older than the database allows (${refused[0]?.version} on ${refused[0]?.host})`,
      cure: `replace what runs it by release ${oldest?.version} or a newer one`,
    });
  }
  if (newer.length > 0) {
    const found = `the database has ${newer.length} migrations of a newer release, such as ${newer[0]}`;
    findings.push({
      check: 'processes',
      status: 'warning',
      found,
      cure: 'finish the upgrade: replace the processes of the old release',
    });
  }
  const others = processes.filter(({ isLiving, version }) => isLiving && version !== VERSION && !isTooOld(version));
  if (others.length > 0) {
    const run = others.length === 1 ? '1 process runs' : `${others.length} processes run`;
    const found = `${run} another release than this one (${others[0]?.version} on ${others[0]?.host})`;
    findings.push({
      check: 'processes',
      status: 'warning',
      found,
      cure: 'finish the upgrade: restart them from the same build',
    });
  }
  if (findings.length > 0) return findings;
  const living = processes.filter(
    ({ isLiving, groups, pid }) => isLiving && !(groups === 'web' && pid === process.pid),
  );
  return [{ check: 'processes', status: 'ok', found: `${living.length} live, all of this release` }];
}

/** Jobs that changed in so short a time may be about to get what they lack. */
const JOB_GRACE_MS = 15_000;
const NAMED_JOBS = 5;

/** Looks at as many jobs as there is time for, the newest first. */
export async function examineJobs(db: Db): Promise<Finding[]> {
  const check = 'jobs';
  const endsBy = performance.now() + CHECK_MS / 2;
  const ids: string[] = [];
  let isComplete = true;
  for await (const page of allUnreferredJobs(db, JOB_GRACE_MS)) {
    for (const { id } of page) ids.push(id);
    isComplete = performance.now() < endsBy;
    if (!isComplete) break;
  }
  if (ids.length === 0) {
    const which = isComplete ? 'every job' : 'each of the newest jobs';
    return [{ check, status: 'ok', found: `something refers to ${which} that has not ended` }];
  }
  const named = ids.slice(0, NAMED_JOBS).join(', ');
  const found = `nothing refers to ${ids.length === 1 ? '1 job that has' : `${ids.length} jobs that have`} not ended: ${named}${ids.length > NAMED_JOBS ? ' and others' : ''}`;
  const cure =
    'stop processes of an older release, and let a maintenance process of this one run, which repairs most such jobs within minutes; cancel those that are left, and send them again';
  return [{ check, status: 'wrong', found, cure }];
}
