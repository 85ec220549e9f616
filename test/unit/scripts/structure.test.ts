/** The script that `npm run check` measures the structure with, run on planted files whose figures are known. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));
const SCRIPT = join(REPOSITORY, 'scripts', 'structure.mjs');
const ENTRY = 'src/entry.ts';
const DOOR = 'src/domain/jobs';
const PLENTY = { limit: 1_000_000, target: 1_000_000 };
const NO_LIMITS = {
  linesOfSrc: PLENTY,
  linesLoaded: { [ENTRY]: PLENTY },
  filesAbove400: PLENTY,
  filesAbove250: PLENTY,
  linesOfNineInTen: PLENTY,
  exportedForTests: PLENTY,
  exportsAtDoor: { [DOOR]: PLENTY },
  mutualFolders: PLENTY,
};
/** So many lines has each planted file whose loading is counted, so that lines tell how many files there were. */
const LINES = 10;

describe('the measured structure', () => {
  it('counts the lines that a file loads, by way of others, and each file once', async () => {
    const measured = await measure({
      [ENTRY]: "import { b } from './b.js';\nimport { Model } from '../db/model.js';\nimport { z } from 'zod';\n",
      'src/b.ts': "import {\n  c,\n} from './deep/c.js';\nimport '../db/model.js';\n",
      'src/deep/c.ts': "import { entry } from '../entry.js';\n",
      'src/unread.ts': "import { entry } from './entry.js';\n",
      'db/model.ts': '',
    });
    assert.equal(measured.loaded, 4);
  });

  it('counts files together, and what each of them loads once', async () => {
    const { figures } = await measure(
      {
        [ENTRY]: "import './b.js';\n",
        'src/given.ts': "import './b.js';\nimport './c.js';\n",
        ...emptyFiles('b', 'c'),
      },
      { ...NO_LIMITS, linesLoaded: { [`${ENTRY} + src/given.ts`]: PLENTY } },
    );
    assert.equal(figures.get(`lines loaded with ${ENTRY} + src/given.ts`), 4 * LINES);
  });

  it('leaves out imports of types, and counts one of which a value is left', async () => {
    const measured = await measure({
      [ENTRY]: [
        "import type { A } from './a.js';",
        "import type * as B from './b.js';",
        "export type { C } from './c.js';",
        "export type * from './d.js';",
        "import { type E, e } from './e.js';",
        "import { type } from './f.js';",
      ].join('\n'),
      ...emptyFiles('a', 'b', 'c', 'd', 'e', 'f'),
    });
    assert.equal(measured.loaded, 3);
  });

  it('counts re-exports and imports at run time', async () => {
    const measured = await measure({
      [ENTRY]: [
        "export { a } from './a.js';",
        "export * from './b.js';",
        "export * as c from './c.js';",
        "const load = async () => import('./d.js');",
        'const text = `$' + "{(await import('./e.js')).text}`;",
      ].join('\n'),
      ...emptyFiles('a', 'b', 'c', 'd', 'e'),
    });
    assert.equal(measured.loaded, 6);
  });

  it('takes nothing in a comment, a string or a regular expression for an import', async () => {
    const measured = await measure({
      [ENTRY]: [
        "// import './a.js';",
        "/* import './a.js'; */",
        'const s = "import(\'./a.js\')";',
        "const t = `import('./a.js') @{`import('./a.js')`}`;".replace('@', '$'),
        "const r = /import('.\\/a.js')[/']/;",
        "const half = 4 / 2; import './b.js'; const third = 3 / 1;",
        'const where = import.meta.url;',
      ].join('\n'),
      ...emptyFiles('a', 'b'),
    });
    assert.equal(measured.loaded, 2);
  });

  it('counts what registers itself at run time with a file that is loaded, but no program', async () => {
    const measured = await measure({
      [ENTRY]: "import { kindOf } from './registry.js';\n",
      'src/registry.ts': 'export const register = () => {};\nexport const kinds = new Map();\n',
      'src/one.ts': "import { register } from './registry.js';\nimport './of-one.js';\nregister('one');\n",
      'src/two.ts': "import { kinds as all } from './registry.js';\nall.set('two', {});\n",
      'src/user.ts': "import { kinds } from './registry.js';\nexport function use() {\n  kinds.clear();\n}\n",
      'src/list.ts': "import './one.js';\nimport './two.js';\nimport './user.js';\n",
      'src/main.ts': "import { register } from './registry.js';\nimport './list.js';\nregister('all');\n",
      'src/of-one.ts': '',
    });
    assert.equal(measured.loaded, 5);
  });

  it('fails for an import whose file is computed', async () => {
    const { exitCode, output } = await run({ [ENTRY]: 'await import(name);\n' }, NO_LIMITS);
    assert.equal(exitCode, 1);
    assert.match(output, /src\/entry\.ts: imports a file whose name is computed/);
  });

  it('counts exports of every form, of the files directly in a folder', async () => {
    const forms = [
      'export const a = 1, b = 2;',
      'export const { c, d: e } = made;',
      'export async function g() {}',
      'export abstract class H {}',
      'export interface I {}',
      'export type J = { readonly k: string };',
      'export enum L {}',
      'const m = 1, n = 2;',
      'export { m, n as o, type J as P };',
      'export type { Q } from "./q.js";',
    ];
    const planted = { [`${DOOR}/forms.ts`]: forms.join('\n'), [`${DOOR}/inner/q.ts`]: 'export interface Q {}\n' };
    // a, b, c, e, g, H, I, J, L, m, o, P, Q
    assert.equal((await measure(planted)).exported, 13);
  });

  it('counts what `export *` passes on', async () => {
    const measured = await measure({
      [`${DOOR}/a.ts`]: "export * from './b.js';\n",
      [`${DOOR}/b.ts`]: "export * from './inner/c.js';\nexport const b = 1;\n",
      [`${DOOR}/inner/c.ts`]: 'export const c = 1, d = 2;\n',
    });
    // b, and c and d by way of it, and all three by way of a
    assert.equal(measured.exported, 6);
  });

  it('counts each function of an exported object', async () => {
    const bag = [
      "import { outside } from './outside.js';",
      'function one() {}',
      'const two = (x: number): number => x;',
      'export const bag: Record<string, (x: { y: string }) => void> = {',
      '  one,',
      '  two,',
      '  async three() { return [1, 2]; },',
      '  four: async (a, b) => ({ a, b }),',
      '  five: (x) => x,',
      '  size: 3,',
      "  [Symbol.iterator]: 'none',",
      '  outside,',
      '};',
      'export const frozen = Object.freeze({ one, two });',
      'export const plain = { name: "a", of: { more: () => 1 } };',
    ];
    // one to five; two of the frozen one; the plain one
    const { exported } = await measure({ [`${DOOR}/bag.ts`]: bag.join('\n'), [`${DOOR}/outside.ts`]: '' });
    assert.equal(exported, 8);
  });

  it('counts long files of src, and the length that nine in ten files do not exceed', async () => {
    const planted = Object.fromEntries(
      [1, 2, 3, 4, 5, 6, 7, 251, 400, 401].map((lines) => [`src/of-${lines}.ts`, '\n'.repeat(lines)]),
    );
    const { figures } = await measure({ ...planted, 'db/model.ts': '\n'.repeat(500) });
    assert.equal(figures.get('lines of src'), 1_080 + LINES);
    assert.equal(figures.get('files of src above 250 lines'), 3);
    assert.equal(figures.get('files of src above 400 lines'), 1);
    assert.equal(figures.get('lines of nine in ten files'), 400);
  });

  it('counts what is exported for tests alone', async () => {
    const text =
      '/** @internal exported for tests */\nexport const a = 1;\n/** @internal For b. */\nexport const b = 1;\n';
    assert.equal((await measure({ 'src/a.ts': text })).figures.get('exported for tests'), 1);
  });

  it('names the sub-folders of a domain folder that import each other, types included', async () => {
    const { output } = await measure({
      'src/domain/jobs/door.ts': "import { a } from './order/a.js';\n",
      'src/domain/jobs/order/a.ts': "import { b } from '../chunks/b.js';\nexport interface A {}\n",
      'src/domain/jobs/chunks/b.ts': "import type { A } from '../order/deep/a.js';\n",
      'src/domain/jobs/order/deep/a.ts': "import { C } from '../../../files/c.js';\nexport interface A {}\n",
      'src/domain/files/c.ts': "import type { A } from '../jobs/order/a.js';\n",
    });
    assert.match(output, /^folders that import each other \(jobs\/chunks and jobs\/order\): 1 /m);
  });

  it('exceeds a limit only beyond it', async () => {
    const planted = { [ENTRY]: "import './a.js';\n", 'src/a.ts': '\n'.repeat(9) };
    const exitOf = async (limit: number) =>
      (await run(planted, { ...NO_LIMITS, linesLoaded: { [ENTRY]: { limit, target: 0 } } })).exitCode;
    assert.deepEqual([await exitOf(10), await exitOf(9)], [0, 1]);
    const { output } = await run(planted, { ...NO_LIMITS, linesOfSrc: { limit: 9, target: 3 } });
    assert.match(output, /^lines of src: 10 \(limit 9, target 3\) {2}EXCEEDS ITS LIMIT$/m);
  });
});

type Planted = Readonly<Record<string, string>>;

function emptyFiles(...names: string[]): Planted {
  return Object.fromEntries(names.map((name) => [`src/${name}.ts`, '']));
}

interface Measured {
  /** How many files are loaded with the entry. */
  readonly loaded: number;
  /** How many names the door exports. */
  readonly exported: number;
  readonly figures: ReadonlyMap<string, number>;
  readonly output: string;
}

/** Measures planted files without limits. A file that is shorter is extended to LINES lines. */
async function measure(planted: Planted, limits: object = NO_LIMITS): Promise<Measured> {
  const files = { [ENTRY]: '', ...planted };
  const extended = Object.entries(files).map(([path, text]) => [path, withLines(text)] as const);
  const { output } = await run(Object.fromEntries(extended), limits);
  const lines = [...output.matchAll(/^(.+): (\d+) \(limit \d+, target \d+\)$/gm)];
  const figures = new Map(lines.map(([, what = '', figure]) => [what, Number(figure)]));
  const figureOf = (what: string): number => figures.get(what) ?? Number.NaN;
  return {
    loaded: figureOf(`lines loaded with ${ENTRY}`) / LINES,
    exported: figureOf(`exports at the door of ${DOOR}`),
    figures,
    output,
  };
}

/** A file of ten or more lines, or of none but line ends, stays as it is. */
function withLines(text: string): string {
  const lines = text.split('\n').length - 1;
  return lines >= LINES || /^\n+$/.test(text) ? text : `${text}${'\n'.repeat(LINES - lines)}`;
}

async function run(planted: Planted, limits: object): Promise<{ readonly exitCode: number; readonly output: string }> {
  const root = await mkdtemp(join(tmpdir(), 'longshore-structure-'));
  try {
    for (const [path, text] of Object.entries(planted)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
    return await execute([root, JSON.stringify(limits)]);
  } finally {
    await rm(root, { recursive: true });
  }
}

function execute(args: readonly string[]): Promise<{ readonly exitCode: number; readonly output: string }> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [SCRIPT, ...args], (error, stdout, stderr) => {
      if (error !== null && error.code !== 1) reject(error);
      else resolve({ exitCode: error === null ? 0 : 1, output: stdout + stderr });
    });
  });
}
