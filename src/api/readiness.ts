/** Checks whether the database, the queue and the file store answer, each within a time limit. */
import type { ApiServices } from './services.js';

type PartStatus = 'ok' | 'degraded' | 'down';

interface Part {
  readonly status: PartStatus;
  readonly message?: string | undefined;
}

interface Readiness {
  /** `degraded`: usable, although a part does not work well. `down`: requests would fail. */
  readonly status: PartStatus;
  readonly parts: { readonly database: Part; readonly queue: Part; readonly storage: Part };
}

const PART_LIMIT_MS = 2_000;
/** The endpoint is public, so requests within this time share one check. */
const SHARED_FOR_MS = 1_000;

const answers = new WeakMap<ApiServices, { at: number; answer: Promise<Readiness> }>();

/** The readiness of the process, which is at most a second old. */
export function readinessOf(services: ApiServices, now: number = Date.now()): Promise<Readiness> {
  const known = answers.get(services);
  if (known !== undefined && now - known.at < SHARED_FOR_MS) return known.answer;
  const answer = checkParts(services);
  answers.set(services, { at: now, answer });
  return answer;
}

async function checkParts(services: ApiServices): Promise<Readiness> {
  const [database, queue, storage] = await Promise.all([
    probe('database', services, () => services.db.raw('SELECT 1')),
    probe('queue', services, () => services.producer.ping()),
    probe('storage', services, () => services.fileStore.ping()),
  ]);
  const parts = {
    database: database.status === 'down' && poolIsBusy(services) ? BUSY_POOL : database,
    // Work is accepted without the queue: it is committed, and the reconciler enqueues it when the queue is back.
    queue: queue.status === 'down' ? { ...queue, status: 'degraded' as const } : queue,
    storage,
  };
  const all = Object.values(parts).map((part) => part.status);
  return { status: all.includes('down') ? 'down' : all.includes('degraded') ? 'degraded' : 'ok', parts };
}

async function probe(name: string, { logger }: ApiServices, question: () => PromiseLike<unknown>): Promise<Part> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${PART_LIMIT_MS} ms`)), PART_LIMIT_MS);
  });
  try {
    await Promise.race([Promise.resolve().then(question), limit]);
    return { status: 'ok' };
  } catch (error) {
    logger.warn({ err: error, part: name }, 'a part of the system does not answer');
    return { status: 'down', message: `the ${name} does not answer` };
  } finally {
    clearTimeout(timer);
  }
}

const BUSY_POOL: Part = { status: 'degraded', message: 'all connections to the database are in use' };

/** Whether requests use every connection. Then the database works, and only this check had to wait. */
function poolIsBusy({ db, config }: ApiServices): boolean {
  const pool: unknown = db.client.pool;
  if (typeof pool !== 'object' || pool === null || !('numUsed' in pool)) return false;
  const { numUsed } = pool;
  return typeof numUsed === 'function' && Number(numUsed.call(pool)) >= config.databasePoolMax;
}
