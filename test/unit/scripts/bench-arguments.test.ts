/** A wrong argument of `npm run bench` is refused before anything is built, as the program itself would refuse it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { benchmarks } from '../../../bench/benchmarks.js';
import { parseBenchArguments } from '../../../bench/command-line.js';

const SCRIPTS = fileURLToPath(new URL('../../../../scripts/', import.meta.url));
const NAMES = benchmarks.flatMap(({ name, alsoNamed = [] }) => [name, ...alsoNamed]);

describe('the arguments of npm run bench, before it is built', () => {
  let mistakeIn: (args: readonly string[]) => string | null;
  before(async () => {
    const script = await import(join(SCRIPTS, 'bench-arguments.mjs'));
    mistakeIn = script.benchMistake;
  });

  for (const args of [
    [],
    ['--quick', '--only', 'import-csv,cold', '--only=inspect', '--backend', 'pg,redis'],
    ['--rows', '1_000', '--runs=2', '--json', 'x.json', '--profile'],
    ['--only', 'import-cvs'],
    ['--backend', 'mysql'],
    ['--rows', 'many'],
    ['--runs', '0'],
  ]) {
    it(`are judged as by the program: ${args.join(' ')}`, () => {
      let expected: string | null = null;
      try {
        parseBenchArguments(args, NAMES);
      } catch (error) {
        expected = (error as Error).message;
      }
      assert.equal(mistakeIn(args), expected);
    });
  }

  it('are named when one is unknown', () => {
    assert.match(mistakeIn(['--fast']) ?? '', /'--fast'.*--only, --backend, --quick/s);
    assert.throws(() => parseBenchArguments(['--fast'], NAMES));
  });

  it('end the command at once, in a clone with nothing installed', () => {
    const clone = mkdtempSync(join(tmpdir(), 'longshore-clone-'));
    try {
      mkdirSync(join(clone, 'scripts'));
      for (const name of readdirSync(SCRIPTS)) {
        if (name.endsWith('.mjs')) copyFileSync(join(SCRIPTS, name), join(clone, 'scripts', name));
      }
      const args = [join(clone, 'scripts/bootstrap.mjs'), 'bench', '--', '--only', 'import-cvs'];
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      assert.deepEqual([status, stdout], [2, '']);
      assert.match(stderr, /^there is no benchmark "import-cvs"; there are import-csv, /);
      assert.deepEqual(readdirSync(clone), ['scripts']);
    } finally {
      rmSync(clone, { recursive: true, force: true });
    }
  });
});
