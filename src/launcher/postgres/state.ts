/** The state of an embedded Postgres between two starts: `$DATA_DIR/postgres.json`, mode 600. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readPrivateJson, writePrivateJson } from '../private-json.js';

interface PostgresState {
  readonly password: string;
  /** The port of the last start, which is used again if it is free. */
  readonly port?: number | undefined;
  /** The folder of the data, if it is not under DATA_DIR. */
  readonly home?: string | undefined;
}

/** The state; undefined at the first start, and when the file was lost. */
export function readPostgresState(dataDir: string): PostgresState | undefined {
  const { password, port, home } = readPrivateJson(stateFile(dataDir)) ?? {};
  if (typeof password !== 'string') return undefined;
  return {
    password,
    port: typeof port === 'number' ? port : undefined,
    home: typeof home === 'string' ? home : undefined,
  };
}

export function writePostgresState(dataDir: string, state: PostgresState): void {
  writePrivateJson(stateFile(dataDir), state);
}

export function newPassword(): string {
  return randomBytes(24).toString('hex');
}

function stateFile(dataDir: string): string {
  return join(dataDir, 'postgres.json');
}
