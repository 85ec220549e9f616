import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Announced, type FileWorld, startFileWorld } from '../../support/worlds/file-world.js';

describe('a large upload', function () {
  // Garbage is collected many times, in a process that has run hundreds of suites.
  this.timeout(120_000);
  const MEBIBYTE = 1_048_576;
  const SIZE = 50 * MEBIBYTE;
  const MOST_HELD = 8 * MEBIBYTE;
  let world: FileWorld;
  before(async () => {
    world = await startFileWorld({ BODY_BUDGET_MB: '2' }, 'in a folder');
  });
  after(() => world.api.stop());

  it('takes constant memory, whatever the budget for bodies', async () => {
    const file = await world.announce();
    const block = new Uint8Array(Buffer.alloc(MEBIBYTE, 'SKU;Title;Text\n'));
    const digest = createHash('sha256');
    const before = heldBytes(0);
    let peak = 0;
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent === SIZE) return controller.close();
        sent += block.length;
        digest.update(block);
        peak = Math.max(peak, heldBytes(before + MOST_HELD) - before);
        controller.enqueue(block);
      },
    });
    const response = await fetch(file.location, { method: 'PUT', body, duplex: 'half' });
    assert.equal(((await response.json()) as { bytes: number }).bytes, SIZE);
    assert.ok(peak < MOST_HELD, `held ${Math.round(peak / MEBIBYTE)} MiB`);

    const { location } = (await (await world.get(`/files/product/${file.id}/actions/download`)).json()) as Announced;
    const downloaded = createHash('sha256');
    for await (const chunk of (await fetch(location)).body ?? []) downloaded.update(chunk);
    assert.equal(downloaded.digest('hex'), digest.digest('hex'));
  });
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/**
 * What cannot be collected, which is what counts: garbage is no memory that an upload needs. To collect it takes long, and
 * is left out where even with it there is less than what is allowed.
 */
function heldBytes(allowed: number): number {
  const withGarbage = usedBytes();
  if (withGarbage < allowed) return withGarbage;
  collectGarbage();
  // What the first finds is freed beside the program: the second begins when that is done.
  collectGarbage();
  return usedBytes();
}

function usedBytes(): number {
  const { arrayBuffers, heapUsed } = process.memoryUsage();
  return arrayBuffers + heapUsed;
}
