/** Installs the packages and builds, if necessary. If two processes do this at once, the second waits for the first. */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BootstrapError } from './bootstrap-error.mjs';
import { build, buildIsDue } from './build.mjs';
import { hydrateSymlinks, symlinksAreDue } from './hydrate-symlinks.mjs';
import { install, installIsDue } from './install.mjs';
import { withLock } from './lock.mjs';

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
  await withLock(join(root, 'dist', '.bootstrap.lock'), say, () => {
    for (const step of STEPS) if (step.isDue(root)) step.run(root, { say, runQuietly });
  });
}

/** Runs a program and shows its output only when it fails. */
function runQuietly(what, program, args, options) {
  const { status, error, signal, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', ...options });
  if (status === 0) return;
  const output = `${stdout ?? ''}${stderr ?? ''}`.trim();
  throw new BootstrapError(
    `${output}\n${what} failed${signal ? ` (${signal})` : ''}${error ? `: ${error.message}` : '.'}`,
  );
}

/** Writes to standard error, because standard output belongs to the command. */
function say(line) {
  process.stderr.write(`${line}\n`);
}
