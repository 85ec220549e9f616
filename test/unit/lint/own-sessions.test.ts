/** Suites may share a server: a test looks at, and ends, what its own database has. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const TESTS = fileURLToPath(new URL('../../../../test/', import.meta.url));
const FOLDERS = ['integration', 'system', 'long', 'support', 'chaos'];
/** File → why it reads what the whole server has. */
const WHOLE_SERVER: Readonly<Record<string, string>> = {
  'integration/jobs/table-locks.test.ts': 'the locks of one session',
  'system/fan-out-kill.trials.ts': 'whom one session keeps waiting',
  'system/embedded-postgres.test.ts': 'the server is its own',
};
const NEARBY = 300;

/** Whether a text reads locks or sessions without asking for those of the database. */
function readsOthers(text: string): boolean {
  return [...text.matchAll(/\bpg_(?:locks|stat_activity)\b/g)].some(
    ({ index }) => !text.slice(index, index + NEARBY).includes('current_database()'),
  );
}

describe('a test that looks at locks or sessions of Postgres', () => {
  it('asks for those of its own database', () => {
    const files = FOLDERS.flatMap((folder) =>
      readdirSync(`${TESTS}${folder}`, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
    );
    const found = files.filter((file) => file.endsWith('.ts') && readsOthers(readFileSync(TESTS + file, 'utf8')));
    assert.deepEqual(found.sort(), Object.keys(WHOLE_SERVER).sort());
  });

  it('is recognised', () => {
    assert.ok(readsOthers('SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted'));
    assert.ok(!readsOthers('SELECT FROM pg_stat_activity WHERE datname = current_database()'));
  });
});
