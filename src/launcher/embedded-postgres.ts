/** An embedded Postgres, for installations without DATABASE_URL. Its data are under DATA_DIR, and it ends with us. */
import { lockDataDir, openDataDir } from './data-dir.js';
import { type EmbeddedPostgres, type EmbeddedPostgresOptions, embedded, startServer } from './postgres/start-server.js';

/**
 * Starts Postgres with the data under `dataDir`, which are created at the first start.
 * @throws LaunchError with a sentence for the person, when it cannot be started
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = openDataDir(options.dataDir);
  const lock = lockDataDir(dataDir, 'postgres.lock');
  try {
    const server = await startServer(dataDir, options, undefined);
    return embedded(server, async (withinMs) => {
      await server.stop(withinMs);
      lock.release();
    });
  } catch (error) {
    lock.release();
    throw error;
  }
}
