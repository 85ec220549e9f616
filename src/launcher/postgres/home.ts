/** Where the embedded Postgres stores its data: under DATA_DIR, or in a shared folder if its user cannot enter that. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LaunchError } from '../launch-error.js';
import { firstClosedFolder, type ServerUser } from '../server-user.js';
import { sharedFolder } from './binaries.js';
import { readPostgresState } from './state.js';

interface PostgresPlace {
  /** The real path of DATA_DIR. */
  readonly dataDir: string;
  /** False: DATA_DIR was set, so the data must be there. */
  readonly mayMove: boolean;
  readonly say: (line: string) => void;
}

/** The folder of an existing cluster, or DATA_DIR. It must be known before the user of the server is chosen. */
export function knownHome(dataDir: string): string {
  const recorded = readPostgresState(dataDir)?.home;
  return recorded !== undefined && existsSync(recorded) && isHomeOf(dataDir, recorded) ? recorded : dataDir;
}

/**
 * The folder for the cluster.
 * @throws LaunchError that names the folder that the server's user cannot enter
 */
export function findPostgresHome({ dataDir, mayMove, say }: PostgresPlace, user: ServerUser): string {
  const known = knownHome(dataDir);
  const closed = firstClosedFolder(user, known);
  if (closed === undefined) {
    if (known !== dataDir) writeFileSync(originFile(known), dataDir);
    return known;
  }
  if (!mayMove || existsSync(join(known, 'postgres'))) {
    throw new LaunchError(
      `Postgres refuses to run as root and runs as ${user.label}, who cannot enter ${closed}: allow it with "chmod o+x ${closed}", or set DATA_DIR to a folder outside of it.`,
    );
  }
  const home = mkdtempSync(join(sharedFolder(user), 'data-'));
  chmodSync(home, 0o755);
  writeFileSync(originFile(home), dataDir);
  say(`the database is kept in ${home}: Postgres runs as ${user.label}, who cannot enter ${closed}`);
  return home;
}

/** Whether the data belong to this DATA_DIR: a copied DATA_DIR must not use the original's data, a moved one may. */
function isHomeOf(dataDir: string, home: string): boolean {
  const origin = existsSync(originFile(home)) ? readFileSync(originFile(home), 'utf8') : dataDir;
  return origin === dataDir || readPostgresState(origin)?.home !== home;
}

function originFile(home: string): string {
  return join(home, 'data-dir');
}
