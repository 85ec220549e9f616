import assert from 'node:assert/strict';
import { parseBenchArguments, UsageError } from '../../../bench/command-line.js';

const KNOWN = ['import-csv', 'bulk-json'];

describe('the arguments of npm run bench', () => {
  it('runs everything on Postgres when nothing is said', () => {
    assert.deepEqual(parseBenchArguments([], KNOWN), {
      only: undefined,
      backends: ['pg'],
      quick: false,
      profile: false,
      json: undefined,
      rows: undefined,
      runs: undefined,
    });
  });

  it('takes names with commas, in several arguments, or both', () => {
    const { only } = parseBenchArguments(['--only', 'import-csv,bulk-json', '--only=import-csv'], KNOWN);
    assert.deepEqual(only, ['import-csv', 'bulk-json', 'import-csv']);
  });

  it('takes both backends', () => {
    assert.deepEqual(parseBenchArguments(['--backend', 'pg,redis'], KNOWN).backends, ['pg', 'redis']);
  });

  it('reads numbers with underscores', () => {
    assert.equal(parseBenchArguments(['--rows', '1_000_000'], KNOWN).rows, 1_000_000);
  });

  for (const [args, says] of [
    [['--only', 'import-cvs'], 'there is no benchmark "import-cvs"; there are import-csv, bulk-json'],
    [['--backend', 'mysql'], 'there is no backend "mysql"; there are pg, redis'],
    [['--rows', 'many'], '--rows takes a whole number, not "many"'],
    [['--rows', '0'], '--rows takes a whole number, not "0"'],
  ] as const) {
    it(`refuses ${args.join(' ')} and says what there is`, () => {
      assert.throws(() => parseBenchArguments(args, KNOWN), new UsageError(says));
    });
  }

  it('refuses an option that does not exist', () => {
    assert.throws(() => parseBenchArguments(['--fast'], KNOWN), UsageError);
  });
});
