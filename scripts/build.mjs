/** The build: it runs when a source has changed, and removes files whose source was removed. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle, isBundled } from './bundle.mjs';

const SOURCE_FOLDERS = ['src', 'db', 'test', 'bench', 'examples'];
/** The workspaces: each has its sources in `src` and its build in `dist`. */
const PACKAGES = ['packages/client', 'packages/mcp', 'packages/cli'];
/** The client is compiled a second time, for programs that are CommonJS. */
const COMMONJS = { project: 'packages/client/tsconfig.cjs.json', folder: 'packages/client/dist/cjs' };
/** The pages of the console, which become static files. */
const CONSOLE = 'packages/console';
const SETTINGS = [
  'tsconfig.json',
  'package-lock.json',
  'scripts/bundle.mjs',
  'packages/client/generate.mjs',
  COMMONJS.project,
  `${CONSOLE}/build.mjs`,
  ...[...PACKAGES, CONSOLE].flatMap((folder) => [`${folder}/tsconfig.json`, `${folder}/package.json`]),
];

export function buildIsDue(root) {
  const stamp = stampFile(root);
  return (
    !existsSync(stamp) ||
    readFileSync(stamp, 'utf8') !== fingerprint(root) ||
    !isComplete(root) ||
    !isBundled(root) ||
    !existsSync(join(root, 'dist', 'console', 'index.html'))
  );
}

export async function build(root, { say, runQuietly }) {
  say('building (tsc, then bundles)');
  // The fingerprint is computed first, so that a source that is saved during the build causes another build.
  const built = fingerprint(root);
  rmSync(stampFile(root), { force: true });
  removeOrphans(root);
  // The compiler would not write files again that are in its record.
  if (!isComplete(root)) {
    for (const folder of ['.', ...PACKAGES]) rmSync(join(root, folder, 'dist', '.tsbuildinfo'), { force: true });
    rmSync(join(root, COMMONJS.folder), { recursive: true, force: true });
  }
  const run = (program, ...args) =>
    runQuietly('Building', process.execPath, [join(root, program), ...args], { cwd: root });
  const compile = (project) => run('node_modules/typescript/bin/tsc', '-p', project, '--pretty', 'false');
  await compile('packages/client');
  try {
    await compile('tsconfig.json');
  } catch (error) {
    if (error.exitCode > 128) throw error;
    // A program here may use what is new in the API, of which the client is generated only now.
    if (!(await generateClient(root, run))) throw error;
    await compile('packages/client');
    await compile('tsconfig.json');
  }
  if (await generateClient(root, run)) {
    await compile('packages/client');
    await compile('tsconfig.json');
  }
  await compile(COMMONJS.project);
  writeFileSync(join(root, COMMONJS.folder, 'package.json'), '{ "type": "commonjs" }\n');
  await compile('packages/mcp');
  await compile('packages/cli');
  await compile(CONSOLE);
  await run(`${CONSOLE}/build.mjs`);
  await bundle(root);
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(stampFile(root), built);
}

/** Generates what the client knows of the API, from the API that was built. @returns whether anything has changed */
async function generateClient(root, run) {
  if (!existsSync(join(root, 'dist', 'src', 'api', 'openapi.js'))) return false;
  const before = generated(root);
  await run('packages/client/generate.mjs');
  return generated(root) !== before;
}

function generated(root) {
  const folder = join(root, 'packages/client/src/generated');
  return ['types.ts', 'operations.ts'].map((name) => readFileSync(join(folder, name), 'utf8')).join('');
}

function stampFile(root) {
  return join(root, 'dist', '.longshore-build');
}

function fingerprint(root) {
  const hash = createHash('sha256').update(process.versions.node);
  // What is generated follows from the other sources.
  const written = packageSources(root).filter((path) => !path.includes('/generated/'));
  for (const path of [...SETTINGS, ...sources(root), ...written, ...filesUnder(root, /\.\w+$/, [`${CONSOLE}/src`])]) {
    hash.update(`\0${path}\0`).update(readFileSync(join(root, path)));
  }
  return hash.digest('hex');
}

function isComplete(root) {
  return [...sources(root), ...packageSources(root)].flatMap(outputsOf).every((path) => existsSync(join(root, path)));
}

/** Removes files whose source was removed: such a test must not run any more. */
function removeOrphans(root) {
  const expected = new Set([...sources(root), ...packageSources(root)].flatMap(outputsOf));
  const built = [
    ...filesUnder(join(root, 'dist'), /\.js$/).map((path) => `dist/${path}`),
    ...filesUnder(
      root,
      /\.js$/,
      PACKAGES.map((folder) => `${folder}/dist`),
    ),
  ];
  for (const path of built) {
    if (expected.has(path)) continue;
    rmSync(join(root, path));
    rmSync(join(root, `${path}.map`), { force: true });
  }
}

/** Where the builds of a source are. */
function outputsOf(path) {
  const output = path.replace(/\.ts$/, '.js');
  if (path.startsWith('packages/client/src/')) {
    return ['packages/client/dist/', `${COMMONJS.folder}/`].map((folder) =>
      output.replace('packages/client/src/', folder),
    );
  }
  return [path.startsWith('packages/') ? output.replace('/src/', '/dist/') : `dist/${output}`];
}

function packageSources(root) {
  return filesUnder(
    root,
    /(?<!\.d)\.ts$/,
    PACKAGES.map((folder) => `${folder}/src`),
  );
}

function sources(root) {
  return filesUnder(root, /(?<!\.d)\.ts$/);
}

/** The paths of files in these folders of `root`, in the same order on every machine. */
function filesUnder(root, pattern, folders = SOURCE_FOLDERS) {
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((path) => `${folder}/${path}`))
    .filter((path) => pattern.test(path))
    .sort();
}
