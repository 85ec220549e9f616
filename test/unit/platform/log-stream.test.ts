/** A log that cannot be written makes no process wait, and ends none. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { LogStream } from '../../../src/platform/log-stream.js';
import { until } from '../../support/until.js';
import { makeOpenFolder } from '../../support/worlds/open-folder.js';

const LOGGER = new URL('../../../src/platform/logger.js', import.meta.url).href;

describe('a log', () => {
  before(function () {
    if (process.platform !== 'linux') this.skip();
  });

  it('on a full disk neither ends the process nor makes it wait, also when it ends with a fault', async () => {
    const program = `
      const { createLogger, logUncaught } = await import(${JSON.stringify(LOGGER)});
      const logger = createLogger('test', 'info');
      for (let n = 0; n < 100; n += 1) {
        logger.info({ n }, 'a line');
        await new Promise((resolve) => setImmediate(resolve));
      }
      logger.fatal('still here');
      process.stdout.write('alive');
      logUncaught(logger, () => process.exit(1));
      setImmediate(() => { throw new Error('a fault'); });`;
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', full] });
    closeSync(full);
    let said = '';
    child.stdout?.on('data', (text) => {
      said += text;
    });
    const [code] = await once(child, 'close');
    assert.deepEqual([said, code], ['alive', 1]);
  });

  it('is written in order when there is room again, says how many lines it has lost, and keeps a bounded number', async () => {
    const folder = makeOpenFolder();
    const path = join(folder.path, 'log');
    execFileSync('mkfifo', [path]);
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    try {
      const log = new LogStream(fd);
      const line = (n: number): string => `${n} ${'x'.repeat(990)}\n`;
      for (let n = 0; n < 3_000; n += 1) log.write(line(n));
      let text = '';
      const block = Buffer.alloc(65_536);
      const read = (): boolean => {
        try {
          text += block.toString('latin1', 0, readSync(reader, block));
        } catch (error) {
          assert.equal((error as NodeJS.ErrnoException).code, 'EAGAIN');
        }
        return /missing/.test(text) && text.endsWith('\n');
      };
      await until('the lines are written', async () => read(), 20_000);
      const lines = text.trimEnd().split('\n');
      const told = JSON.parse(lines.pop() ?? '');
      assert.deepEqual(
        lines.map((one) => Number(one.split(' ')[0])),
        lines.map((_, index) => index),
      );
      assert.ok(lines.length > 1_000 && lines.length < 1_200, `${lines.length} lines`);
      assert.match(told.msg, new RegExp(`^${3_000 - lines.length} lines of this log are missing`));
      log.write('the last\n');
      log.flushSync();
      await until('the last line is written', async () => read() || text.endsWith('the last\n'), 20_000);
    } finally {
      closeSync(fd);
      closeSync(reader);
      folder.remove();
    }
  });
});
