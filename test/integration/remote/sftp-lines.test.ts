/** Lines to OpenSSH's server that are cut or hang at each of its messages: each failure is said truly, and the next run is fine. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RemoteFailure } from '../../../src/platform/remote/remote-folder.js';
import { openSftpFolder } from '../../../src/platform/remote/sftp-folder.js';
import { type CountedLine, type Failure, openCountedLine } from '../../support/faults/counted-line.js';
import { LOOPBACK_GUARD, never, PATIENT_MS, takeFirst } from '../../support/http/remote-test.js';
import { skipWithoutSshd, startTestSshd, type TestSshd } from '../../support/worlds/test-sshd.js';

const CONTENT = Buffer.alloc(300_001, 'sku,title\n');
/** More than the server has for all that a run does. */
const MOST_MESSAGES = 60;
const AT_A_TIME = 12;
/** Enough for a login under load, which has to succeed before later messages can be silenced. */
const SILENT_MS = 1_500;

describe('a line to an SFTP server', function () {
  this.timeout(60_000);
  let sshd: TestSshd;
  before(async function () {
    skipWithoutSshd(this);
    sshd = await startTestSshd();
  });
  after(async () => {
    await sshd?.stop();
  });

  const newFolder = () => {
    const path = sshd.newFolder();
    writeFileSync(join(path, 'a.csv'), CONTENT);
    return path;
  };

  async function runBy(line: CountedLine, path: string, idleMs: number): Promise<Buffer> {
    const connection = {
      kind: 'sftp',
      host: '127.0.0.1',
      port: line.port,
      user: sshd.user,
      path,
      hostKey: sshd.hostKeys.ed25519,
    } as const;
    const options = { guard: LOOPBACK_GUARD, idleMs };
    const { folder } = await openSftpFolder(connection, { secret: sshd.key }, options, never());
    try {
      return await takeFirst(folder);
    } finally {
      await folder.close();
    }
  }

  /** @returns whether the failure was `reached`, and told or come through; or why not: the run was `done` before, or `slow` by itself */
  async function failsTruly(failure: Failure, idleMs: number): Promise<'reached' | 'done' | 'slow'> {
    const path = newFolder();
    const line = await openCountedLine(sshd.port, failure);
    try {
      const ended = await runBy(line, path, idleMs).catch((error: unknown) => error);
      if (Buffer.isBuffer(ended)) assert.ok(ended.equals(CONTENT), `message ${failure.at}: other bytes`);
      else {
        assert.ok(ended instanceof RemoteFailure, `message ${failure.at}: ${String(ended)}`);
        assert.match(
          ended.code,
          /^(?:TIMED_OUT|BROKEN_OFF|UNREACHABLE|NOT_FOUND)$/,
          `message ${failure.at}: ${ended.message}`,
        );
      }
      if (!line.hasFailed()) return Buffer.isBuffer(ended) ? 'done' : 'slow';
      // The next run is fine: with the file, or with what the failed one has already moved.
      const healed = await openCountedLine(sshd.port, null);
      const next = await runBy(healed, path, PATIENT_MS).catch((error: unknown) => error);
      await healed.close();
      if (Buffer.isBuffer(next)) assert.ok(next.equals(CONTENT));
      else assert.match(String(next), /it lists no file/, `message ${failure.at}`);
      return 'reached';
    } finally {
      await line.close();
    }
  }

  /** @returns at how many messages it fails, some at a time, until a run comes through that the failure has not reached */
  async function failEverywhere(how: Failure['how'], idleMs: number): Promise<number> {
    let count = 0;
    for (let first = 1; first < MOST_MESSAGES; first += AT_A_TIME) {
      const places = Array.from({ length: AT_A_TIME }, (_, index) => first + index);
      const ends = await Promise.all(places.map((at) => failsTruly({ at, how }, idleMs)));
      count += ends.filter((end) => end === 'reached').length;
      if (ends.includes('done')) return count;
    }
    return count;
  }

  it('that is cut at any message of the server leaves no other file than a whole one', async () => {
    assert.ok((await failEverywhere('cut', PATIENT_MS)) >= 8);
  });

  it('that hangs at any message of the server ends in time', async () => {
    assert.ok((await failEverywhere('hang', SILENT_MS)) >= 8);
  });

  it('that is cut in the middle of a file costs no second reading of what was there', async () => {
    const path = newFolder();
    const large = Buffer.alloc(6_000_000, 'sku,title\n');
    writeFileSync(join(path, 'a.csv'), large);
    const line = await openCountedLine(sshd.port, { at: 1, how: 'cut', fromByte: 4_000_000 });
    assert.ok((await runBy(line, path, PATIENT_MS)).equals(large));
    assert.ok(line.hasFailed());
    assert.ok(line.bytes() < 7_500_000, `${line.bytes()} bytes came for ${large.length}`);
    await line.close();
  });
});
