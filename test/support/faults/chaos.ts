/** Random misfortune for workers: transactions that fail, deadlock or lose their connection, messages lost and doubled. */
import { connectDb, type Db } from '../../../db/connection.js';
import { redispatchLost } from '../../../src/domain/jobs/reconcile/lost/lost-steps.js';
import { applyAtomicJob } from '../../../src/queues/contracts/apply-atomic-job.js';
import { applyChunk } from '../../../src/queues/contracts/apply-chunk.js';
import { finishJob } from '../../../src/queues/contracts/finish-job.js';
import type { QueueContract } from '../../../src/queues/define-queue.js';
import type { JobOutboxEntry } from '../../../src/queues/outbox.js';
import type { Producer } from '../../../src/queues/producer.js';
import type { WorkerServices } from '../../../src/workers/context.js';

/** Only the connections of this name meet with misfortune. */
const UNLUCKY = 'longshore-unlucky';

/** Each write of a job, a chunk or an item: before it counts, and again at the commit. */
const RISK = 0.04;

/** Teaches a database misfortune. */
export async function installChaos(db: Db): Promise<void> {
  await db.raw(`
    CREATE SEQUENCE chaos_seq;
    CREATE FUNCTION chaos() RETURNS trigger LANGUAGE plpgsql AS $chaos$
    DECLARE luck double precision := random();
    BEGIN
      IF current_setting('application_name') <> '${UNLUCKY}' OR luck > ${RISK} THEN RETURN NEW; END IF;
      PERFORM nextval('chaos_seq');
      IF luck < ${RISK * 0.4} THEN RAISE EXCEPTION 'chaos' USING ERRCODE = 'XX000'; END IF;
      IF luck < ${RISK * 0.7} THEN RAISE EXCEPTION 'chaos' USING ERRCODE = '40P01'; END IF;
      PERFORM pg_terminate_backend(pg_backend_pid());
      RETURN NEW;
    END $chaos$;
    CREATE TRIGGER chaos BEFORE UPDATE ON job FOR EACH ROW EXECUTE FUNCTION chaos();
    CREATE TRIGGER chaos BEFORE UPDATE ON job_chunk FOR EACH ROW WHEN (NEW.status = 'done') EXECUTE FUNCTION chaos();
    CREATE TRIGGER chaos BEFORE INSERT OR UPDATE ON item FOR EACH STATEMENT EXECUTE FUNCTION chaos();
    CREATE CONSTRAINT TRIGGER chaos_at_commit AFTER UPDATE ON job DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION chaos();
    CREATE CONSTRAINT TRIGGER chaos_at_commit AFTER UPDATE ON job_chunk DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW WHEN (NEW.status = 'done') EXECUTE FUNCTION chaos();
  `);
}

/** How often misfortune has struck. */
export async function countChaos(db: Db): Promise<number> {
  const { strikes } = await db('chaos_seq').first(db.raw('CASE WHEN is_called THEN last_value ELSE 0 END AS strikes'));
  return strikes;
}

export interface UnluckyServices {
  readonly services: Pick<WorkerServices, 'db' | 'producer'>;
  close(): Promise<void>;
}

/** What unlucky workers are given in place of their database and their producer. */
export function unlucky({ config, producer }: WorkerServices, random: () => number): UnluckyServices {
  const db = connectDb({ url: config.databaseUrl, poolMax: 40, name: UNLUCKY });
  return { services: { db, producer: careless(producer, db, random) }, close: () => db.destroy() };
}

/** Loses one message in ten, and has another of ten dispatched anew while the first is still on its way. */
function careless(producer: Producer, db: Db, random: () => number): Producer {
  const enqueueMany: Producer['enqueueMany'] = async (contract, payloads, delayMs) => {
    for (const payload of payloads) {
      const luck = random();
      if (luck < 0.1) continue;
      await producer.enqueueMany(contract, [payload], delayMs);
      if (luck > 0.9) await again(contract, payload);
    }
  };
  const again = async <Payload>(contract: QueueContract<Payload>, payload: Payload): Promise<void> => {
    const entry = await redispatchLost(db, { queue: queueOf(contract.name), payload } as JobOutboxEntry).catch(
      () => null,
    );
    if (entry !== null) await producer.enqueueMany(contract, [entry.payload as Payload]);
  };
  return { ...producer, enqueueMany, enqueue: (contract, payload) => enqueueMany(contract, [payload]) };
}

function queueOf(name: string): JobOutboxEntry['queue'] {
  if (name === applyChunk.name) return 'apply';
  if (name === applyAtomicJob.name) return 'apply-all';
  return name === finishJob.name ? 'finish' : 'plan';
}
