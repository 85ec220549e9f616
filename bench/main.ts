/** `npm run bench`: runs benchmarks on real processes and throw-away data, and prints each figure beside its reference. */
import type { BenchmarkResult } from './benchmark.js';
import { benchmarks } from './benchmarks.js';
import { type BenchArguments, parseBenchArguments, UsageError } from './command-line.js';
import { memoryResults } from './measure/memory-result.js';
import { describeMachine } from './report/machine.js';
import { writeResults } from './report/result-file.js';
import { formatTable, warningsOf } from './report/table.js';
import { Interrupted } from './world/interruption.js';

/** To standard error: standard output carries the table. */
function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function main(): Promise<void> {
  const args = parseBenchArguments(
    process.argv.slice(2),
    benchmarks.map(({ name }) => name),
  );
  const machine = describeMachine();
  const results = await runAll(args);
  process.stdout.write(`${machine.cpu}, ${machine.cores} cores, Node ${machine.node}\n\n${formatTable(results)}\n`);
  for (const warning of warningsOf(results)) say(warning);
  if (args.json !== undefined) writeResults(args.json, machine, results);
}

async function runAll({ only, backends, quick, rows, runs, profile }: BenchArguments): Promise<BenchmarkResult[]> {
  const results: BenchmarkResult[] = [];
  for (const backend of backends) {
    const ofBackend: BenchmarkResult[] = [];
    for (const benchmark of benchmarks) {
      if (only !== undefined && !only.includes(benchmark.name)) continue;
      say(`— ${benchmark.name} on ${backend}`);
      ofBackend.push(...(await benchmark.run({ backend, quick, rows, runs, profile, say })));
    }
    results.push(...ofBackend, ...memoryResults(backend, ofBackend));
  }
  return results;
}

try {
  await main();
} catch (error) {
  const known = error instanceof UsageError || error instanceof Interrupted;
  say(known ? error.message : String(error instanceof Error ? (error.stack ?? error) : error));
  // At once: what a benchmark that was cut short had in hand is of no use any more.
  process.exit(error instanceof UsageError ? 2 : 1);
}
