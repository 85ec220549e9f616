/** Installs the packages when they are missing or differ from package-lock.json. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export function installIsDue(root) {
  if (readIfThere(stampFile(root)) === fingerprint(root) && workspacesAreInstalled(root)) return false;
  // The packages may have been installed by npm itself: compare its own record.
  if (!installedAsLocked(root)) return true;
  writeFileSync(stampFile(root), fingerprint(root));
  return false;
}

export async function install(root, { say, runQuietly }) {
  say('installing packages (npm ci): the first time this takes a minute or two, and it may be stopped with Ctrl-C');
  const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund'];
  const npm = process.env.npm_execpath;
  const [program, ...first] = npm?.endsWith('.js') ? [process.execPath, npm] : ['npm'];
  const options = { cwd: root, progress: packageCount(root) };
  await runQuietly('Installing packages', program, [...first, ...args], options);
  writeFileSync(stampFile(root), fingerprint(root));
}

/** @returns a function that says how many of the packages of the lock file are there */
function packageCount(root) {
  const packages = lockedPackages(root);
  const paths = Object.entries(packages).flatMap(([path, { link, os, cpu }]) =>
    path !== '' && !link && fits(os, process.platform) && fits(cpu, process.arch) ? [path] : [],
  );
  return () => {
    const there = paths.filter((path) => existsSync(join(root, path, 'package.json'))).length;
    return `${there} of about ${paths.length} packages`;
  };
}

/** @param supported as in package.json: `["linux", "darwin"]`, or `["!win32"]` */
function fits(supported, own) {
  if (supported === undefined || supported.includes(own)) return true;
  return supported.every((name) => name.startsWith('!')) && !supported.includes(`!${own}`);
}

function stampFile(root) {
  return join(root, 'node_modules', '.longshore-install');
}

/** The installed packages depend on the lock file and on the platform. */
function fingerprint(root) {
  const lock = readFileSync(join(root, 'package-lock.json'));
  return createHash('sha256').update(lock).update(`${process.platform}-${process.arch}`).digest('hex');
}

/** The stamp goes with the root's own `node_modules`: those of the workspaces may be deleted without it. */
function workspacesAreInstalled(root) {
  return Object.entries(lockedPackages(root)).every(
    ([path, { optional }]) =>
      optional === true || path.startsWith('node_modules/') || existsSync(join(root, path, 'package.json')),
  );
}

function installedAsLocked(root) {
  const installed = readIfThere(join(root, 'node_modules', '.package-lock.json'));
  if (installed === undefined) return false;
  const found = JSON.parse(installed).packages;
  const locked = lockedPackages(root);
  return (
    Object.entries(found).every(([path, { version }]) => locked[path]?.version === version) &&
    Object.entries(locked).every(([path, { optional, link }]) => {
      if (path === '' || link) return true;
      return found[path] !== undefined ? existsSync(join(root, path)) : optional === true;
    })
  );
}

function lockedPackages(root) {
  return JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
}

function readIfThere(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
