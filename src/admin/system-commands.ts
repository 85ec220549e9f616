/** The commands that look at or look after the whole system, and open what they need of it themselves. */
import { resolve } from 'node:path';
import { connectDb } from '../../db/connection.js';
import { seenProcesses } from '../../db/heartbeats.js';
import { JOB_STATUSES } from '../../db/models/job.js';
import { adminDataDir, loadAdminConfig, loadAdminDatabaseUrl } from '../config/admin-config.js';
import { requireAccount } from '../domain/access/accounts.js';
import { forgetCursors } from '../domain/changes/feed-cursor.js';
import { createLogger } from '../platform/logger.js';
import { openQueueConnection } from '../platform/queue-connection.js';
import { createProducer } from '../queues/producer.js';
import { backUp } from './backup.js';
import { type Answer, type Command, type OptionValues, textOf, UsageError } from './commands/command.js';
import { consoleLink } from './console-link.js';
import { examine } from './doctor.js';
import { recentJobs } from './recent-jobs.js';
import { restore } from './restore.js';

type Environment = Readonly<Record<string, string | undefined>>;

export interface SystemCommand {
  /** One word, unlike those of the other commands. */
  readonly name: string;
  readonly summary: string;
  readonly options: Command['options'];
  readonly argument?: string;
  /** @throws ConfigError with a sentence for the person */
  inSystem(environment: Environment, options: OptionValues, argument: string): Promise<SystemAnswer>;
}

interface SystemAnswer {
  readonly answer: Answer;
  /** Whether the command has found that something is wrong, so that it ends with 1. */
  readonly isWrong?: boolean;
}

const DEFAULT_JOBS = 20;
const MOST_JOBS = 1_000;

export const systemCommands: readonly SystemCommand[] = [
  {
    name: 'doctor',
    summary: 'Look for mistakes in settings, versions, schema, permissions, clocks, Redis, files and connections',
    options: {},
    inSystem: async (environment) => {
      const findings = await examine(environment);
      return { answer: findings, isWrong: findings.some(({ status }) => status === 'wrong') };
    },
  },
  {
    name: 'workers',
    summary: 'Show the processes of the last day: what each serves, where, since when, and whether it lives',
    options: {},
    inSystem: async (environment) => ({ answer: await withDb(environment, seenProcesses) }),
  },
  {
    name: 'queues',
    summary: 'Show how many jobs each queue has in each state',
    options: {},
    inSystem: async (environment) => ({ answer: await queueCounts(environment) }),
  },
  {
    name: 'jobs',
    summary: 'Show jobs of all accounts that have not ended, or those with a status; the oldest first',
    options: {
      account: { description: 'only those of this account' },
      status: { description: 'only those with this status: FAILED, COMPLETED; the newest first' },
      limit: { description: `how many; default: ${DEFAULT_JOBS}, at most ${MOST_JOBS}` },
    },
    inSystem: async (environment, given) => {
      const { limit = String(DEFAULT_JOBS) } = given;
      const most = Number(limit);
      if (!Number.isInteger(most) || most < 1 || most > MOST_JOBS) {
        throw new UsageError(`--limit must be a whole number up to ${MOST_JOBS}, not "${limit}"`);
      }
      const status = textOf(given, 'status')?.toUpperCase();
      if (status !== undefined && !(JOB_STATUSES as readonly string[]).includes(status)) {
        throw new UsageError(`--status must be one of ${JOB_STATUSES.join(', ')}, not "${status}"`);
      }
      const accountId = textOf(given, 'account');
      return {
        answer: await withDb(environment, async (db) => {
          if (accountId !== undefined) await requireAccount(db, accountId);
          return recentJobs(db, { accountId, status, limit: most });
        }),
      };
    },
  },
  {
    name: 'backup',
    summary: 'Write the database and the files to an empty folder, in one consistent state, while the system works',
    argument: '<folder>',
    options: {},
    inSystem: async (environment, _options, folder) => ({
      answer: await backUp(loadAdminConfig(environment), resolve(folder)),
    }),
  },
  {
    name: 'restore',
    summary: 'Restore a backup into an empty database and file store; no other process may run meanwhile',
    argument: '<folder>',
    options: { replace: { description: 'delete what the database contains', flag: true } },
    inSystem: async (environment, { replace }, folder) => ({
      answer: await restore(
        { environment, dataDir: adminDataDir(environment) },
        { folder: resolve(folder), replaces: replace === true },
      ),
    }),
  },
  {
    name: 'console-link',
    summary: 'Print a link that logs in to the console once, within 15 minutes',
    options: {
      account: { description: 'the account to log in to', required: true },
      token: { description: 'the id of the token to log in as; default: one named "console", with all scopes' },
    },
    inSystem: async (environment, options) => ({ answer: await consoleLink(environment, options) }),
  },
  {
    name: 'forget-cursors',
    summary: 'Make all cursors of the feed of changes invalid: after a copy of the disk of the database was put back',
    options: {},
    inSystem: async (environment) => {
      await withDb(environment, forgetCursors);
      return { answer: { forgotten: true } };
    },
  },
];

async function withDb<T>(environment: Environment, read: (db: ReturnType<typeof connectDb>) => Promise<T>): Promise<T> {
  const db = connectDb({ url: loadAdminDatabaseUrl(environment), poolMax: 1, name: 'longshore-admin' });
  try {
    return await read(db);
  } finally {
    await db.destroy();
  }
}

const STATES = ['waiting', 'active', 'delayed', 'failed'] as const;

async function queueCounts(environment: Environment): Promise<object[]> {
  const config = loadAdminConfig(environment);
  const logger = createLogger('admin', 'silent');
  const onConnect = async () => undefined;
  const connection = openQueueConnection({ ...config, role: 'worker', poolMax: 2, onConnect, logger });
  const producer = createProducer(connection, () => undefined);
  try {
    await producer.ping();
    const [waits, all] = [await producer.waits(), producer.queues()];
    const counted = all.map(async (queue) => ({ queue: queue.name, ...(await queue.getJobCounts(...STATES)) }));
    const oldest = [...waits].map(([group, ms]) => ({ group, 'oldest due step, s': Math.round(ms / 1000) }));
    return [...(await Promise.all(counted)), ...oldest];
  } finally {
    await producer.close();
    await connection.close();
  }
}
