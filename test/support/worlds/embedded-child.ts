/** A process that does nothing but run an embedded Postgres, for tests that kill one. Arguments: DATA_DIR, and `move` or nothing. */
import { startEmbeddedPostgres } from '../../../src/launcher/embedded-postgres.js';
import { LaunchError } from '../../../src/launcher/launch-error.js';

const [dataDir = '', move] = process.argv.slice(2);

function tell(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

try {
  const say = (line: string) => tell({ said: line });
  const postgres = await startEmbeddedPostgres({ dataDir, mayMove: move === 'move', say });
  process.once('SIGTERM', () => void postgres.stop());
  tell({ url: postgres.databaseUrl('postgres'), pid: postgres.process.pid });
} catch (error) {
  if (!(error instanceof LaunchError)) throw error;
  tell({ refused: error.message });
}
