/**
 * Measures what a reader of the code pays: the lines that are loaded with a handler, the length of files, the exports at
 * the doors of the domain's folders, and folders that import each other. `npm run check` prints the figures and fails if
 * one is worse than its limit. The limits are the figures measured last: lower a limit when you improve its figure, and
 * raise it only with a reason in the commit. A figure is a means: if it makes the code worse, change the figure.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scanModule } from './scan-module.mjs';

/** `limit`: a higher figure fails the check; `target`: the figure that we want to reach. */
const LIMITS = {
  linesOfSrc: { limit: 125_075, target: 60_000 },
  /**
   * The lines loaded with each of these: by value and dynamic imports, re-exports and registration at run time. What a step
   * is given is counted with it, or by itself: nothing leaves the count by being handed in.
   */
  linesLoaded: {
    'src/workers/handlers/plan-job.ts': { limit: 20_718, target: 24_000 },
    'src/domain/imports/plan-file-job.ts': { limit: 23_974, target: 24_000 },
    'src/domain/imports/plan-file-job.ts + src/domain/imports/missing/create-missing.ts': {
      limit: 28_967,
      target: 24_000,
    },
    'src/workers/handlers/apply-chunk.ts + src/domain/imports/appliers/load-item-applier.ts': {
      limit: 17_502,
      target: 18_000,
    },
    'src/workers/handlers/deliver-webhook.ts': { limit: 4_155, target: 4_500 },
  },
  filesAbove400: { limit: 0, target: 0 },
  filesAbove250: { limit: 0, target: 20 },
  /** Nine of ten files of src have at most so many lines. */
  linesOfNineInTen: { limit: 148, target: 200 },
  /** Exports that no file of the product imports, marked `@internal exported for tests`. */
  exportedForTests: { limit: 0, target: 0 },
  /** The names that the files directly in these folders export; a second door is counted with the first. */
  exportsAtDoor: {
    'src/domain/webhooks': { limit: 60, target: 60 },
    'src/domain/outcomes': { limit: 27, target: 60 },
    'src/domain/job-model': { limit: 23, target: 60 },
    'src/domain/jobs': { limit: 60, target: 60 },
    'src/domain/imports': { limit: 57, target: 60 },
    'src/domain/exports': { limit: 53, target: 60 },
    'src/operator': { limit: 10, target: 60 },
  },
  /** Pairs of a domain folder's sub-folders that import each other, types included; its direct files count as one. */
  mutualFolders: { limit: 0, target: 0 },
};
/** The folders of the files that are measured. */
const CODE = ['src', 'db'];
const DOMAIN = 'src/domain';
const SECOND_DOORS = {
  'src/domain/webhooks': ['src/domain/webhooks/model'],
  'src/domain/outcomes': ['src/domain/outcomes/model'],
  'src/domain/jobs': ['src/domain/jobs/model', 'src/domain/jobs/reconcile'],
  'src/domain/imports': ['src/domain/imports/model'],
  'src/domain/exports': ['src/domain/exports/model'],
};

/**
 * Counts, prints a line for each figure, and says which figures exceed their limits.
 * @param root the folder of the repository
 * @param limits as LIMITS
 * @returns how many figures exceed their limit
 */
export function checkStructure(root, print, limits = LIMITS) {
  const modules = loadModules(root);
  const figures = measure(modules, limits);
  const computed = [...modules].flatMap(([path, { computedImports }]) => (computedImports > 0 ? [path] : []));
  for (const { what, figure, limit, target } of figures) {
    const verdict = figure > limit ? '  EXCEEDS ITS LIMIT' : '';
    print(`${what}: ${figure} (limit ${limit}, target ${target})${verdict}`);
  }
  for (const path of computed) print(`${path}: imports a file whose name is computed, which cannot be counted`);
  return figures.filter(({ figure, limit }) => figure > limit).length + computed.length;
}

/** @returns `{ what, figure, limit, target }` for each limit */
function measure(modules, limits) {
  const sources = [...modules].filter(([path]) => path.startsWith('src/'));
  const lengths = sources.map(([, { lines }]) => lines).sort((a, b) => a - b);
  const above = (most) => lengths.filter((lines) => lines > most).length;
  const mutual = mutualFolders(modules);
  const figures = [
    { what: 'lines of src', figure: sum(lengths), ...limits.linesOfSrc },
    { what: 'files of src above 400 lines', figure: above(400), ...limits.filesAbove400 },
    { what: 'files of src above 250 lines', figure: above(250), ...limits.filesAbove250 },
    { what: 'lines of nine in ten files', figure: quantile(lengths, 0.9), ...limits.linesOfNineInTen },
    { what: 'exported for tests', figure: sum(sources.map(exportedForTests)), ...limits.exportedForTests },
    { what: `folders that import each other${listed(mutual)}`, figure: mutual.length, ...limits.mutualFolders },
  ];
  for (const [path, aim] of Object.entries(limits.linesLoaded)) {
    figures.push({ what: `lines loaded with ${path}`, figure: linesLoadedWith(modules, path), ...aim });
  }
  for (const [folder, aim] of Object.entries(limits.exportsAtDoor)) {
    figures.push({ what: `exports at the door of ${folder}`, figure: exportsAtDoor(modules, folder), ...aim });
  }
  return figures;
}

/** @returns for each of our files, by its path from the root: the files loaded with it, its exports and its length */
function loadModules(root) {
  const modules = new Map();
  for (const folder of CODE) {
    for (const path of sourceFiles(root, folder)) {
      const text = readFileSync(join(root, path), 'utf8');
      const lines = text.split('\n').length - 1;
      modules.set(path, { ...scanModule(text), text, lines, loads: new Set(), importedBy: 0, computedImports: 0 });
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

/** How many lines are loaded with files, joined by " + ", including their own. @throws Error for one that does not exist */
function linesLoadedWith(modules, paths) {
  const reached = new Set(paths.split(' + '));
  for (const path of reached) {
    if (!modules.has(path)) throw new Error(`scripts/structure.mjs has a limit for ${path}, which does not exist.`);
  }
  for (const file of reached) for (const loaded of modules.get(file).loads) reached.add(loaded);
  return sum([...reached].map((file) => modules.get(file).lines));
}

function exportedForTests([, { text }]) {
  return text.split('@internal exported for tests').length - 1;
}

/** The exports of the files of a door. An object of functions counts as many exports as it has. */
function exportsAtDoor(modules, folder) {
  let exported = 0;
  for (const [path, { exports }] of modules) {
    const isDoor = dirname(path) === folder || (SECOND_DOORS[folder] ?? []).includes(dirname(path));
    if (!isDoor) continue;
    for (const { members } of exports) exported += Math.max(1, members);
    exported += exportsPassedOn(modules, path, new Set()).size;
  }
  return exported;
}

/** @returns the pairs `folder/a, folder/b` of sub-folders of which a file of each imports one of the other */
function mutualFolders(modules) {
  const imported = new Map();
  for (const [path, { imports }] of modules) {
    const from = roomOf(path);
    if (from === null) continue;
    for (const { specifier } of imports) {
      const file = specifier === null ? null : resolveImport(modules, path, specifier);
      const to = file === null ? null : roomOf(file);
      if (to === null || to.folder !== from.folder || to.room === from.room) continue;
      if (!imported.has(from.room)) imported.set(from.room, new Set());
      imported.get(from.room).add(to.room);
    }
  }
  const pairs = [];
  for (const [room, others] of imported) {
    for (const other of others) if (room < other && imported.get(other)?.has(room)) pairs.push(`${room} and ${other}`);
  }
  return pairs.sort();
}

/** @returns a domain folder, and which of its sub-folders a file is in, or the folder for its direct files */
function roomOf(path) {
  if (!path.startsWith(`${DOMAIN}/`)) return null;
  const [folder, room, ...deeper] = path.slice(DOMAIN.length + 1).split('/');
  if (room === undefined) return null;
  return { folder, room: deeper.length === 0 ? folder : `${folder}/${room}` };
}

function listed(pairs) {
  return pairs.length === 0 ? '' : ` (${pairs.join('; ')})`;
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

/** @param sorted numbers; 0 if there are none */
function quantile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
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
