/** Records CPU profiles of the worker and the API process during measured runs. */
import { existsSync, mkdtempSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunningSystem } from '../../src/launcher/system.js';
import { type CpuProfile, summariseProfile } from '../measure/profile-summary.js';

const WRITTEN_WITHIN_MS = 30_000;
const POLL_INTERVAL_MS = 50;
const LINES = 25;
const PROFILED = ['worker', 'web'];

export class Profiler {
  /** The profiles outlive the benchmark. */
  readonly #folder = mkdtempSync(join(tmpdir(), 'longshore-profile-'));
  readonly #say: (line: string) => void;
  #recorded = 0;

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  /** For the processes of the system: they learn to record themselves. */
  get environment(): Record<string, string> {
    const preload = new URL('./profile-on-signal.js', import.meta.url);
    preload.searchParams.set('folder', this.#folder);
    return { NODE_OPTIONS: `--import ${preload.href}` };
  }

  /** Records while `work` runs, and tells where the profiles lie and what is in them. */
  async during<T>(system: RunningSystem, work: () => Promise<T>): Promise<T> {
    for (const name of PROFILED) system.kill(name, 'SIGUSR2');
    const result = await work();
    for (const name of PROFILED) system.kill(name, 'SIGUSR2');
    this.#recorded += 1;
    for (const name of PROFILED) {
      const path = join(this.#folder, `${name}-${this.#recorded}.cpuprofile`);
      const lines = summariseProfile(await readWhenWritten(path), LINES);
      this.#say([`profile: ${path}`, ...lines].join('\n  '));
    }
    return result;
  }
}

/** It appears whole. */
async function readWhenWritten(path: string): Promise<CpuProfile> {
  for (const giveUpAt = Date.now() + WRITTEN_WITHIN_MS; !existsSync(path); await delay(POLL_INTERVAL_MS)) {
    if (Date.now() > giveUpAt) throw new Error(`not written: ${path}`);
  }
  return JSON.parse(await readFile(path, 'utf8')) as CpuProfile;
}
