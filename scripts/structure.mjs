/**
 * Measures how much of the system a reader has to know: the files that are loaded with a handler, and the exports per
 * 1,000 lines. `npm run check` prints the figures and fails if one is worse than its limit below. The limits are the
 * figures measured last: lower a limit when you improve its figure, and raise it only with a reason in the commit.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scanModule } from './scan-module.mjs';

/** `limit`: a higher figure fails the check; `target`: the figure that we want to reach. */
const LIMITS = {
  /** The files loaded with each of these: by value and dynamic imports, re-exports and registration at run time. */
  files: {
    'src/workers/handlers/apply-chunk.ts': { limit: 172, target: 120 },
    'src/workers/handlers/plan-job.ts': { limit: 214, target: 120 },
    'src/workers/handlers/export-job.ts': { limit: 82, target: 80 },
    // The handlers load the registry of job types, and thereby all of them. What executes the rows of one type:
    'src/domain/imports/plan-file-job.ts': { limit: 200, target: 120 },
    'src/domain/imports/items/item-applier.ts': { limit: 69, target: 120 },
    'src/domain/imports/items/status-applier.ts': { limit: 6, target: 120 },
    'src/domain/imports/attributes/attribute-applier.ts': { limit: 67, target: 120 },
    'src/domain/imports/categories/category-applier.ts': { limit: 75, target: 120 },
    'src/domain/imports/deletions/item-deletion-applier.ts': { limit: 4, target: 120 },
    'src/domain/replays/replay-page.ts': { limit: 60, target: 120 },
    'src/domain/exports/run-export-job.ts': { limit: 81, target: 80 },
  },
  /** The same for every file that defines a job type (`defineJobType(…)`, or a value of the type JobType). */
  filesOfJobType: { limit: 20, target: 120 },
  exportsPerThousandLines: { limit: 29.5, target: 29.5 },
};
/** The folders of the files that are measured. */
const CODE = ['src', 'db'];

/**
 * Counts, prints a line for each figure, and says which figures exceed their limits.
 * @param root the folder of the repository
 * @param limits as LIMITS
 * @returns how many figures exceed their limit
 */
export function checkStructure(root, print, limits = LIMITS) {
  const modules = loadModules(root);
  const figures = [];
  for (const [path, { limit, target }] of Object.entries(limits.files)) {
    figures.push({ what: `files loaded with ${path}`, figure: filesLoadedWith(modules, path), limit, target });
  }
  for (const path of jobTypeFiles(modules)) {
    figures.push({
      what: `files loaded with ${path}`,
      figure: filesLoadedWith(modules, path),
      ...limits.filesOfJobType,
    });
  }
  const what = 'exports per 1,000 lines of src';
  figures.push({ what, figure: exportsPerThousandLines(modules), ...limits.exportsPerThousandLines });
  const computed = [...modules].flatMap(([path, { computedImports }]) => (computedImports > 0 ? [path] : []));
  for (const { what, figure, limit, target } of figures) {
    const verdict = figure > limit ? '  EXCEEDS ITS LIMIT' : '';
    print(`${what}: ${figure} (limit ${limit}, target ${target})${verdict}`);
  }
  for (const path of computed) print(`${path}: imports a file whose name is computed, which cannot be counted`);
  return figures.filter(({ figure, limit }) => figure > limit).length + computed.length;
}

/** @returns for each of our files, by its path from the root: the files loaded with it, its exports and its length */
function loadModules(root) {
  const modules = new Map();
  for (const folder of CODE) {
    for (const path of sourceFiles(root, folder)) {
      const text = readFileSync(join(root, path), 'utf8');
      modules.set(path, { ...scanModule(text), text, loads: new Set(), importedBy: 0, computedImports: 0 });
    }
  }
  for (const [path, module] of modules) {
    for (const { specifier, isValue } of module.imports) {
      if (!isValue) continue;
      if (specifier === null) module.computedImports++;
      const imported = specifier === null ? null : resolveImport(modules, path, specifier);
      if (imported === null) continue;
      module.loads.add(imported);
      modules.get(imported).importedBy++;
    }
  }
  for (const [path, module] of modules) addRegistrations(modules, path, module);
  return modules;
}

function sourceFiles(root, folder) {
  if (!existsSync(join(root, folder))) return [];
  const files = readdirSync(join(root, folder), { recursive: true });
  return files
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .map((file) => `${folder}/${file.split(sep).join('/')}`)
    .sort();
}

/** @returns the path of one of our files; null: it is a package */
function resolveImport(modules, importing, specifier) {
  if (!specifier.startsWith('.')) return null;
  const path = relative('/', resolve('/', dirname(importing), specifier))
    .split(sep)
    .join('/');
  const candidates = [path.replace(/\.js$/, '.ts'), path, `${path}/index.ts`];
  return candidates.find((candidate) => modules.has(candidate)) ?? null;
}

/**
 * A file that calls an imported function when it is loaded registers itself there, so it counts as loaded with that
 * function's file. A file that no other file imports is a program, which registers nothing.
 */
function addRegistrations(modules, path, { imports, called, importedBy }) {
  if (importedBy === 0) return;
  for (const { specifier, names } of imports) {
    if (specifier === null || !called.some((name) => names.has(name))) continue;
    const registry = resolveImport(modules, path, specifier);
    if (registry !== null) modules.get(registry).loads.add(path);
  }
}

/** How many files are loaded with a file, including itself. @throws Error for a file that does not exist */
function filesLoadedWith(modules, path) {
  if (!modules.has(path)) throw new Error(`scripts/structure.mjs has a limit for ${path}, which does not exist.`);
  const reached = new Set([path]);
  for (const file of reached) for (const loaded of modules.get(file).loads) reached.add(loaded);
  return reached.size;
}

function jobTypeFiles(modules) {
  const defines = /^export const \w+ = defineJobType\b|^export const \w+: JobType\b|\bsatisfies JobType\b/m;
  return [...modules].filter(([, { text }]) => defines.test(text)).map(([path]) => path);
}

/** Exports per 1,000 lines of src, rounded up to a tenth. An object of functions counts as many exports as it has. */
function exportsPerThousandLines(modules) {
  let exported = 0;
  let lines = 0;
  for (const [path, { text, exports }] of modules) {
    if (!path.startsWith('src/')) continue;
    lines += text.split('\n').length - 1;
    for (const { members } of exports) exported += Math.max(1, members);
    exported += exportsPassedOn(modules, path, new Set()).size;
  }
  return lines === 0 ? 0 : Math.ceil((exported / lines) * 10_000) / 10;
}

/** The names that a file exports by `export *`. */
function exportsPassedOn(modules, path, seen) {
  const names = new Set();
  for (const specifier of modules.get(path).reexported) {
    const source = resolveImport(modules, path, specifier);
    if (source === null || seen.has(source)) continue;
    seen.add(source);
    for (const { name } of modules.get(source).exports) names.add(name);
    for (const name of exportsPassedOn(modules, source, seen)) names.add(name);
  }
  return names;
}

// When this file is run as a program, tests may pass another root and other limits.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [root = dirname(dirname(process.argv[1])), limits] = process.argv.slice(2);
  const given = limits === undefined ? undefined : JSON.parse(limits);
  process.exitCode = checkStructure(root, (line) => process.stdout.write(`${line}\n`), given) > 0 ? 1 : 0;
}
