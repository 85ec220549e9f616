/** `npm run bench`: runs benchmarks on real processes and throw-away data, and prints each figure beside its reference. */
import type { Backend } from './backend.js';
import type { Benchmark, BenchmarkResult } from './benchmark.js';
import { benchmarks } from './benchmarks.js';
import { type BenchArguments, parseBenchArguments, UsageError } from './command-line.js';
import { memoryResults } from './measure/memory-result.js';
import { describeMachine } from './report/machine.js';
import { writeResults } from './report/result-file.js';
import { formatTable, warningsOf } from './report/table.js';
import { Interrupted } from './world/interruption.js';
import { createSharedWorld } from './world/with-world.js';

/** To standard error: standard output carries the table. */
function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function main(): Promise<void> {
  const args = parseBenchArguments(process.argv.slice(2), benchmarks.flatMap(namesOf));
  const machine = describeMachine();
  const start = performance.now();
  const results: BenchmarkResult[] = [];
  for (const backend of args.backends) results.push(...(await runAll(backend, args)));
  say(`all took ${secondsSince(start)} s`);
  process.stdout.write(`${machine.cpu}, ${machine.cores} cores, Node ${machine.node}\n\n${formatTable(results)}\n`);
  for (const warning of warningsOf(results)) say(warning);
  if (args.json !== undefined) writeResults(args.json, machine, results);
  const without = results.filter(({ figure }) => !Number.isFinite(figure));
  if (without.length > 0) throw new Error(`no figure was measured of ${without.map(({ what }) => what).join('; ')}`);
}

function namesOf({ name, alsoNamed = [] }: Benchmark): string[] {
  return [name, ...alsoNamed];
}

async function runAll(backend: Backend, args: BenchArguments): Promise<BenchmarkResult[]> {
  const { only, quick, rows, runs, profile } = args;
  const results: BenchmarkResult[] = [];
  // To start a system for each takes longer than most of them; a profile is to be of one benchmark alone.
  const shared = quick && !profile ? createSharedWorld({ backend, profile, say }) : undefined;
  try {
    for (const benchmark of benchmarks) {
      if (only !== undefined && !namesOf(benchmark).some((name) => only.includes(name))) continue;
      say(`— ${benchmark.name} on ${backend}`);
      const start = performance.now();
      results.push(...(await benchmark.run({ backend, quick, rows, runs, profile, shared, say })));
      say(`${benchmark.name} took ${secondsSince(start)} s`);
    }
  } finally {
    await shared?.close();
  }
  return [...results, ...memoryResults(backend, results)];
}

function secondsSince(start: number): string {
  return ((performance.now() - start) / 1000).toFixed(1);
}

try {
  await main();
} catch (error) {
  const known = error instanceof UsageError || error instanceof Interrupted;
  say(known ? error.message : String(error instanceof Error ? (error.stack ?? error) : error));
  // At once: what a benchmark that was cut short had in hand is of no use any more.
  process.exit(error instanceof UsageError ? 2 : 1);
}
