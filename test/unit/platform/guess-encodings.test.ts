/** The process that guesses encodings. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { childrenOf } from '../../../bench/measure/peak-memory.js';
import { guessEncodings } from '../../../src/platform/guess-encodings.js';
import { until } from '../../support/until.js';

const GERMAN = Buffer.from('Fahrräder für Mädchen; große Schlüssel; Türgriffe und Bürostühle\n'.repeat(20), 'latin1');
const ALLOWED = ['windows-1252', 'windows-1251', 'shift_jis'];

/** Which of its processes run; none where the system does not say. */
function guessers(): number[] {
  return childrenOf(process.pid).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('encoding-guesser');
    } catch {
      return false;
    }
  });
}

describe('a guess of encodings', function () {
  this.timeout(30_000);

  it('has the encoding of a text, and only those that come into question', async () => {
    const [first, ...others] = await guessEncodings(GERMAN, ALLOWED);
    assert.equal(first?.encoding.toLowerCase(), 'windows-1252');
    assert.ok(others.every(({ confidence }) => confidence <= (first?.confidence ?? 0)));
    const russian = Buffer.from(
      [...'Велосипеды для детей '].map((sign) => (sign === ' ' ? 32 : sign.charCodeAt(0) - 0x350)),
    );
    const [cyrillic] = await guessEncodings(Buffer.concat(Array.from({ length: 20 }, () => russian)), ALLOWED);
    assert.equal(cyrillic?.encoding.toLowerCase(), 'windows-1251');
  });

  it('fails when the process ends before it has answered, and the next one is answered', async function () {
    if (process.platform !== 'linux') this.skip();
    await guessEncodings(GERMAN, ALLOWED);
    const [pid] = guessers() as [number];
    process.kill(pid, 'SIGSTOP');
    const lost = assert.rejects(guessEncodings(GERMAN, ALLOWED), /the guesser of encodings ended \(SIGKILL\)/);
    process.kill(pid, 'SIGKILL');
    await lost;
    assert.ok((await guessEncodings(GERMAN, ALLOWED)).length > 0);
  });

  it('is answered by one process for all who ask at once, which ends when nobody asks any more', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => guessEncodings(GERMAN, ALLOWED)));
    assert.equal(new Set(answers.map(([first]) => first?.encoding)).size, 1);
    assert.equal(guessers().length, process.platform === 'linux' ? 1 : 0);
    await until('the process has ended', async () => guessers().length === 0, 20_000);
    assert.equal((await guessEncodings(GERMAN, ALLOWED)).length > 0, true, 'another one is started');
  });
});
