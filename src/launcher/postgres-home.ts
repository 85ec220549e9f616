/** Where the embedded Postgres keeps its data: under DATA_DIR, or, when its user cannot get there, beside it in a shared folder. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LaunchError } from './launch-error.js';
import { sharedFolder } from './postgres-binaries.js';
import { readPostgresState } from './postgres-state.js';
import { firstClosedFolder, type ServerUser } from './server-user.js';

export interface PostgresPlace {
  /** The real path of DATA_DIR. */
  readonly dataDir: string;
  /** False: it was set by a person, who wants the data there and nowhere else. */
  readonly mayMove: boolean;
  readonly say: (line: string) => void;
}

/** The folder in which the cluster lies or lay, as far as is known before a user is chosen. */
export function knownHome(dataDir: string): string {
  const recorded = readPostgresState(dataDir)?.home;
  return recorded !== undefined && existsSync(recorded) && isHomeOf(dataDir, recorded) ? recorded : dataDir;
}

/**
 * The folder to keep the cluster in.
 * @throws LaunchError naming the folder that keeps the server's user out
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

/** A copied DATA_DIR must not share the original's data; a moved one takes its data along. */
function isHomeOf(dataDir: string, home: string): boolean {
  const origin = existsSync(originFile(home)) ? readFileSync(originFile(home), 'utf8') : dataDir;
  return origin === dataDir || readPostgresState(origin)?.home !== home;
}

function originFile(home: string): string {
  return join(home, 'data-dir');
}
