/** An embedded Postgres whose data are removed at the end. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LaunchError } from '../../../src/launcher/launch-error.js';
import { type EmbeddedPostgres, embedded, startServer } from '../../../src/launcher/postgres/start-server.js';
import { findServerUser, firstClosedFolder } from '../../../src/launcher/server-user.js';

/** Starts Postgres with temporary data that are removed at the end. */
export async function startThrowawayPostgres(options: { durable: boolean }): Promise<EmbeddedPostgres> {
  const dataDir = temporaryFolder();
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  try {
    const server = await startServer(dataDir, { ...options, dataDir, restart: false }, dataDir);
    return embedded(server, async () => {
      // The data are not needed any more, so the server need not write them first.
      await server.stop(0);
      remove();
    });
  } catch (error) {
    remove();
    throw error;
  }
}

/** Creates a temporary folder that the server's user can enter, even if it cannot enter TMPDIR. */
function temporaryFolder(): string {
  const user = findServerUser('/nonexistent');
  for (const parent of [tmpdir(), '/tmp', '/var/tmp']) {
    if (firstClosedFolder(user, parent) !== undefined) continue;
    const folder = mkdtempSync(join(parent, 'longshore-'));
    if (user.ids !== undefined) chmodSync(folder, 0o755);
    return folder;
  }
  throw new LaunchError(
    `${user.label} cannot enter any folder for temporary files: set TMPDIR to a folder that it can enter.`,
  );
}
