/** Installs the packages and builds, if necessary. If two processes do this at once, the second waits for the first. */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, buildIsDue } from './build.mjs';
import { hydrateSymlinks, symlinksAreDue } from './hydrate-symlinks.mjs';
import { install, installIsDue } from './install.mjs';
import { withLock } from './lock.mjs';
import { runQuietly } from './run-quietly.mjs';

export const REPOSITORY = dirname(dirname(fileURLToPath(import.meta.url)));

const STEPS = [
  { isDue: installIsDue, run: install },
  { isDue: symlinksAreDue, run: hydrateSymlinks },
  { isDue: buildIsDue, run: build },
];

/** Runs the steps that are necessary. @throws BootstrapError when a step fails */
export async function installAndBuild() {
  const root = REPOSITORY;
  if (!STEPS.some((step) => step.isDue(root))) return;
  mkdirSync(join(root, 'dist'), { recursive: true });
  // The lock is under dist, because npm ci empties node_modules.
  await withLock(join(root, 'dist', '.bootstrap.lock'), say, async () => {
    for (const step of STEPS) if (step.isDue(root)) await step.run(root, { say, runQuietly });
  });
}

/** Writes to standard error, because standard output belongs to the command. */
function say(line) {
  process.stderr.write(`${line}\n`);
}
