/** Installs the packages when they are missing or differ from package-lock.json. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export function installIsDue(root) {
  if (readIfThere(stampFile(root)) === fingerprint(root)) return false;
  // The packages may have been installed by npm itself: compare its own record.
  if (!installedAsLocked(root)) return true;
  writeFileSync(stampFile(root), fingerprint(root));
  return false;
}

export function install(root, { say, runQuietly }) {
  say('installing packages (npm ci)');
  const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund'];
  const npm = process.env.npm_execpath;
  if (npm?.endsWith('.js')) runQuietly('npm ci', process.execPath, [npm, ...args], { cwd: root });
  else runQuietly('npm ci', 'npm', args, { cwd: root });
  writeFileSync(stampFile(root), fingerprint(root));
}

function stampFile(root) {
  return join(root, 'node_modules', '.longshore-install');
}

/** The installed packages depend on the lock file and on the platform. */
function fingerprint(root) {
  const lock = readFileSync(join(root, 'package-lock.json'));
  return createHash('sha256').update(lock).update(`${process.platform}-${process.arch}`).digest('hex');
}

function installedAsLocked(root) {
  const installed = readIfThere(join(root, 'node_modules', '.package-lock.json'));
  if (installed === undefined) return false;
  const found = JSON.parse(installed).packages;
  const locked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  return (
    Object.entries(found).every(([path, { version }]) => locked[path]?.version === version) &&
    Object.entries(locked).every(([path, { optional, link }]) => {
      if (path === '' || link) return true;
      return found[path] !== undefined ? existsSync(join(root, path)) : optional === true;
    })
  );
}

function readIfThere(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
