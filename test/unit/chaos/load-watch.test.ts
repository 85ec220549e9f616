import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { busyMs, LoadWatch } from '../../chaos/load-watch.js';
import { until } from '../../support/until.js';

/** More threads that compute than the machine has CPUs. */
const SPINNERS = `for (let n = 2 * require('os').availableParallelism(); n > 0; n--) {
  new (require('worker_threads').Worker)('for (;;);', { eval: true });
}
for (;;);`;
/** So short a lock that a share of the CPU is too little for it. */
const LOCK_MS = 1_000;

describe('the watch over the load of a chaos run', function () {
  this.timeout(60_000);

  it('sees that a process waits for a CPU', async function () {
    if (process.platform !== 'linux') return this.skip();
    const spinning = spawn(process.execPath, ['-e', SPINNERS], { stdio: 'ignore' });
    const watch = new LoadWatch(() => (spinning.pid === undefined ? [] : [spinning.pid]), LOCK_MS);
    try {
      await until('the machine is overloaded', () => watch.overloadedMs > 0, 30_000);
    } finally {
      watch.stop();
      spinning.kill('SIGKILL');
    }
  });

  it('tells a process that computes without a pause from one that waits', async function () {
    if (process.platform !== 'linux') return this.skip();
    const [computing, idle] = ['for (;;);', 'setInterval(() => {}, 100)'].map((program) =>
      spawn(process.execPath, ['-e', program], { stdio: 'ignore' }),
    );
    try {
      const share = async (pid = 0) => {
        const before = busyMs(pid);
        await delay(1_000);
        return (busyMs(pid) - before) / 1_000;
      };
      await until('the one computes', async () => (await share(computing?.pid)) > 0.9, 30_000);
      await until('the other waits', async () => (await share(idle?.pid)) < 0.9, 30_000);
      assert.ok((await share(computing?.pid)) > 0.9);
    } finally {
      computing?.kill('SIGKILL');
      idle?.kill('SIGKILL');
    }
  });
});
