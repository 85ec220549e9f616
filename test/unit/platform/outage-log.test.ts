import assert from 'node:assert/strict';
import { createLogger } from '../../../src/platform/logger.js';
import { logOutage } from '../../../src/platform/outage-log.js';
import { until } from '../../support/until.js';

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly part: string;
  readonly failures?: number;
  readonly durationMs?: number;
}

const [WARN, ERROR] = [40, 50];

describe('the log of an outage', () => {
  function openLog() {
    const lines: Line[] = [];
    const logger = createLogger('test', 'info', { write: (line) => lines.push(JSON.parse(line)) });
    return { lines, logger };
  }
  const failure = new Error('connect ECONNREFUSED');

  it('has one line for its beginning and one for its end, with the duration, however often something fails', async () => {
    const { lines, logger } = openLog();
    for (let time = 0; time < 200; time++) logOutage(logger, 'queue', failure, 'no queue', { quietMs: 50 });
    assert.equal(lines.length, 1);
    assert.match(lines[0]?.msg ?? '', /^no queue; /);
    await until('its end is logged', () => lines.length === 2, 5_000);
    assert.deepEqual(
      lines.map(({ level, part }) => [level, part]),
      [
        [WARN, 'queue'],
        [WARN, 'queue'],
      ],
    );
    assert.equal(lines[1]?.failures, 200);
    assert.ok((lines[1]?.durationMs ?? -1) >= 0);
    logOutage(logger, 'queue', failure, 'again', { quietMs: 50 });
    assert.match(lines[2]?.msg ?? '', /^again/, 'the next outage is another');
  });

  it('is apart for each part, and for each logger', () => {
    const [one, other] = [openLog(), openLog()];
    logOutage(one.logger, 'queue', failure, 'no queue');
    logOutage(one.logger, 'database', failure, 'no database');
    logOutage(other.logger, 'queue', failure, 'no queue');
    assert.deepEqual([one.lines.length, other.lines.length], [2, 1]);
  });

  it('calls an outage an error, once, when it lasts', () => {
    const { lines, logger } = openLog();
    for (let time = 0; time < 5; time++) logOutage(logger, 'steps', failure, 'no steps', { lastingMs: 0 });
    assert.deepEqual(
      lines.map(({ level }) => level),
      [WARN, ERROR],
    );
  });
});
