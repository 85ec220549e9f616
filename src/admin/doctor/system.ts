/** Examines the parts of the system that run: what readiness reports, and each with checks of its own. */
import { connectDb } from '../../../db/connection.js';
import { createReadiness } from '../../api/readiness.js';
import type { Config } from '../../config/config.js';
import { within } from '../../platform/concurrency/within.js';
import { createLogger } from '../../platform/logger.js';
import { openFileStore } from '../../platform/open-file-store.js';
import { openQueueConnection } from '../../platform/queue-connection.js';
import { createProducer } from '../../queues/producer.js';
import { examineJobs, examinePermissions, examineProcesses, examineSecrets } from './database-contents.js';
import { examineServer } from './database-server.js';
import { CHECK_MS, type Finding, messageOf } from './finding.js';
import { examineRedis } from './redis.js';

const CLOSE_MS = 1_000;

export async function examineSystem(config: Config, now: () => number): Promise<Finding[]> {
  const logger = createLogger('doctor', 'silent');
  const db = connectDb({ url: config.databaseUrl, poolMax: 2, name: 'longshore-doctor', acquireMs: CHECK_MS / 2 });
  const onConnect = async () => undefined;
  const queue = openQueueConnection({ ...config, role: 'producer', poolMax: 2, onConnect, logger });
  const producer = createProducer(queue, () => undefined);
  const fileStore = openFileStore(config.storage);
  const readiness = createReadiness({ config, db, logger, producer, fileStore });
  try {
    // The queue connects first; otherwise its part would fail only because it has just begun.
    await within(queue.ping(), CHECK_MS / 4);
    const { parts } = await readiness.report();
    const findings = Object.entries(parts).map(([part, { status, message, cure }]): Finding => {
      if (status === 'ok') return { check: part, status, found: 'works' };
      const isUnknown = message?.startsWith('not known') === true;
      const isWrong = !isUnknown && (status === 'down' || (part !== 'workers' && part !== 'steps'));
      return {
        check: part,
        status: isWrong ? 'wrong' : 'warning',
        found: message ?? status,
        ...(cure ? { cure } : {}),
      };
    });
    const more: (readonly [string, Promise<Finding[]>])[] = [['redis', examineRedis(config, now)]];
    if (parts.database?.status !== 'down') {
      more.push(['database settings', examineServer(config, db, now)], ['permissions', examinePermissions(config, db)]);
      if (parts.schema?.status === 'ok' && parts.database?.status === 'ok') {
        more.push(
          ['secrets', examineSecrets(config, db)],
          ['processes', examineProcesses(db)],
          ['jobs', examineJobs(db)],
        );
      }
    }
    return [...findings, ...(await Promise.all(more.map(([check, result]) => inTime(check, result)))).flat()];
  } finally {
    await within(readiness.close(), CLOSE_MS);
    await within(producer.close(), CLOSE_MS);
    await within(Promise.all([queue.close(), db.destroy()]), CLOSE_MS);
  }
}

/** A check that fails is a finding of its own. */
async function inTime(check: string, result: Promise<Finding[]>): Promise<Finding[]> {
  try {
    if (await within(result, CHECK_MS)) return await result;
    return [{ check, status: 'wrong', found: `no answer within ${CHECK_MS / 1000} s`, cure: 'see the other findings' }];
  } catch (error) {
    return [{ check, status: 'wrong', found: messageOf(error), cure: 'see the other findings' }];
  }
}
