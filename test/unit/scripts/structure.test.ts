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
const PLENTY = { limit: 1_000, target: 1_000 };

describe('the measured structure', () => {
  it('counts the files that a file loads, by way of others, and each once', async () => {
    const measured = await measure({
      [ENTRY]: "import { b } from './b.js';\nimport { Model } from '../db/model.js';\nimport { z } from 'zod';\n",
      'src/b.ts': "import {\n  c,\n} from './deep/c.js';\nimport '../db/model.js';\n",
      'src/deep/c.ts': "import { entry } from '../entry.js';\n",
      'src/unread.ts': "import { entry } from './entry.js';\n",
      'db/model.ts': '',
    });
    assert.equal(measured.files, 4);
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
    assert.equal(measured.files, 3);
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
    assert.equal(measured.files, 6);
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
    assert.equal(measured.files, 2);
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
    assert.equal(measured.files, 5);
  });

  it('fails for an import whose file is computed', async () => {
    const { exitCode, output } = await run({ [ENTRY]: 'await import(name);\n' }, limitsOf(PLENTY, PLENTY));
    assert.equal(exitCode, 1);
    assert.match(output, /src\/entry\.ts: imports a file whose name is computed/);
  });

  it('counts each file that defines a job type', async () => {
    const planted = {
      [ENTRY]: '',
      'src/replay.ts': "import './a.js';\nexport const replay = defineJobType({ name: 'replay' });\n",
      'src/export.ts': "import './a.js';\nimport './b.js';\nexport const exporting: JobType = {};\n",
      ...emptyFiles('a', 'b'),
    };
    const limits = { ...limitsOf(PLENTY, PLENTY), filesOfJobType: { limit: 2, target: 2 } };
    const { exitCode, output } = await run(planted, limits);
    assert.match(output, /src\/replay\.ts: 2 \(limit 2, target 2\)$/m);
    assert.match(output, /src\/export\.ts: 3 \(limit 2, target 2\) {2}EXCEEDS ITS LIMIT$/m);
    assert.equal(exitCode, 1);
  });

  it('counts exports of every form', async () => {
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
    // a, b, c, e, g, H, I, J, L, m, o, P, Q
    assert.equal((await measure({ [ENTRY]: thousandLines(forms), ...emptyFiles('q') })).exports, 13);
  });

  it('counts what `export *` passes on', async () => {
    const measured = await measure({
      [ENTRY]: "export * from './b.js';\n",
      'src/b.ts': thousandLines(["export * from './c.js';", 'export const b = 1;'], 998),
      'src/c.ts': 'export const c = 1, d = 2;\n',
      'db/model.ts': 'export const uncounted = 1;\n',
    });
    // b, c and d where they stand, c and d by way of b, all three by way of the entry
    assert.equal(measured.exports, 8);
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
    const { exports } = await measure({ [ENTRY]: thousandLines(bag), ...emptyFiles('outside') });
    assert.equal(exports, 8);
  });

  it('exceeds a limit only beyond it', async () => {
    const planted = { [ENTRY]: thousandLines(["import './a.js';", 'export const a = 1, b = 2;']), ...emptyFiles('a') };
    const exitOf = async (files: number, exports: number) =>
      (await run(planted, limitsOf({ limit: files, target: 0 }, { limit: exports, target: 0 }))).exitCode;
    assert.deepEqual([await exitOf(2, 2), await exitOf(1, 2), await exitOf(2, 1.9)], [0, 1, 1]);
  });
});

type Planted = Readonly<Record<string, string>>;

function emptyFiles(...names: string[]): Planted {
  return Object.fromEntries(names.map((name) => [`src/${name}.ts`, '']));
}

function thousandLines(lines: readonly string[], most = 1_000): string {
  return `${lines.join('\n')}${'\n'.repeat(most - lines.length + 1)}`;
}

function limitsOf(files: object, exportsPerThousandLines: object): object {
  return { files: { [ENTRY]: files }, filesOfJobType: PLENTY, exportsPerThousandLines };
}

async function measure(planted: Planted): Promise<{ readonly files: number; readonly exports: number }> {
  const { output } = await run(planted, limitsOf(PLENTY, PLENTY));
  const figures = [...output.matchAll(/: ([\d.]+) \(limit/g)].map(([, figure]) => Number(figure));
  assert.equal(figures.length, 2, output);
  return { files: figures[0] ?? Number.NaN, exports: figures[1] ?? Number.NaN };
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
