/** Words that this project once used for what the field calls otherwise: they do not come back. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));
/** Decision records are history and keep the words of their time. */
const READ = ['src', 'docs/use', 'docs/run', 'docs/build', 'README.md', 'CONTRIBUTING.md'];

/** The word → what to write. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\bJobDispatch\b|\bsendDispatches\b|\bdispatches\b(?! (?:the|what|a)\b)/, 'outbox entry, fencing token'],
  [/\bpark(?:ed|s)?\b/i, 'hold, held'],
  [/site to itself/, 'exclusive'],
  [/\bsettle(?:d|s|ment)?(?:Row|Linked|Plain|Values|Range|Definition)/, 'resolve'],
  [/unique.?claims?\b|\bclaimants?\b/i, 'reservations of unique values'],
  [/\b(?:first|next|later|another|each) waves?\b|\bwaveOf\b|\bnextWave\b/i, 'pass'],
  [/\bknown rows?\b/, 'unchanged row'],
  [/\bstanding rows?\b|\blosers?\b/i, 'winning row, superseded rows'],
  [/turnstile|\bat hand\b/i, 'semaphore, in flight'],
  [/\bbreathe\b|\burgently\b/, 'yield to the event loop, priority'],
  [/\bone.?hop\b/i, 'inline execution'],
  [/\bput[s -]?off\b/i, 'snooze, defer'],
  [/\bkin\b|\bforest\b|\bplanted\b/i, 'relations, category tree, placed'],
  [/\bwhole jobs?\b|\bwholeJobs?\b/i, 'atomic job'],
  [/\bmend(?:s|ed|ing)?\b/i, 'fix, correct'],
  [/\bgive[ns]? up\b/i, 'failed permanently'],
  [/\btold\b|\bwhoever\b|\bnobody (?:is|hears|reads|asks|calls)\b/i, 'notified, a client that, no subscriber'],
  [/of its own accord|\bmade ready\b/i, 'by itself, prepared'],
];

describe('the words of the code and of its documentation', () => {
  it('are those of the field', async () => {
    const found: string[] = [];
    for (const path of await texts()) {
      const lines = (await readFile(join(REPOSITORY, path), 'utf8')).split('\n');
      for (const [index, line] of lines.entries()) {
        for (const [word, instead] of WORDS) {
          if (word.test(line)) found.push(`${path}:${index + 1}: ${line.trim()} — write: ${instead}`);
        }
      }
    }
    assert.deepEqual(found, []);
  });

  it('would be found, where they stand as words', () => {
    const isFound = (line: string) => WORDS.some(([word]) => word.test(line));
    for (const line of [
      '// a parked job',
      'const losers = []',
      '/** Of the known rows. */',
      'It is put off to the next wave.',
    ]) {
      assert.ok(isFound(line), line);
    }
    for (const line of ['const settled = promise.then()', 'kindOf(type)', 'spark', 'the recommended setting']) {
      assert.ok(!isFound(line), line);
    }
  });
});

async function texts(): Promise<string[]> {
  const found = await Promise.all(
    READ.map(async (path) => {
      if (path.endsWith('.md')) return [path];
      const files = await readdir(join(REPOSITORY, path), { recursive: true });
      return files.filter((file) => /\.(?:ts|md)$/.test(file)).map((file) => `${path}/${file.split(sep).join('/')}`);
    }),
  );
  return found.flat();
}
