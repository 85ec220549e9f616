/** A temporary folder that every user may enter, as a DATA_DIR's parent usually is. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface OpenFolder {
  readonly path: string;
  remove(): void;
}

export function makeOpenFolder(): OpenFolder {
  const path = mkdtempSync(join(tmpdir(), 'longshore-test-'));
  chmodSync(path, 0o755);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
