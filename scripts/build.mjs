/** The build: it runs when a source has changed, and removes files whose source was removed. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCE_FOLDERS = ['src', 'db', 'test', 'bench'];
const SETTINGS = ['tsconfig.json', 'package-lock.json'];

export function buildIsDue(root) {
  const stamp = stampFile(root);
  return !existsSync(stamp) || readFileSync(stamp, 'utf8') !== fingerprint(root) || !isComplete(root);
}

export function build(root, { say, runQuietly }) {
  say('building (tsc)');
  // The fingerprint is computed first, so that a source that is saved during the build causes another build.
  const built = fingerprint(root);
  rmSync(stampFile(root), { force: true });
  removeOrphans(root);
  // The compiler would not write files again that are in its record.
  if (!isComplete(root)) rmSync(join(root, 'dist', '.tsbuildinfo'), { force: true });
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  runQuietly('The build', process.execPath, [compiler, '-p', 'tsconfig.json', '--pretty', 'false'], { cwd: root });
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(stampFile(root), built);
}

function stampFile(root) {
  return join(root, 'dist', '.longshore-build');
}

function fingerprint(root) {
  const hash = createHash('sha256').update(process.versions.node);
  for (const path of [...SETTINGS, ...sources(root)]) {
    hash.update(`\0${path}\0`).update(readFileSync(join(root, path)));
  }
  return hash.digest('hex');
}

function isComplete(root) {
  return sources(root).every((path) => existsSync(join(root, 'dist', path.replace(/\.ts$/, '.js'))));
}

/** Removes files whose source was removed: such a test must not run any more. */
function removeOrphans(root) {
  const dist = join(root, 'dist');
  const expected = new Set(sources(root).map((path) => path.replace(/\.ts$/, '.js')));
  for (const path of filesUnder(dist, /\.js$/)) {
    if (expected.has(path)) continue;
    rmSync(join(dist, path));
    rmSync(join(dist, `${path}.map`), { force: true });
  }
}

function sources(root) {
  return filesUnder(root, /(?<!\.d)\.ts$/);
}

/** The paths of files in the source folders of `root`, in the same order on every machine. */
function filesUnder(root, pattern) {
  return SOURCE_FOLDERS.filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((path) => `${folder}/${path}`))
    .filter((path) => pattern.test(path))
    .sort();
}
