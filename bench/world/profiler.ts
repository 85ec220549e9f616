/** Records CPU profiles of the worker process during measured runs. */
import { mkdtempSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunningSystem } from '../../src/launcher/system.js';

const WRITTEN_WITHIN_MS = 30_000;

export class Profiler {
  /** The profiles outlive the benchmark. */
  readonly #folder = mkdtempSync(join(tmpdir(), 'longshore-profile-'));
  readonly #say: (line: string) => void;
  #recorded = 0;

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  /** For the processes of the system: the worker learns to record itself. */
  get environment(): Record<string, string> {
    const preload = new URL('profile-on-signal.js', import.meta.url);
    preload.searchParams.set('folder', this.#folder);
    return { NODE_OPTIONS: `--import ${preload.href}` };
  }

  /** Records while `work` runs, and tells where the profile lies. */
  async during<T>(system: RunningSystem, work: () => Promise<T>): Promise<T> {
    system.kill('worker', 'SIGUSR2');
    const result = await work();
    system.kill('worker', 'SIGUSR2');
    this.#recorded += 1;
    const written = async () => (await readdir(this.#folder)).filter((name) => name.endsWith('.cpuprofile'));
    for (const giveUpAt = Date.now() + WRITTEN_WITHIN_MS; (await written()).length < this.#recorded; await delay(50)) {
      if (Date.now() > giveUpAt) throw new Error('the worker did not write its profile');
    }
    this.#say(`profile: ${join(this.#folder, `worker-${this.#recorded}.cpuprofile`)}`);
    return result;
  }
}
